import type { ContentPart, Message, RichMessage, RichToolCall, ToolCall } from "../../contract/message.ts";
import {
  approvalIds,
  hasContent,
  isApprovalAnswer,
  isReasoningAlone,
  isReasoningPart,
  toolCallIdOf,
} from "./message-content.ts";
import { type CallKey, callKey, matchResults } from "./tool-calls.ts";

/**
 * Repairs the order of tool calls and results in any stored history. Afterwards each call is answered exactly once. The
 * results come directly after the message that made the calls, in the order of the calls. Every model provider requires
 * this order.
 *
 * Drops these messages and calls:
 *
 * - calls without a result, and their message if it contains nothing else,
 * - results without a call, and second results,
 * - another framework's answers to requests for an approval, if no other part of the history has the request,
 * - empty assistant messages: they have no text except white space, no other part, and no additional field with content
 *   (e.g. a refusal or `reasoning_content`).
 *
 * Moves results to the right place. Everything else stays, in order. A valid history is returned as the same array.
 * Takes time linear in the number of messages.
 *
 * If a call is dropped, its part is dropped, too. Reasoning that only led to dropped calls is also dropped, because
 * Anthropic and OpenAI refuse reasoning after which nothing follows. All other reasoning stays in its message, even if
 * the message contains nothing else.
 *
 * The sanitizer keeps what only some model providers refuse:
 *
 * - a call id that is used again in a later turn,
 * - a function name with characters that the model provider doesn't allow,
 * - arguments that aren't JSON,
 * - a user message without text,
 * - a history that starts with a reply.
 *
 * The code for the model provider (e.g. `@jaf/google`) repairs these. It only changes what the model sees, not the
 * stored messages.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, sanitizeConversation } from "@jaf/memory";
 *
 * const recent = await createInMemoryProvider().getRecentMessages("conv-123", 20);
 * if (recent.success) console.log(sanitizeConversation(recent.data));
 * ```
 */
export function sanitizeConversation<M extends Message | RichMessage>(messages: M[]): M[];
/**
 * Repairs the order of tool calls and results in any stored history, as the overload above describes. This overload
 * takes and returns a readonly array.
 */
export function sanitizeConversation<M extends Message | RichMessage>(messages: readonly M[]): readonly M[];
export function sanitizeConversation<M extends Message | RichMessage>(messages: readonly M[]): readonly M[] {
  return sanitizeWithOrigins(messages).messages;
}

export interface Sanitized<M> {
  readonly messages: readonly M[];
  /** Converts the index of a message in the sanitized messages into its index in the original history. */
  readonly originOf: (index: number) => number;
}

/** Does the same as {@link sanitizeConversation}, and also returns where each message was in the original history. */
export function sanitizeWithOrigins<M extends Message | RichMessage>(messages: readonly M[]): Sanitized<M> {
  if (isReplayable(messages)) return { messages, originOf: (index) => index };
  const answers = matchResults(messages as readonly RichMessage[]);
  const isKept = approvalAnswersOf(messages);
  const repaired: Repaired<M>[] = [];
  for (const [index, message] of messages.entries()) {
    const replacement = isKept(message)
      ? [{ message, origin: index }]
      : repair(messages, answers, message, index);
    repaired.push(...replacement);
    if (replacement.length === 0 && callsOf(message).length > 0)
      dropReasoningBefore(messages, index, repaired);
  }
  return {
    messages: repaired.map(({ message }) => message),
    originOf: (index) => repaired[index]?.origin ?? index,
  };
}

interface Repaired<M> {
  readonly message: M;
  readonly origin: number;
}

/** Drops the reasoning that led to a dropped call and that is in a separate message before it. */
function dropReasoningBefore<M extends Message | RichMessage>(
  messages: readonly M[],
  index: number,
  repaired: Repaired<M>[],
): void {
  // Other frameworks store reasoning like this.
  for (let before = index - 1; before >= 0; before--) {
    const message = messages[before];
    if (message === undefined || repaired.at(-1)?.message !== message || message.role !== "assistant") return;
    if (message.tool_calls !== undefined || !isReasoningAlone(message)) return;
    repaired.pop();
  }
}

/**
 * Whether {@link sanitizeConversation} would return the history unchanged.
 *
 * @example
 * ```ts
 * import type { Message } from "@jaf/memory";
 * import { isReplayable } from "@jaf/memory/history";
 *
 * declare const history: readonly Message[];
 *
 * if (!isReplayable(history)) console.log("A model provider would refuse this history: sanitize it first.");
 * ```
 */
export function isReplayable(messages: readonly (Message | RichMessage)[]): boolean {
  const isKept = approvalAnswersOf(messages);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.role === "tool") {
      if (isKept(message) || isOfAnotherKind(message)) continue;
      return false;
    }
    if (message.tool_calls === undefined) {
      if (message.role === "assistant" && !hasContent(message)) return false;
      continue;
    }
    const calls = callsOf(message);
    if (calls.length === 0 || hasRepeatedId(calls)) return false;
    for (const { id } of calls) {
      index += 1;
      const result = messages[index];
      if (result?.role !== "tool" || result.tool_call_id !== id || isApprovalAnswer(result)) return false;
    }
  }
  return true;
}

/** Whether the message has tool results in the AI SDK's format, with call ids in its parts. */
function isOfAnotherKind({ tool_call_id: id, content }: RichMessage): boolean {
  // The AI SDK stores the calls in parts, too. The sanitizer leaves both where they are.
  return id == null && Array.isArray(content) && content.some(({ toolCallId }) => toolCallId !== undefined);
}

