import type { ConversationMemory, MemoryQuery } from "@jaf/memory";
import { conversationCursor } from "@jaf/memory/adapter";
import { present, unwrap } from "@jaf/memory/internal";
import type { Memory } from "./settings.ts";

/** The number of conversations that one query reads. */
const PAGE = 200;

/** Returns all conversations that match the query, the last written first. */
export async function* conversations(
  { provider, userId }: Memory,
  query: MemoryQuery,
): AsyncGenerator<ConversationMemory> {
  let cursor: string | undefined;
  do {
    const page = { ...query, limit: PAGE, ...present({ userId, cursor }) };
    const found = await unwrap("findConversations", () => provider.findConversations(page));
    yield* found;
    const last = found.length < PAGE ? undefined : found.at(-1);
    cursor = last && conversationCursor(last);
  } while (cursor !== undefined);
}
