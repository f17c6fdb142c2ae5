import type { ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { fieldsOf, parseJson } from "./fields.ts";
import { isSameOrigin } from "./messages.ts";

/** Whether the user approved a call. */
export interface Approval {
  readonly approved: boolean;
  /** Why the user rejected the call, as a sentence for the model. */
  readonly reason?: string;
}

/** Checks whether the service itself runs the call, after an approval. */
export const isProviderExecuted = (call: RichToolCall): boolean => call["providerExecuted"] === true;

/** Returns whether a call that the service runs was approved. `result`: the call's result, as the engine wrote it. */
export function approvalIn(result: RichMessage): Approval {
  const { status, data, error } = fieldsOf(parseJson(messageText(result)));
  // A hook can answer the call itself, so that it doesn't run.
  if (status === "success" && fieldsOf(data)["approved"] === true) return { approved: true };
  const { message } = fieldsOf(error);
  return typeof message === "string" ? { approved: false, reason: message } : { approved: false };
}

/**
 * Leaves out the calls that another model's service runs after an approval, and their results: only that service knows
 * what these calls returned. All other messages stay the same objects.
 */
export function withoutForeignApprovals(
  messages: readonly RichMessage[],
  origin: ModelOrigin,
): readonly RichMessage[] {
  const left = new Set<string>();
  return messages.flatMap((message): readonly RichMessage[] => {
    const { role, tool_calls: calls = [], tool_call_id: id = "" } = message;
    if (role === "tool") return left.has(id) ? [] : [message];
    if (role !== "assistant") return [message];
    // A later reply can use an id again.
    left.clear();
    if (isSameOrigin(message.origin, origin) || !calls.some(isProviderExecuted)) return [message];
    for (const call of calls.filter(isProviderExecuted)) left.add(call.id);
    const { tool_calls: _, ...rest } = message;
    const kept = calls.filter((call) => !isProviderExecuted(call));
    return [kept.length === 0 ? rest : { ...rest, tool_calls: kept }];
  });
}
