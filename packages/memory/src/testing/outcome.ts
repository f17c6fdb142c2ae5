import type { ConversationMemory } from "../provider.ts";
import type { Result } from "../result.ts";

/** Names for the incarnations that a store gave, in the order of their first appearance: what they are is random. */
export type Names = Map<string, string>;

const isConversation = (value: unknown): value is ConversationMemory =>
  typeof value === "object" && value !== null && "conversationId" in value;

function nameOf(incarnation: unknown, names: Names): unknown {
  if (typeof incarnation !== "string") return incarnation;
  const name = names.get(incarnation) ?? `incarnation ${names.size + 1}`;
  names.set(incarnation, name);
  return name;
}

function inOrder(items: readonly unknown[]): readonly unknown[] {
  if (!items.every(isConversation)) return items;
  return items.toSorted((a, b) => (a.conversationId < b.conversationId ? -1 : 1));
}

/**
 * Without times, digests, and the order among equal times and among traces: these are each store's own. Digests have rules
 * of their own.
 */
function comparable(data: unknown, names: Names): unknown {
  if (data instanceof Date) return "a date";
  // In order first: names are given in it.
  if (Array.isArray(data)) return inOrder(data).map((item) => comparable(item, names));
  if (typeof data !== "object" || data === null) return data;
  const compared = Object.entries(data).filter(([key]) => key !== "historyDigest");
  const fields = compared.map(([key, value]) => {
    if (key === "incarnation") return [key, nameOf(value, names)];
    if (key === "traceIds" && Array.isArray(value)) return [key, value.toSorted()];
    return [key, comparable(value, names)];
  });
  return Object.fromEntries(fields);
}

/** What two stores have to agree on when the same call is made of both, and the same ones before it. */
export function outcome(result: Result<unknown>, names: Names): unknown {
  if (result.success) return comparable(result.data, names);
  const { _tag, ...error } = result.error;
  return "reason" in error ? [_tag, error.reason, error.actualVersion] : [_tag];
}
