import { conversationCursor } from "../codec/cursor.ts";
import type { ConversationMemory, MemoryProvider, MemoryQuery } from "../provider.ts";
import type { ConversationStoreListEntry } from "./store.ts";
import { unwrap } from "./store-error.ts";
import { toListEntry } from "./store-metadata.ts";

const PAGE = 100;

async function* pages(
  provider: MemoryProvider,
  query: MemoryQuery,
): AsyncGenerator<readonly ConversationMemory[]> {
  let cursor: string | undefined;
  do {
    const paged = {
      ...query,
      limit: PAGE,
      includeMessages: false,
      ...(cursor === undefined ? {} : { cursor }),
    };
    const found = await unwrap("list", () => provider.findConversations(paged));
    yield found;
    const last = found.length < PAGE ? undefined : found.at(-1);
    cursor = last && conversationCursor(last);
  } while (cursor !== undefined);
}

/** Newest activity first, each once. Holds one page of conversations at a time, and the entries. */
export async function listConversations(
  provider: MemoryProvider,
  query: Pick<MemoryQuery, "userId">,
): Promise<ConversationStoreListEntry[]> {
  const entries = new Map<string, ConversationStoreListEntry>();
  const add = (conversations: readonly ConversationMemory[]) => {
    for (const conversation of conversations) {
      entries.set(conversation.conversationId, toListEntry(conversation));
    }
  };
  let pageCount = 0;
  for await (const page of pages(provider, query)) {
    add(page);
    pageCount += 1;
  }
  const since = entries.values().next().value?.updatedAt;
  if (pageCount > 1 && since !== undefined) {
    // What was written between two pages has moved to the front, and was never seen if its place came later.
    for await (const page of pages(provider, { ...query, since })) add(page);
  }
  return [...entries.values()].sort(byActivity);
}

const byActivity = (a: ConversationStoreListEntry, b: ConversationStoreListEntry): number =>
  (b.updatedAt?.getTime() ?? 0) - (a.updatedAt?.getTime() ?? 0);
