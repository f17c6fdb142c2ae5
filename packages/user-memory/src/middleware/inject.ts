import type { Middleware, MiddlewareTurn, RemembersSpec } from "@jaf/core";
import type { Message, Tokenizer } from "@jaf/memory";
import { parseOptions, present } from "@jaf/memory/adapter";
import { messageText } from "@jaf/memory/internal";
import * as z from "zod";
import { beforeDeadline } from "../background-work.ts";
import { callOnError, notify, UserMemoryError } from "../errors.ts";
import { portable } from "../evidence/user-input.ts";
import { bindOptions, callback } from "../options.ts";
import { type FactsPlacement, renderFacts } from "../render/render.ts";
import { getUserMemory, type MemoryEntry, type UserMemory } from "../user-memory.ts";

export interface MemoryInjectOptions {
  /** Default: the user memory of the process, see `setUserMemory`. Without either, nothing is injected. */
  readonly memory?: UserMemory | undefined;
  /** Counts what the spec's `injectTokenBudget` bounds. Default: `estimateTokens` of `@jaf/memory`. */
  readonly tokenizer?: Tokenizer | undefined;
  /** How long the run waits for the facts, in milliseconds; then it goes on without. Default 2,000. */
  readonly timeoutMs?: number | undefined;
  /** Told which facts the prompt got, in their order; not called for none. What it throws is ignored. */
  readonly onInjected?: ((entries: readonly MemoryEntry[]) => void) | undefined;
  /** Called where no facts could be had, with the reason. Default: the hook rejects, which the engine reports as `middleware_failed`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const injectOptionsSchema = z.strictObject({
  memory: z.custom<UserMemory>().optional(),
  tokenizer: callback.optional(),
  timeoutMs: z.int().min(1).max(600_000).default(2_000),
  onInjected: callback.optional(),
  onError: callback.optional(),
});

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
  const given = bindOptions(injectOptionsSchema, options);
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
        callOnError(settings.onError, thrown);
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
  const isCached =
    cache !== undefined &&
    cache !== false &&
    (cache.instructions === true || cache.messages === "all" || (cache.messages ?? 0) > 0);
  return isCached ? "before-newest-message" : "instructions";
}

const DEFAULT_LIMIT = 5;

/** The options with their defaults, and where the facts are to stand. */
interface PromptSettings extends MemoryInjectOptions {
  readonly timeoutMs: number;
  readonly placement: FactsPlacement;
}

/** The text that a turn's prompt gets; `""` for none. Rejects with what the store rejects with, or where it takes too long. */
async function factsForPrompt<Ctx>(
  { user, inject, tags, injectLimit: limit = DEFAULT_LIMIT, injectTokenBudget: tokenBudget }: RemembersSpec,
  { memory = getUserMemory(), timeoutMs, tokenizer, onInjected, placement }: PromptSettings,
  { userMessages, isContinuation }: Pick<MiddlewareTurn<Ctx>, "userMessages" | "isContinuation">,
): Promise<string> {
  if (!user || inject === false || isContinuation || memory === undefined) return "";
  const query = queryOf(userMessages);
  if (query === "") return "";
  const wanted = { limit, ...present({ tags }) };
  const found = await beforeDeadline(
    timeoutMs,
    () => memory.recall(user, query, wanted),
    () => tookTooLong(timeoutMs),
  );
  const { text, facts } = renderFacts(found.slice(0, limit), {
    ...{ tokenBudget, tokenizer, placement },
  });
  if (facts.length > 0) notify(onInjected, facts);
  return text;
}

const tookTooLong = (timeoutMs: number): UserMemoryError =>
  new UserMemoryError({
    code: "unavailable",
    operation: "recall",
    message: `It took longer than ${timeoutMs} ms, so the run went on without. Look at the store, or raise timeoutMs.`,
    retryable: true,
  });

/** In UTF-16 units: what a user asks stands at the beginning or at the end of what they say. */
const MAX_QUERY = 4_000;

/** What the user said, as a query: the last messages, and of a long text its beginning and its end. `""` without text. */
function queryOf(userMessages: readonly Message[]): string {
  const texts: string[] = [];
  let room = MAX_QUERY;
  for (const message of userMessages.toReversed()) {
    if (room <= 0) break;
    const text = withoutMiddle(messageText(message).trim(), room);
    if (text === "") continue;
    texts.unshift(text);
    room -= text.length;
  }
  return texts.join("\n");
}

function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return portable(`${text.slice(0, half)} ${text.slice(text.length - half)}`, most);
}
