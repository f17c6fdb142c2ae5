import type { Middleware, MiddlewareTurn, RemembersSpec } from "@jaf/core";
import { parseOptions } from "@jaf/memory/adapter";
import { boundOptions } from "../bound-options.ts";
import { factsForPrompt } from "../inject/facts-for-prompt.ts";
import { injectOptionsSchema, type MemoryInjectOptions } from "../inject/options.ts";
import type { FactsPlacement } from "../render/render.ts";
import { tell } from "../report.ts";

/**
 * Middleware that puts what is known about the user behind the agent's instructions, or before what the user said last, as the
 * spec's `injectPlacement` says, in the form of `renderUserMemory`.
 * It asks for the facts that match what the user said, once a turn, at most `injectLimit` (default 5) with one of the
 * spec's `tags`, within `injectTokenBudget`. Nothing happens in a continuation, without a user, without text, or where the
 * spec says `inject: false`. A run neither fails nor waits longer than `timeoutMs`, whatever the store does. Throws a
 * `TypeError` for options that are wrong.
 */
export function withMemoryInject<Ctx>(
  spec: RemembersSpec,
  options: MemoryInjectOptions = {},
): Middleware<Ctx> {
  const given = boundOptions(injectOptionsSchema, options);
  const settings = { ...given, ...parseOptions(injectOptionsSchema, given, "inject options") };
  return {
    name: "memory-inject",
    onStart: async (turn) => {
      try {
        const placement = placementOf(spec, turn);
        const text = await factsForPrompt(spec, { ...settings, placement }, turn);
        if (text === "") return undefined;
        return placement === "instructions" ? { instructions: text } : { beforeNewestMessage: text };
      } catch (thrown) {
        if (settings.onError === undefined) throw thrown;
        tell(settings.onError, thrown);
        return undefined;
      }
    },
  };
}

/** In instructions that are to stay the same, facts would change them, and all that a provider has kept behind them. */
function placementOf<Ctx>(
  { injectPlacement }: RemembersSpec,
  { cache }: MiddlewareTurn<Ctx>,
): FactsPlacement {
  if (injectPlacement !== undefined) return injectPlacement;
  const isKept =
    cache !== undefined &&
    cache !== false &&
    (cache.instructions === true || cache.messages === "all" || (cache.messages ?? 0) > 0);
  return isKept ? "before-newest-message" : "instructions";
}
