import { createHash, randomUUID } from "node:crypto";
import type { Middleware, MiddlewareTurn, RemembersSpec } from "@jaf/core";
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
import {
  type ErasureMark,
  type ExtractionJob,
  isStore,
  type LeasedJob,
  type UserMemoryStore,
} from "../store.ts";
import { getUserMemory } from "../user-memory.ts";

/**
 * Middleware that remembers from each turn that completed what the user said, in their own words: with the spec's
 * `extract: "verbatim"` all of it, else what the spec's `extractWith` model (default: the agent's) points at, above the
 * threshold. A model decides where to look, and never what the user said: what it words is a way to find the quotation. What
 * rests on somebody else's text waits for review, and nothing is kept of a turn in which the user asks for that.
 *
 * The run waits for one write: a job goes into the store's queue, so that a crash loses none. The process that finishes the next
 * turn takes over the jobs that were left, as does `processExtractions`. A store without a queue is written to directly. Nothing
 * happens in a continuation, without a user, or where the spec says `extract: false`. A run never fails over it. Throws a
 * `TypeError` for options that are wrong.
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
    // It is waited for at the end, if the turn gets there.
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

/** A job but for its mark. */
type UnmarkedJob = Omit<ExtractionJob, "since">;

/**
 * The extraction job of a turn. `undefined` where the user said nothing; `"private"` where they asked that something isn't kept:
 * then nothing of the turn is. Secrets aren't put into the queue.
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

/** A job's id: the same for the same turn, if the turn's place in its conversation is known. */
function idOf(
  identity: readonly [string, string | undefined, number | undefined, readonly string[]],
): string {
  const isKnown = identity[1] !== undefined && identity[2] !== undefined;
  return createHash("sha256")
    .update(isKnown ? JSON.stringify(identity) : randomUUID(), "utf8")
    .digest("base64url");
}

/** How long a run waits until its job is in the queue. */
const ENQUEUE_MS = 5_000;
/** A process looks for jobs that others left at most this often, and takes so many. */
const TAKE_OVER_EACH_MS = 10_000;
const TAKE_OVER = 2;

const takenOverAt = new WeakMap<object, number>();

/** Puts a job into the queue, and begins with it. */
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
  // Somebody has it, or everything was forgotten meanwhile.
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

/** A store without a queue: the job has this one attempt. */
function extractAtOnce(scope: ExtractionScope, job: ExtractionJob): void {
  const once: ExtractionScope = { ...scope, settings: { ...scope.settings, maxAttempts: 1 } };
  const settle = async (): Promise<void> => undefined;
  trackWork(scope.memory, attemptJob(once, { job, attempt: 1, complete: settle, release: settle }));
}
