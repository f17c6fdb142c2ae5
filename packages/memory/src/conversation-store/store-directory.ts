import type { ConversationStore } from "./store.ts";
import { type ListedConversation, parseListing } from "./store-entry.ts";
import { rememberListed, type StoreState } from "./store-state.ts";

export interface StoreDirectory {
  /** Those of the user, of the one who asks, or everybody's. */
  readonly list: (userId?: string) => Promise<readonly ListedConversation[]>;
  /** In the same listing. Lists only for a conversation that was not found there before: its owner never changes. */
  readonly find: (conversationId: string, userId?: string) => Promise<ListedConversation | undefined>;
}

/** `asking` is the user that the view is for; absent: it may see everything. */
export function createStoreDirectory(
  store: ConversationStore,
  { listed }: StoreState,
  asking: string | undefined,
): StoreDirectory {
  async function list(userId = asking): Promise<readonly ListedConversation[]> {
    if (asking !== undefined && userId !== asking) return [];
    // Without an argument, as that is what asks for everybody's.
    const all = parseListing(await (userId === undefined ? store.list() : store.list(userId)));
    const mine = all.filter(
      (entry) => userId === undefined || entry.userId === undefined || entry.userId === userId,
    );
    // A store that filters need not repeat whom it filtered by.
    return mine.map((entry) => ({ ...entry, userId: entry.userId ?? userId }));
  }

  async function find(conversationId: string, userId = asking): Promise<ListedConversation | undefined> {
    if (asking !== undefined && userId !== asking) return undefined;
    const key = JSON.stringify([userId ?? null, conversationId]);
    const known = listed.get(key);
    if (known !== undefined) return known;
    const found = (await list(userId)).find(({ id }) => id === conversationId);
    if (found !== undefined) rememberListed(listed, key, found);
    return found;
  }

  return { list, find };
}
