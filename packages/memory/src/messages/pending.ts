import type { Message, ToolCall } from "../message.ts";

/** A turn that stopped between a tool call and its result. */
export interface PendingToolCalls {
  /** Index of the assistant message that made the calls. */
  readonly index: number;
  /** The results that exist, by call id, in any order. */
  readonly results: ReadonlyMap<string, Message>;
  /** The calls without a result, in call order, each id once. Calls that share the id `""` are left out. */
  readonly missing: readonly ToolCall[];
}

/**
 * The calls a history ends with and that still need results, or `undefined`. Only the tail counts: once something
 * other than a tool result follows a call, the turn went on without it.
 */
export function pendingToolCalls(messages: readonly Message[]): PendingToolCalls | undefined {
  const index = messages.findLastIndex(({ role }) => role !== "tool");
  const calls = messages[index]?.tool_calls;
  if (messages[index]?.role !== "assistant" || calls == null) return undefined;
  const results = new Map<string, Message>();
  for (const result of messages.slice(index + 1)) {
    const id = result.tool_call_id;
    if (id !== undefined && !results.has(id)) results.set(id, result);
  }
  const seen = new Set(results.keys());
  // Several without an id: a result could be taken for another call's, so none of them is answered.
  if (calls.filter(({ id }) => id === "").length > 1) seen.add("");
  const missing = calls.filter(({ id }) => !seen.has(id) && seen.add(id));
  return missing.length === 0 ? undefined : { index, results, missing };
}
