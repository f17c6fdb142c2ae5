import { commit, erase } from "./commit.ts";
import { audit, list, read, match } from "./reads.ts";
import { findJob, leaseJobs, releaseJob, reserveJob, takeJob, writeJob } from "./jobs.ts";

export const scripts = {
  ...{ audit, commit, erase, list, match, read },
  ...{ findJob, leaseJobs, releaseJob, reserveJob, takeJob, writeJob },
} as const;
