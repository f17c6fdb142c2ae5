import { createHash, randomUUID } from "node:crypto";
import type { Message } from "@jaf/memory";
import { parseOptions, present } from "@jaf/memory/adapter";
import { messageText } from "@jaf/memory/internal";
import { beforeDeadline, trackWork, workKeyOf } from "../background-work.ts";
import { notify, reportFailure } from "../errors.ts";
import { portable, readUserInput, secretless } from "../evidence/user-input.ts";
import { isQueueFull } from "../extraction/concurrency-limit.ts";
import type { ExtractionScope } from "../extraction/extraction.ts";
import { extractOptionsSchema, type MemoryExtractOptions } from "../extraction/options.ts";
import { attemptJob } from "../extraction/worker.ts";
import { bindOptions } from "../options.ts";
import type { Middleware, MiddlewareTurn, RemembersSpec } from "../run-types.ts";
import {
  type ErasureMark,
  type ExtractionJob,
  isStore,
  type LeasedJob,
  type UserMemoryStore,
} from "../store.ts";
import { getUserMemory } from "../user-memory.ts";

/**
 * Returns middleware that stores the user's own words from each completed turn. With `spec.extract: "verbatim"`, it
 * stores all words except small talk, bare questions and bare commands. Otherwise it stores the passages that a model proposes with a score of at least `threshold`. The
 * model is `spec.extractWith` or, by default, the agent's model. The model only selects passages; the sentences that it
 * writes only help to find the passages. Facts from third-party text wait for review. If the user asks not to keep
 * something, nothing of the turn is stored.
 *
 * The run waits for one write only: the middleware adds a job to the store's queue. If the process crashes, another
 * process takes the job over, after a turn or with `processExtractions`. If the user memory has no queue, the
 * middleware extracts directly after the turn, with one attempt.
 *
 * The middleware does nothing in three cases: the run continues an earlier turn (e.g. after an approval), `spec.user`
 * isn't set, or `spec.extract` is `false`. It never fails the run. Throws a `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import type { Agent } from "@jaf/core";
 * import { withMemoryExtract } from "@jaf/user-memory";
 *
 * const support: Agent<object, string> = {
 *   name: "support",
 *   instructions: () => "You are a support agent.",
 *   middleware: [
 *     withMemoryExtract({ user: "user-123", tags: ["support"] }, { onError: (error) => console.error(error) }),
 *   ],
 * };
 * ```
 */
export function withMemoryExtract<Ctx>(
  spec: RemembersSpec,
  options: MemoryExtractOptions = {},
): Middleware<Ctx> {
  const given = bindOptions(extractOptionsSchema, options);
  const settings = { ...given, ...parseOptions(extractOptionsSchema, given, "extract options") };
  const erasureMarks = new WeakMap<MiddlewareTurn<Ctx>, Promise<ErasureMark>>();
  const { user } = spec;

  const erasureMarkFor = (
    store: UserMemoryStore,
    turn: MiddlewareTurn<Ctx>,
    userId: string,
  ): Promise<ErasureMark> => {
    const mark = erasureMarks.get(turn) ?? Promise.resolve().then(() => store.mark(userId));
    erasureMarks.set(turn, mark);
    // `onFinish` awaits the mark, but a failed turn never calls `onFinish`.
    mark.catch(() => undefined);
    return mark;
  };
  const memoryFor = (turn: MiddlewareTurn<Ctx>) =>
    spec.extract === false || turn.isContinuation ? undefined : (settings.memory ?? getUserMemory());

  return {
    name: "memory-extract",
    onStart: (turn) => {
      const memory = memoryFor(turn);
      if (user && memory !== undefined && isStore(memory)) void erasureMarkFor(memory, turn, user);
      return undefined;
    },
    onFinish: async (turn, reply) => {
      const memory = memoryFor(turn);
      if (!user || memory === undefined) return;
      const scope: ExtractionScope = { memory, settings, complete: (request) => turn.complete(request) };
      const { threshold } = settings;
      try {
        const job = jobOf({ spec: { ...spec, user }, turn, reply, threshold });
        if (job === "private") {
          const { conversationId, position } = turn;
          notify(settings.onOffRecord, { userId: user, conversationId, position, detectedBy: "check" });
        } else if (job !== undefined) {
          if (isStore(memory)) {
            await queueExtraction(scope, memory, async () => ({
              ...job,
              since: await erasureMarkFor(memory, turn, user),
            }));
          } else extractAtOnce(scope, { ...job, since: 0 as ErasureMark });
        }
      } catch (thrown) {
        reportFailure(settings, thrown);
      }
    },
  };
}

