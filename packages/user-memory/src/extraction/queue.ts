import * as z from "zod";
import { type StoredJob, type UserKey, userKeyOf } from "../backend.ts";
import { reportError } from "../errors.ts";
import { redactJob } from "../evidence/user-input.ts";
import type { UserMemorySettings } from "../options.ts";
import type { ErasureMark, ExtractionJob, ExtractionQueue, LeasedJob } from "../store.ts";
import type { Transactions } from "../transaction/transaction.ts";
import { checkInput, checkUserId, idSchema } from "../validation.ts";

const jobSchema = z.object({
  id: idSchema,
  userId: idSchema,
  said: z.array(z.string()),
  reply: z.string(),
  question: z.string().optional(),
  isAnnounced: z.boolean().optional(),
  isVerbatim: z.boolean().optional(),
  conversationId: z.string().optional(),
  position: z.int().min(0).optional(),
  saidAt: z.union([z.date(), z.number().transform((time) => new Date(time))]),
  tags: z.array(z.string()),
  model: z.string().optional(),
  threshold: z.number(),
  since: z.number().transform((epoch) => epoch as ErasureMark),
});

const MONTH_MS = 30 * 86_400_000;
/** A duration in milliseconds, up to 30 days. */
// A job with a longer lease might never run again.
const spanSchema = z.int().min(0).max(MONTH_MS);
const enqueueSchema = z.object({ leaseMs: spanSchema });
const leaseSchema = z.object({ limit: z.int().min(0), leaseMs: spanSchema });

/** Opens the extraction queue of a store. The queue validates each job when it is added and when it is leased. */
export function openQueue(
  { backend, callBackend }: Transactions,
  settings: UserMemorySettings,
): ExtractionQueue {
  const { jobs } = backend;

  const leased = (user: UserKey, job: ExtractionJob, attempt: number): LeasedJob => ({
    job,
    attempt,
    complete: () => callBackend("queue.complete", () => jobs.complete(user, job.id)),
    release: async (given) => {
      const delayMs = checkInput("queue.release", spanSchema, "delayMs", given);
      await callBackend("queue.release", () => jobs.release(user, job.id, delayMs));
    },
  });

  return {
    durable: jobs.durable,
    enqueue: async (given, asked) => {
      const { leaseMs } = checkInput("queue.enqueue", enqueueSchema, "options", asked);
      const checked = checkInput("queue.enqueue", jobSchema, "job", given);
      const job = redactJob(checked);
      if (job === undefined) return null;
      const user = userKeyOf(checkUserId("queue.enqueue", job.userId));
      const body = JSON.stringify({ ...job, saidAt: job.saidAt.getTime() });
      const options = { epoch: job.since, leaseMs };
      const added = await callBackend("queue.enqueue", () =>
        jobs.enqueue({ user, id: job.id, body }, options),
      );
      return added ? leased(user, job, 1) : null;
    },
    lease: async (asked) => {
      const { limit, leaseMs } = checkInput("queue.lease", leaseSchema, "options", asked);
      const stored = await callBackend("queue.lease", () => jobs.lease({ leaseMs, limit }));
      const read = stored.map((one) => ({ one, job: readJob(one) }));
      if (read.some(({ job }) => job === undefined)) reportUnreadable(settings);
      return read.flatMap(({ one, job }) =>
        job === undefined ? [] : [leased(userKeyOf(job.userId), job, one.attempts)],
      );
    },
    size: () => callBackend("queue.size", () => jobs.size()),
  };
}

/** The format of a stored job. Absent: 1. */
const formatSchema = z.object({ format: z.literal(1).optional() });

/** Reports a job that has an unknown format. */
function reportUnreadable(settings: UserMemorySettings): void {
  // The job isn't deleted, because another version of this package may have written it.
  const message =
    "An extraction job has an unknown format. It stays in the queue for a version of this package that can read it.";
  const cause = new TypeError("the job has an unknown format");
  reportError(settings, { code: "storage", operation: "queue.lease", message, retryable: false, cause });
}

function readJob({ body }: StoredJob): ExtractionJob | undefined {
  try {
    const json: unknown = JSON.parse(body);
    return formatSchema.safeParse(json).success ? jobSchema.safeParse(json).data : undefined;
  } catch {
    return undefined;
  }
}
