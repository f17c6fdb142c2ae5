import type { Message, RichMessage, RichToolCall, ToolCall } from "../message.ts";
import { type CallKey, callKey, matchResults } from "./match-results.ts";

/**
 * Puts the order of calls and results in any stored history right: afterwards each tool call is answered exactly once,
 * directly after the message that made it, in call order, as every model provider asks for it.
 *
 * Drops calls that have no result (with their message, if it holds nothing else), results that have no call, second
 * results, and assistant messages that hold nothing but white space; moves results that stand elsewhere. Everything else
 * stays, in order. Pure and idempotent: a history that is already fine is returned as the same array. Linear in the
 * number of messages.
 *
 * What only some providers refuse is for the model's adapter, which knows its provider: an id that is used again in a
 * later turn, a function's name in other characters, arguments that are no JSON, a user message without text, a history
 * that starts with a reply. It shapes what the model sees, never what is stored.
 */
export function sanitizeConversation<M extends Message | RichMessage>(messages: M[]): M[];
export function sanitizeConversation<M extends Message | RichMessage>(messages: readonly M[]): readonly M[];
export function sanitizeConversation<M extends Message | RichMessage>(messages: readonly M[]): readonly M[] {
  if (isReplayable(messages)) return messages;
  const answers = matchResults(messages as readonly RichMessage[]);
  return messages.flatMap((message, index) => repair(messages, answers, message, index));
}

/** Whether the history is as {@link sanitizeConversation} would leave it. */
export function isReplayable(messages: readonly (Message | RichMessage)[]): boolean {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.role === "tool") return false;
    if (message.tool_calls === undefined) {
      if (message.role === "assistant" && !hasContent(message)) return false;
      continue;
    }
    const calls = callsOf(message);
    if (calls.length === 0 || hasRepeatedId(calls)) return false;
    for (const { id } of calls) {
      index += 1;
      const result = messages[index];
      if (result?.role !== "tool" || result.tool_call_id !== id) return false;
    }
  }
  return true;
}

type AnyCall = ToolCall | RichToolCall;

const hasRepeatedId = (calls: readonly AnyCall[]): boolean =>
  calls.length > 1 && new Set(calls.map(({ id }) => id)).size < calls.length;

// Dumps of other systems hold `null` where a message makes no calls.
const callsOf = ({ role, tool_calls }: Message | RichMessage): readonly AnyCall[] =>
  role === "assistant" ? (tool_calls ?? []) : [];

function repair<M extends Message | RichMessage>(
  messages: readonly M[],
  answers: ReadonlyMap<CallKey, number>,
  message: M,
  index: number,
): M[] {
  if (message.role === "tool") return [];
  const calls = callsOf(message);
  const answered = calls.flatMap((call, position) => {
    const result = messages[answers.get(callKey(index, position)) ?? -1];
    return result === undefined ? [] : [{ call, result }];
  });
  if (answered.length === 0) {
    if (message.role === "assistant" && !hasContent(message)) return [];
    if (message.tool_calls === undefined) return [message];
    const { tool_calls: _, ...rest } = message;
    return [rest as M];
  }
  const kept =
    answered.length === calls.length ? message : { ...message, tool_calls: answered.map(({ call }) => call) };
  return [kept, ...answered.map(({ result }) => result)];
}

function hasContent(message: Message | RichMessage): boolean {
  const { content, attachments }: RichMessage = message;
  if (Array.isArray(attachments) && attachments.length > 0) return true;
  if (typeof content === "string") return content.trim() !== "";
  return (
    content?.some(({ type, text }) => type !== "text" || typeof text !== "string" || text.trim() !== "") ??
    false
  );
}
