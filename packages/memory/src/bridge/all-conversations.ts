import { conversationCursor } from "../codec/query.ts";
import type { ConversationMemory, MemoryProvider, MemoryQuery } from "../contract/provider.ts";
import { unwrap } from "../contract/unwrap.ts";
import { present } from "../runtime/objects.ts";

/** The number of conversations that one query reads. */
const PAGE = 200;

/**
 * Returns all conversations that match the query, newest activity first. Reads a page at a time, as far as the caller
 * goes on. `limit` of the query: the number of conversations in a page. Default 200. Throws a `MemoryCallError`.
 */
export async function* allConversations(
  provider: MemoryProvider,
  query: MemoryQuery,
): AsyncGenerator<ConversationMemory> {
  const { limit = PAGE } = query;
  let { cursor } = query;
  do {
    const page = { ...query, limit, ...present({ cursor }) };
    const found = await unwrap("findConversations", () => provider.findConversations(page));
    yield* found;
    const last = found.length < limit ? undefined : found.at(-1);
    cursor = last && conversationCursor(last);
  } while (cursor !== undefined);
}
