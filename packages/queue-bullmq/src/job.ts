import { createHash } from "node:crypto";
import type { Submission, TurnPointer } from "@jaf/memory/adapter";
import type { JobsOptions } from "bullmq";

/** The name of all jobs. BullMQ needs one. */
export const JOB_NAME = "turn";

/**
 * How many times a pointer is delivered whose `handle` rejects: each 2 seconds for a minute. The pauses don't grow, because
 * some turns can be continued only by the workers of a newer release, and such a worker is soon found. The server's search
 * for abandoned turns submits again what was given up.
 */
const MOST_DELIVERIES = 30;
const PAUSE_MS = 2_000;

/**
 * Returns the job id of a pointer. Different pointers have different ids. An id doesn't show the ids of the pointer, because
 * BullMQ puts job ids into its errors and its stream of events. A hash also has none of the characters that BullMQ forbids.
 */
export const jobIdOf = ({ conversationId, turnId }: TurnPointer): string =>
  createHash("sha256")
    .update(JSON.stringify([conversationId, turnId]))
    .digest("base64url");

/**
 * BullMQ delivers the lowest number first. Jobs without a priority (0) come before all others, so that each job has one:
 * 1 to 2,001.
 */
const jobPriority = (priority: number): number => 1_001 - priority;

export const jobOptionsOf = (pointer: TurnPointer, { at, priority }: Submission): JobsOptions => ({
  jobId: jobIdOf(pointer),
  priority: jobPriority(priority),
  delay: at === undefined ? 0 : Math.max(0, at.getTime() - Date.now()),
  attempts: MOST_DELIVERIES,
  backoff: { type: "fixed", delay: PAUSE_MS },
  // BullMQ ignores a job whose id it knows. So that a pointer can come again, it must forget the ids of those that ended.
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
});
