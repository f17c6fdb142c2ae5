import type { Middleware, MiddlewareTurn, RemembersSpec } from "@jaf/core";
import { parseOptions } from "@jaf/memory/adapter";
import { boundOptions } from "../bound-options.ts";
import type { ErasureMark } from "../erasure-mark.ts";
import { extractAtOnce, queueExtraction } from "../extract/enqueue.ts";
import type { ExtractionScope } from "../extract/extraction.ts";
import { jobOf } from "../extract/job.ts";
import { extractOptionsSchema, type MemoryExtractOptions } from "../extract/options.ts";
import { getUserMemory } from "../global-user-memory.ts";
import { notify } from "../notify.ts";
import { reportFailure } from "../report.ts";
import type { UserMemoryStore } from "../store.ts";
import { isStore } from "../user-memory-guards.ts";

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
  const given = boundOptions(extractOptionsSchema, options);
  const settings = { ...given, ...parseOptions(extractOptionsSchema, given, "extract options") };
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
        const job = jobOf({ spec: { ...spec, user }, turn, reply, threshold });
        if (job === "private") {
          const { conversationId, position } = turn;
          notify(settings.onOffRecord, { userId: user, conversationId, position, detectedBy: "check" });
        } else if (job !== undefined) {
          if (isStore(memory)) {
            await queueExtraction(scope, memory, async () => ({
              ...job,
              since: await markFor(memory, turn, user),
            }));
          } else extractAtOnce(scope, { ...job, since: 0 as ErasureMark });
        }
      } catch (thrown) {
        reportFailure(settings, thrown);
      }
    },
  };
}
