import { createHash } from "node:crypto";
import type { Submission, TurnPointer } from "@jaf/memory/adapter";
import type { JobsOptions } from "bullmq";

/** The name of all jobs. BullMQ needs one. */
export const JOB_NAME = "turn";

/**
 * How many times a pointer is delivered whose `handle` rejects. The pauses double from 1 s to 32 s, so a rejected pointer
 * is given up after about a minute. The server's search for abandoned turns submits it again.
 */
const MOST_DELIVERIES = 7;
const FIRST_PAUSE_MS = 1_000;

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
  attempts: 30,
  backoff: { type: "fixed", delay: 2_000, jitter: 0.5 },
  // BullMQ ignores a job whose id it knows. So that a pointer can come again, it must forget the ids of those that ended.
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
});
