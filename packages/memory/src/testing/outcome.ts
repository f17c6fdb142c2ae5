import type { ConversationMemory } from "../provider.ts";
import type { Result } from "../result.ts";

const isConversation = (value: unknown): value is ConversationMemory =>
  typeof value === "object" && value !== null && "conversationId" in value;

/** Without times, and without the order among equal times: both are each store's own. */
function comparable(data: unknown): unknown {
  if (data instanceof Date) return "a date";
  if (Array.isArray(data)) {
    const items = data.map(comparable);
    return items.every(isConversation)
      ? items.sort((a, b) => (a.conversationId < b.conversationId ? -1 : 1))
      : items;
  }
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      key === "incarnation" ? "an incarnation" : comparable(value),
    ]),
  );
}

/** What two stores have to agree on when the same call is made of both. */
export function outcome(result: Result<unknown>): unknown {
  if (result.success) return comparable(result.data);
  const { _tag, ...error } = result.error;
  return "reason" in error ? [_tag, error.reason, error.actualVersion] : [_tag];
}
