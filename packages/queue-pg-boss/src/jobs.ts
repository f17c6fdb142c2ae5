import { createHash } from "node:crypto";
import type { Submission, TurnPointer } from "@jaf/memory/adapter";
import * as z from "zod";
import type { Database, ExecuteSql } from "./database.ts";
import { isDuplicate } from "./errors.ts";
import type { PgBossQueueSettings } from "./options.ts";

/** How long a job stays with a worker that doesn't renew it, in seconds. */
export const EXPIRY_SECONDS = 60;

/**
 * A job is delivered once, and this many times again: each 2 seconds for a minute. The pauses don't grow, because some turns
 * can be continued only by the workers of a newer release, and such a worker is soon found.
 */
const MOST_RETRIES = 29;
const PAUSE_SECONDS = 2;

// pg-boss writes times as ISO texts, which Postgres understands only up to this year.
const LAST_START_MS = Date.UTC(9999, 0);

/** A job that this process handles. */
export interface Job {
  readonly id: string;
  readonly pointer: TurnPointer;
  /** How many times the job was delivered before. With the id, it tells this delivery from all others. */
  readonly retryCount: number;
}

const pointerSchema = z.object({ conversationId: z.string(), turnId: z.string() });
const keptSchema = z.array(z.object({ id: z.string(), retryCount: z.number() }));

/** The calls of one queue in pg-boss. All reject with errors of pg-boss or the driver. */
export interface Jobs {
  readonly submit: (pointer: TurnPointer, submission: Submission) => Promise<void>;
  readonly cancel: (pointer: TurnPointer) => Promise<boolean>;
  /** Takes jobs that wait. Removes those that another program sent, which have no pointer. */
  readonly fetch: (most: number) => Promise<readonly Job[]>;
  /** Removes a job after its turn has ended. */
  readonly remove: (job: Job) => Promise<void>;
  /** Lets a job wait for its next delivery, or removes it after its last one. */
  readonly retry: (job: Job) => Promise<void>;
  /** Gives a job back that was taken, but not handled. */
  readonly giveBack: (job: Job) => Promise<void>;
  /** Keeps the jobs from expiring. Returns those that another worker has or had meanwhile. */
  readonly renew: (jobs: readonly Job[]) => Promise<readonly Job[]>;
}

// A hash, because an index can't hold every pair of ids.
const keyOf = ({ conversationId, turnId }: TurnPointer): string =>
  createHash("sha256")
    .update(JSON.stringify([conversationId, turnId]))
    .digest("base64url");

// pg-boss has no calls for these. `COALESCE` and the policy let Postgres use the index of the policy.
const statementsIn = (schema: string) => ({
  cancel: `
    DELETE FROM ${schema}.job
    WHERE name = $1 AND state < 'active' AND policy = 'short' AND COALESCE(singleton_key, '') = $2
    RETURNING id`,
  wait: `
    UPDATE ${schema}.job SET state = 'created', start_after = now() + $4::int * interval '1 second'
    WHERE name = $1 AND id = $2::uuid AND state = 'active' AND retry_count = $3::int
    RETURNING id`,
  // pg-boss expires a job by the time at which it was started.
  renew: `
    UPDATE ${schema}.job j SET started_on = now()
    FROM unnest($2::uuid[], $3::int[]) AS held (id, retry_count)
    WHERE j.name = $1 AND j.id = held.id AND j.state = 'active' AND j.retry_count = held.retry_count
    RETURNING j.id, j.retry_count AS "retryCount"`,
});

// `fetch` of pg-boss returns no jobs if its statement fails. This database keeps the error.
function recording(executeSql: ExecuteSql) {
  let failure: { readonly thrown: unknown } | undefined;
  const db = {
    executeSql: async (text: string, values: unknown[]) => {
      try {
        return await executeSql(text, values);
      } catch (thrown) {
        failure = { thrown };
        throw thrown;
      }
    },
  };
  const rethrow = () => {
    if (failure !== undefined) throw failure.thrown;
  };
  return { db, rethrow };
}

/** Makes the calls of a queue. `open` opens its database. */
export function createJobs(
  open: () => Promise<Database>,
  { schema, name: queueName }: Pick<PgBossQueueSettings, "schema" | "name">,
): Jobs {
  const statements = statementsIn(schema);

  async function removeById(id: string): Promise<void> {
    const { boss, executeSql } = await open();
    await boss.deleteJob(queueName, id, { db: { executeSql } });
  }

  async function wait({ id, retryCount }: Job, seconds: number): Promise<void> {
    const { executeSql } = await open();
    try {
      await executeSql(statements.wait, [queueName, id, retryCount, seconds]);
    } catch (thrown) {
      // Another job with this pointer waits already.
      if (!isDuplicate(thrown)) throw thrown;
      await removeById(id);
    }
  }

  return {
    submit: async (pointer, { at, priority }) => {
      const { boss, executeSql } = await open();
      const start = at === undefined ? {} : { startAfter: new Date(Math.min(at.getTime(), LAST_START_MS)) };
      await boss.send(queueName, pointer, {
        ...start,
        priority,
        singletonKey: keyOf(pointer),
        retryLimit: MOST_RETRIES,
        expireInSeconds: EXPIRY_SECONDS,
        db: { executeSql },
      });
    },
    cancel: async (pointer) => {
      const { executeSql } = await open();
      const { rows } = await executeSql(statements.cancel, [queueName, keyOf(pointer)]);
      return rows.length > 0;
    },
    fetch: async (most) => {
      const { boss, executeSql } = await open();
      const { db, rethrow } = recording(executeSql);
      const fetched = await boss.fetch(queueName, { batchSize: most, includeMetadata: true, db });
      rethrow();
      const jobs: Job[] = [];
      for (const { id, data, retryCount } of fetched) {
        const { data: pointer } = pointerSchema.safeParse(data);
        if (pointer === undefined) await removeById(id);
        else jobs.push({ id, pointer, retryCount });
      }
      return jobs;
    },
    remove: ({ id }) => removeById(id),
    retry: (job) => (job.retryCount >= MOST_RETRIES ? removeById(job.id) : wait(job, PAUSE_SECONDS)),
    giveBack: (job) => wait(job, 0),
    renew: async (jobs) => {
      const { executeSql } = await open();
      const { rows } = await executeSql(statements.renew, [
        queueName,
        jobs.map(({ id }) => id),
        jobs.map(({ retryCount }) => retryCount),
      ]);
      const kept = keptSchema.parse(rows);
      return jobs.filter(
        (job) => !kept.some(({ id, retryCount }) => id === job.id && retryCount === job.retryCount),
      );
    },
  };
}