const MAX_REPLY = 4_000;

interface JobOf<Ctx> {
  readonly spec: RemembersSpec & { readonly user: string };
  readonly turn: MiddlewareTurn<Ctx>;
  readonly reply: Message;
  readonly threshold: number;
}

/** An extraction job that doesn't have its erasure mark (`since`) yet. */
type UnmarkedJob = Omit<ExtractionJob, "since">;

/**
 * Returns the extraction job of a turn, without secrets. Returns `undefined` if the user's messages have no text, and
 * `"private"` if the user asked not to keep something.
 */
function jobOf<Ctx>({ spec, turn, reply, threshold }: JobOf<Ctx>): UnmarkedJob | "private" | undefined {
  const input = readUserInput({ ...turn, messages: turn.state.messages });
  if (input === "private") return "private";
  if (input.said.every((text) => text.trim() === "")) return undefined;
  const { conversationId } = turn;
  return {
    ...input,
    id: idOf([spec.user, conversationId, input.position, input.said]),
    userId: spec.user,
    reply: secretless(portable(messageText(reply), MAX_REPLY)),
    ...(spec.extract === "verbatim" ? { isVerbatim: true } : {}),
    ...present({ conversationId }),
    saidAt: new Date(turn.startedAt),
    tags: [...new Set(spec.tags ?? [])],
    ...present({ model: spec.extractWith }),
    threshold,
  };
}

/** Returns the id of a job, which is equal for equal turns. If the turn's position is unknown, the id is random. */
function idOf(
  identity: readonly [string, string | undefined, number | undefined, readonly string[]],
): string {
  const isKnown = identity[1] !== undefined && identity[2] !== undefined;
  return createHash("sha256")
    .update(isKnown ? JSON.stringify(identity) : randomUUID(), "utf8")
    .digest("base64url");
}

/** How long a run may take to add its job to the queue, in milliseconds. */
const ENQUEUE_MS = 5_000;
/** Minimum time between two take-overs of jobs from other processes, in milliseconds. */
const TAKE_OVER_EACH_MS = 10_000;
/** Maximum number of jobs that are taken over at a time. */
const TAKE_OVER = 2;

const takenOverAt = new WeakMap<object, number>();

/**
 * Adds a job to the store's queue and starts the job in the background. Does nothing if the job exists already, or if
 * the user's memory was erased.
 */
async function queueExtraction(
  scope: ExtractionScope,
  store: UserMemoryStore,
  jobFor: () => Promise<ExtractionJob>,
): Promise<void> {
  const { leaseMs } = scope.settings;
  const late = (): Error =>
    new Error(`The store took longer than ${ENQUEUE_MS} ms to queue the extraction job.`);
  const leased = await beforeDeadline(
    ENQUEUE_MS,
    async () => store.queue.enqueue(await jobFor(), { leaseMs }),
    late,
  );
  // The job exists already, or the user's memory was erased.
  if (leased === null) return;
  trackWork(store, workOff(scope, store, leased));
}

async function workOff(scope: ExtractionScope, store: UserMemoryStore, leased: LeasedJob): Promise<void> {
  await attemptJob(scope, leased);
  const key = workKeyOf(store);
  const { leaseMs } = scope.settings;
  const now = performance.now();
  if (
    isQueueFull(key) ||
    now - (takenOverAt.get(key) ?? Number.NEGATIVE_INFINITY) < Math.min(TAKE_OVER_EACH_MS, leaseMs)
  )
    return;
  takenOverAt.set(key, now);
  try {
    const left = await store.queue.lease({ limit: TAKE_OVER, leaseMs });
    await Promise.all(left.map((one) => attemptJob(scope, one)));
  } catch (thrown) {
    reportFailure(scope.settings, thrown);
  }
}

/** Runs a job for a user memory without a queue. The job has only one attempt. */
function extractAtOnce(scope: ExtractionScope, job: ExtractionJob): void {
  const once: ExtractionScope = { ...scope, settings: { ...scope.settings, maxAttempts: 1 } };
  const settle = async (): Promise<void> => undefined;
  trackWork(scope.memory, attemptJob(once, { job, attempt: 1, complete: settle, release: settle }));
}