/**
 * Returns a function that tells whether a message is a user's answer to a request for an approval, as the AI SDK stores it,
 * and a message that has its calls in parts made the request. No model accepts such an answer to a call in `tool_calls`.
 */
function approvalAnswersOf(messages: readonly (Message | RichMessage)[]) {
  let asked: ReadonlySet<unknown> | undefined;
  return (message: Message | RichMessage): boolean => {
    if (message.role !== "tool" || !isApprovalAnswer(message)) return false;
    asked ??= new Set(
      messages
        .filter((asking) => asking.role === "assistant" && callsOf(asking).length === 0)
        .flatMap((asking) => approvalIds(asking, "request")),
    );
    return approvalIds(message, "response").some((id) => asked?.has(id));
  };
}

type AnyCall = ToolCall | RichToolCall;

function hasRepeatedId(calls: readonly AnyCall[]): boolean {
  if (calls.length <= 1) return false;
  // An empty id doesn't count as repeated, because some gateways send no ids.
  const ids = calls.map(({ id }) => id).filter((id) => id !== "");
  return new Set(ids).size < ids.length;
}

// Messages that were exported from other systems may have `tool_calls: null`.
const callsOf = ({ role, tool_calls }: Message | RichMessage): readonly AnyCall[] =>
  role === "assistant" ? (tool_calls ?? []) : [];

function repair<M extends Message | RichMessage>(
  messages: readonly M[],
  answers: ReadonlyMap<CallKey, number>,
  message: M,
  index: number,
): readonly Repaired<M>[] {
  const as = (repaired: M): Repaired<M> => ({ message: repaired, origin: index });
  if (message.role === "tool") return isOfAnotherKind(message) ? [as(message)] : [];
  const calls = callsOf(message);
  const answered: AnyCall[] = [];
  const results: Repaired<M>[] = [];
  for (const [position, call] of calls.entries()) {
    const origin = answers.get(callKey(index, position)) ?? -1;
    const result = messages[origin];
    if (result === undefined) continue;
    answered.push(call);
    results.push({ message: result, origin });
  }
  if (answered.length === calls.length && calls.length > 0) return [as(message), ...results];
  const reduced = withCalls(message, answered);
  if (answered.length > 0) return [as(reduced), ...results];
  if (message.role !== "assistant") return [as(reduced)];
  const isLeft = hasContent(reduced) && (calls.length === 0 || !isReasoningAlone(reduced));
  return isLeft ? [as(reduced)] : [];
}

/** Returns a frozen copy of the message with only the kept calls, and without the parts of the dropped calls. */
function withCalls<M extends Message | RichMessage>(message: M, kept: readonly AnyCall[]): M {
  if (message.tool_calls === undefined) return message;
  const { content }: Pick<RichMessage, "content"> = message;
  const dropped = callsOf(message).length - kept.length;
  const parts =
    Array.isArray(content) && dropped > 0
      ? {
          content: Object.freeze([
            ...withoutToolCallParts(content, { kept: kept.map(({ id }) => id), dropped }),
          ]),
        }
      : {};
  if (kept.length > 0) return Object.freeze<M>({ ...message, ...parts, tool_calls: Object.freeze(kept) });
  const { tool_calls: _, ...rest } = message;
  return Object.freeze({ ...rest, ...parts }) as M;
}

/** The calls of a message after some of them were dropped. */
interface DroppedCalls {
  /** The ids of the calls that stay in the message. */
  readonly kept: readonly string[];
  /** How many calls of the message were dropped. */
  readonly dropped: number;
}

/**
 * Returns the parts of a message without those of dropped calls, and without reasoning that only led to dropped calls.
 */
function withoutToolCallParts(
  parts: readonly ContentPart[],
  { kept, dropped }: DroppedCalls,
): readonly ContentPart[] {
  // Reasoning only led to dropped calls if only dropped calls come between it and the next reasoning (or the end of the
  // parts). Calls without a part count as coming after all parts. If no part is left out, returns the same array.
  const { lost, callsBehind } = droppedToolCallParts(parts, kept);
  // Goes from the end to the beginning. `leads` says whether the parts after a reasoning part contain kept calls or
  // content (`toKept`), and whether they contain dropped calls (`toLost`).
  let leads = { toKept: callsBehind, toLost: dropped > lost.size };
  let isInReasoning = false;
  const gone = new Set(lost);
  for (const [index, part] of [...parts.entries()].reverse()) {
    if (isReasoningPart(part)) {
      if (leads.toLost && !leads.toKept) gone.add(index);
      isInReasoning = true;
      continue;
    }
    if (isInReasoning) leads = { toKept: false, toLost: false };
    isInReasoning = false;
    if (lost.has(index)) leads.toLost = true;
    else leads.toKept = true;
  }
  return gone.size === 0 ? parts : parts.filter((_, index) => !gone.has(index));
}

function droppedToolCallParts(parts: readonly ContentPart[], kept: readonly string[]) {
  const waiting = new Map<string, number>();
  for (const id of kept) waiting.set(id, (waiting.get(id) ?? 0) + 1);
  const lost = new Set<number>();
  for (const [index, part] of parts.entries()) {
    const id = toolCallIdOf(part);
    if (id === undefined) continue;
    const count = waiting.get(id) ?? 0;
    if (count === 0) lost.add(index);
    else waiting.set(id, count - 1);
  }
  return { lost, callsBehind: [...waiting.values()].some((count) => count > 0) };
}
