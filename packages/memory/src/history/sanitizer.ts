import type { Message, RichMessage } from "../message.ts";
import { type CallKey, callKey, matchResults } from "./match-results.ts";

/**
 * Makes any stored history safe to send to a model provider: afterwards each tool call is answered exactly once,
 * directly after the message that made it, in call order.
 *
 * Drops calls that have no result (with their message, if it holds nothing else), results that have no call and
 * second results; moves results that stand elsewhere. Everything else stays, in order. Pure and idempotent: a history
 * that is already fine is returned as the same array. Linear in the number of messages.
 *
 * It shapes what the model sees, never what is stored.
 */
export function sanitizeConversation<M extends Message | RichMessage>(messages: readonly M[]): readonly M[] {
  if (isReplayable(messages)) return messages;
  const answers = matchResults(messages as readonly RichMessage[]);
  return messages.flatMap((message, index) => repair(messages, answers, message, index));
}

/** Whether a provider accepts the history as it is. */
export function isReplayable(messages: readonly (Message | RichMessage)[]): boolean {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role === "tool") return false;
    const calls = message?.role === "assistant" ? message.tool_calls : undefined;
    if (calls === undefined) continue;
    if (calls.length === 0 || (calls.length > 1 && new Set(calls.map(({ id }) => id)).size < calls.length))
      return false;
    for (const { id } of calls) {
      index += 1;
      const result = messages[index];
      if (result?.role !== "tool" || result.tool_call_id !== id) return false;
    }
  }
  return true;
}

function repair<M extends Message | RichMessage>(
  messages: readonly M[],
  answers: ReadonlyMap<CallKey, number>,
  message: M,
  index: number,
): M[] {
  if (message.role === "tool") return [];
  const calls = message.role === "assistant" ? message.tool_calls : undefined;
  if (calls === undefined) return [message];
  const answered = calls.flatMap((call, position) => {
    const result = messages[answers.get(callKey(index, position)) ?? -1];
    return result === undefined ? [] : [{ call, result }];
  });
  if (answered.length === 0) {
    const { tool_calls: _, ...rest } = message;
    return calls.length === 0 || hasContent(message) ? [rest as M] : [];
  }
  const kept =
    answered.length === calls.length ? message : { ...message, tool_calls: answered.map(({ call }) => call) };
  return [kept, ...answered.map(({ result }) => result)];
}

const hasContent = ({ content }: Message | RichMessage): boolean => content !== null && content.length > 0;
