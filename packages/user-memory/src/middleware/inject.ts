import type { Message, Tokenizer } from "@jaf/memory";
import { parseOptions, present } from "@jaf/memory/adapter";
import { messageText } from "@jaf/memory/internal";
import * as z from "zod";
import { beforeDeadline } from "../background-work.ts";
import { callOnError, notify, UserMemoryError } from "../errors.ts";
import { portable } from "../evidence/user-input.ts";
import { bindOptions, callback } from "../options.ts";
import { type FactsPlacement, renderFacts } from "../render/render.ts";
import type { Middleware, MiddlewareTurn, RemembersSpec } from "../run-types.ts";
import { isStore } from "../store.ts";
import { getUserMemory, type MemoryEntry, type UserMemory } from "../user-memory.ts";

/** Options of {@link withMemoryInject}. */
export interface MemoryInjectOptions {
  /**
   * The user memory to recall facts from. Default: the user memory of the process, see `setUserMemory`. If no user
   * memory is set at all, nothing is injected.
   */
  readonly memory?: UserMemory | undefined;
  /**
   * Counts tokens for the limit `injectTokenBudget` of `Agent.remembers`. Default: `estimateTokens` of `@jaf/memory`.
   */
  readonly tokenizer?: Tokenizer | undefined;
  /** Time limit for the recall, in milliseconds. When it is over, the run continues without facts. Default 2,000. */
  readonly timeoutMs?: number | undefined;
  /** Called with the facts that are in the prompt, in order, if there are any. Errors of this function are ignored. */
  readonly onInjected?: ((entries: readonly MemoryEntry[]) => void) | undefined;
  /**
   * Called with the error if the recall fails. If this function isn't set, the middleware's hook `onStart` rejects, and
   * the engine reports the event `middleware_failed`. In both cases, the run continues without facts.
   */
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
 * Returns middleware that adds facts about the user to the prompt, in the format of `renderUserMemory`. Once per turn,
 * the middleware recalls facts that match the user's messages. If none of them has enough to do with the messages, it
 * adds nothing (`relevantOnly` of `recall`; only for stores of this package). `spec` limits the facts: at most `injectLimit` facts
 * (default 5), only facts with one of the `tags`, and at most `injectTokenBudget` tokens. `spec.injectPlacement`
 * decides whether the facts follow the agent's instructions or precede the newest message.
 *
 * The middleware does nothing in four cases: the run continues an earlier turn (e.g. after an approval), `spec.user`
 * isn't set, the user's messages have no text, or `spec.inject` is `false`. If the store fails or is slow, the run
 * doesn't fail and isn't delayed by more than `timeoutMs`. Throws a `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import type { Agent } from "@jaf/core";
 * import { withMemoryInject } from "@jaf/user-memory";
 *
 * const support: Agent<object, string> = {
 *   name: "support",
 *   instructions: () => "You are a support agent.",
 *   middleware: [withMemoryInject({ user: "user-123", injectTokenBudget: 400 }, { timeoutMs: 500 })],
 * };
 * ```
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

/** Returns where the facts go in the prompt. */
function placementOf<Ctx>(
  { injectPlacement }: RemembersSpec,
  { cache }: MiddlewareTurn<Ctx>,
): FactsPlacement {
  // In the instructions, facts would invalidate the prompt cache.
  if (injectPlacement !== undefined) return injectPlacement;
  const isCached =
    cache !== undefined &&
    cache !== false &&
    (cache.instructions === true || cache.messages === "all" || (cache.messages ?? 0) > 0);
  return isCached ? "before-newest-message" : "instructions";
}

const DEFAULT_LIMIT = 5;

/** The inject options with default values, and the place of the facts in the prompt. */
interface PromptSettings extends MemoryInjectOptions {
  readonly timeoutMs: number;
  readonly placement: FactsPlacement;
}

/**
 * Returns the text with facts for a turn's prompt, or `""` if there are no facts. Rejects if the store fails or takes
 * too long.
 */
async function factsForPrompt<Ctx>(
  { user, inject, tags, injectLimit: limit = DEFAULT_LIMIT, injectTokenBudget: tokenBudget }: RemembersSpec,
  { memory = getUserMemory(), timeoutMs, tokenizer, onInjected, placement }: PromptSettings,
  {
    state,
    userMessages,
    isContinuation,
  }: Pick<MiddlewareTurn<Ctx>, "state" | "userMessages" | "isContinuation">,
): Promise<string> {
  if (!user || inject === false || isContinuation || memory === undefined) return "";
  const query = queryOf(userMessages);
  if (query === "") return "";
  const wanted = {
    limit,
    ...present({ tags, context: contextOf(state.messages, userMessages) }),
    ...(isStore(memory) ? { relevantOnly: true } : {}),
  };
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
    message: `The recall took longer than ${timeoutMs} ms, so the run continued without facts. Check the store or raise timeoutMs.`,
    retryable: true,
  });

/** Maximum length of a query that is made from messages, in UTF-16 units. */
// The question is usually at the beginning or the end, so the middle is left out.
const MAX_QUERY = 4_000;

/** Makes a query from the user's last messages. Returns `""` if the messages have no text. */
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

/** How many messages before the user's messages are the context of a query. */
const CONTEXT_MESSAGES = 2;

/** Returns the texts of the last messages before the user's messages, oldest first, or `undefined` if there are none. */
function contextOf(
  messages: readonly Message[],
  userMessages: readonly Message[],
): readonly string[] | undefined {
  const texts: string[] = [];
  for (const message of messages.toReversed()) {
    if (texts.length === CONTEXT_MESSAGES) break;
    if ((message.role !== "user" && message.role !== "assistant") || userMessages.includes(message)) continue;
    const text = withoutMiddle(messageText(message).trim(), MAX_QUERY);
    if (text !== "") texts.unshift(text);
  }
  return texts.length === 0 ? undefined : texts;
}

function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return portable(`${text.slice(0, half)} ${text.slice(text.length - half)}`, most);
}
