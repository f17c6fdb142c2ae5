import { commit, erase } from "./commit.ts";
import { findJob, leaseJobs, releaseJob, reserveJob, takeJob, writeJob } from "./jobs.ts";
import { audit, list, match, read } from "./reads.ts";

export const scripts = {
  ...{ audit, commit, erase, list, match, read },
  ...{ findJob, leaseJobs, releaseJob, reserveJob, takeJob, writeJob },
} as const;
