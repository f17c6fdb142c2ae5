import type { Middleware, MiddlewareTurn, RemembersSpec } from "@jaf/core";
import { parseOptions } from "@jaf/memory/adapter";
import { trackWork, workKeyOf } from "../background-work.ts";
import { boundOptions } from "../bound-options.ts";
import { beforeDeadline } from "../deadline.ts";
import type { ErasureMark } from "../erasure-mark.ts";
import { getUserMemory, isStore } from "../linked-memory.ts";
import type { ExtractionJob, LeasedJob } from "../queue.ts";
import type { UserMemoryStore } from "../store.ts";
import { tellQuietly } from "../tell-quietly.ts";
import { attemptJob } from "./attempt.ts";
import type { ExtractionScope } from "./extraction.ts";
import { isCrowded } from "./lanes.ts";
import { loadSteps } from "./load.ts";
import { extractOptionsSchema, type MemoryExtractOptions } from "./options.ts";
import { tellFailure } from "./tell.ts";

/** How long a run waits until its turn is in the queue. */
const ENQUEUE_MS = 5_000;
/** A process looks for turns that others left at most this often, and takes so many. */
const TAKE_OVER_EACH_MS = 10_000;
const TAKE_OVER = 2;

const takenOverAt = new WeakMap<object, number>();

/**
 * Middleware that remembers from each turn that completed what the user said, in their own words: with the spec's
 * `extract: "verbatim"` all of it, else what the spec's `extractWith` model (default: the agent's) points at, above the
 * threshold. A model decides where to look, and never what the user said: what it words is a way to find the quotation. What
 * rests on somebody else's text waits for review, and nothing is kept of a turn in which the user asks for that.
 *
 * The run waits for one write: the turn goes into the store's queue, so that a crash loses none. Whoever finishes the next
 * turn takes over what was left, as does `processExtractions`. A store without a queue is written to directly. Nothing
 * happens in a continuation, without a user, or where the spec says `extract: false`. A run never fails over it. Throws a
 * `TypeError` for options that are wrong.
 */
export function withMemoryExtract<Ctx>(
  spec: RemembersSpec,
  options: MemoryExtractOptions = {},
): Middleware<Ctx> {
  const given = boundOptions(extractOptionsSchema(), options);
  const settings = { ...given, ...parseOptions(extractOptionsSchema(), given, "extract options") };
  const marks = new WeakMap<MiddlewareTurn<Ctx>, Promise<ErasureMark>>();
  const { user } = spec;

  const markFor = (
    store: UserMemoryStore,
    turn: MiddlewareTurn<Ctx>,
    userId: string,
  ): Promise<ErasureMark> => {
    const mark = marks.get(turn) ?? Promise.resolve().then(() => store.mark(userId));
    marks.set(turn, mark);
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
      if (user && memory !== undefined && isStore(memory)) void markFor(memory, turn, user);
      return undefined;
    },
    onFinish: async (turn, reply) => {
      const memory = memoryFor(turn);
      if (!user || memory === undefined) return;
      const scope: ExtractionScope = { memory, settings, complete: (request) => turn.complete(request) };
      const { threshold } = settings;
      try {
        const { jobOf } = await loadSteps();
        const job = jobOf({ spec: { ...spec, user }, turn, reply, threshold });
        if (job === "private") {
          const { conversationId, position } = turn;
          tellQuietly(settings.onOffRecord, { userId: user, conversationId, position, heardBy: "check" });
        } else if (job !== undefined) {
          if (isStore(memory)) {
            await queued(scope, memory, async () => ({ ...job, since: await markFor(memory, turn, user) }));
          } else direct(scope, { ...job, since: 0 as ErasureMark });
        }
      } catch (thrown) {
        tellFailure(settings, thrown);
      }
    },
  };
}

/** Puts a turn into the queue, and begins with it. */
async function queued(
  scope: ExtractionScope,
  store: UserMemoryStore,
  jobFor: () => Promise<ExtractionJob>,
): Promise<void> {
  const { leaseMs } = scope.settings;
  const late = (): Error => new Error(`The store took longer than ${ENQUEUE_MS} ms to note the turn.`);
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
    isCrowded(key) ||
    now - (takenOverAt.get(key) ?? Number.NEGATIVE_INFINITY) < Math.min(TAKE_OVER_EACH_MS, leaseMs)
  )
    return;
  takenOverAt.set(key, now);
  try {
    const left = await store.queue.lease({ limit: TAKE_OVER, leaseMs });
    await Promise.all(left.map((one) => attemptJob(scope, one)));
  } catch (thrown) {
    tellFailure(scope.settings, thrown);
  }
}

/** A store without a queue: the turn has this one attempt. */
function direct(scope: ExtractionScope, job: ExtractionJob): void {
  const once: ExtractionScope = { ...scope, settings: { ...scope.settings, maxAttempts: 1 } };
  const settle = async (): Promise<void> => undefined;
  trackWork(scope.memory, attemptJob(once, { job, attempt: 1, complete: settle, release: settle }));
}
