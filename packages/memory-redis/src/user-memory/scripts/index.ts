import { commit, erase } from "./commit.ts";
import { audit, list, read } from "./facts.ts";
import { findJob, leaseJobs, releaseJob, reserveJob, takeJob, writeJob } from "./jobs.ts";
import { match } from "./match.ts";

export const scripts = {
  ...{ audit, commit, erase, list, match, read },
  ...{ findJob, leaseJobs, releaseJob, reserveJob, takeJob, writeJob },
} as const;
