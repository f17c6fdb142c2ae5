import type { Middleware, MiddlewareTurn, RemembersSpec } from "@jaf/core";
import type { Tokenizer } from "@jaf/memory";
import { lazy, parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";
import { boundOptions } from "../bound-options.ts";
import { beforeDeadline } from "../deadline.ts";
import { UserMemoryError } from "../errors.ts";
import { getUserMemory } from "../linked-memory.ts";
import type { LinkPolicy } from "../render/line.ts";
import { type FactsPlacement, renderFacts } from "../render/render.ts";
import { tellQuietly } from "../tell-quietly.ts";
import type { MemoryEntry, UserMemory } from "../user-memory.ts";
import { queryOf } from "./query.ts";

export interface MemoryInjectOptions {
  /** Default: the user memory of the process, see `setUserMemory`. Without either, nothing is injected. */
  readonly memory?: UserMemory | undefined;
  /** Counts what the spec's `injectTokenBudget` bounds. Default: `estimateTokens` of `@jaf/memory`. */
  readonly tokenizer?: Tokenizer | undefined;
  /** How long the run waits for the facts, in milliseconds; then it goes on without. Default 2,000. */
  readonly timeoutMs?: number | undefined;
  /** What becomes of links in facts; see `RenderOptions.links`. Default `"neutralise"`. */
  readonly links?: LinkPolicy | undefined;
  /** Told which facts the prompt got, in their order; not called for none. What it throws is ignored. */
  readonly onInjected?: ((entries: readonly MemoryEntry[]) => void) | undefined;
  /** Told why no facts could be had. Default: the hook rejects, which the engine tells as `middleware_failed`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const callback = lazy(() =>
  z.custom<never>((value) => typeof value === "function", { error: "expected a function" }),
);

export const injectOptionsSchema = lazy(() =>
  z.strictObject({
    memory: z.custom<UserMemory>().optional(),
    tokenizer: callback().optional(),
    timeoutMs: z.int().min(1).max(600_000).default(2_000),
    links: z.enum(["neutralise", "keep"]).default("neutralise"),
    onInjected: callback().optional(),
    onError: callback().optional(),
  }),
);

const DEFAULT_LIMIT = 5;

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
  const given = boundOptions(injectOptionsSchema(), options);
  const settings = { ...given, ...parseOptions(injectOptionsSchema(), given, "inject options") };
  return {
    name: "memory-inject",
    onStart: async (turn) => {
      try {
        const placement = placementOf(spec, turn);
        const text = await factsFor(spec, { ...settings, placement }, turn);
        if (text === "") return undefined;
        return placement === "instructions" ? { instructions: text } : { beforeNewestMessage: text };
      } catch (thrown) {
        if (settings.onError === undefined) throw thrown;
        tellQuietly(settings.onError, thrown);
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

interface Settings extends MemoryInjectOptions {
  readonly timeoutMs: number;
  readonly links: LinkPolicy;
}

interface Placed extends Settings {
  readonly placement: FactsPlacement;
}

async function factsFor<Ctx>(
  { user, inject, tags, injectLimit: limit = DEFAULT_LIMIT, injectTokenBudget: tokenBudget }: RemembersSpec,
  { memory = getUserMemory(), timeoutMs, links, tokenizer, onInjected, placement }: Placed,
  { said, isContinuation }: MiddlewareTurn<Ctx>,
): Promise<string> {
  if (!user || inject === false || isContinuation || memory === undefined) return "";
  const query = queryOf(said);
  if (query === "") return "";
  const wanted = { limit, ...(tags === undefined ? {} : { tags }) };
  const found = await beforeDeadline(
    timeoutMs,
    () => memory.recall(user, query, wanted),
    lateAfter(timeoutMs),
  );
  const { text, facts } = renderFacts(found.slice(0, limit), {
    ...{ tokenBudget, tokenizer, links, placement },
  });
  if (facts.length > 0) tellQuietly(onInjected, facts);
  return text;
}

const lateAfter = (timeoutMs: number) => () =>
  new UserMemoryError({
    code: "unavailable",
    operation: "recall",
    message: `It took longer than ${timeoutMs} ms, so the run went on without. Look at the store, or raise timeoutMs.`,
    retryable: true,
  });
