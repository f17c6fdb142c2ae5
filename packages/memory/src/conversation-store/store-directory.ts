import { type ListedConversation, parseListing } from "./listed-conversations.ts";
import type { AnyConversationStore } from "./store.ts";

export interface StoreDirectory {
  /** The conversations of `userId`, by default of the viewer; without either, of all users. */
  readonly list: (userId?: string) => Promise<readonly ListedConversation[]>;
  /** Looked up in the listing each time: it decides who has access, and that may change. */
  readonly find: (conversationId: string, userId?: string) => Promise<ListedConversation | undefined>;
}

/** `viewer` is the user that the view is for; absent: it sees everything. */
export function createStoreDirectory(
  store: AnyConversationStore,
  viewer: string | undefined,
): StoreDirectory {
  async function list(userId = viewer): Promise<readonly ListedConversation[]> {
    if (viewer !== undefined && userId !== viewer) return [];
    // Without an argument, as that is what asks for everybody's.
    const all = parseListing(await (userId === undefined ? store.list() : store.list(userId)));
    const mine = all.filter(
      (entry) => userId === undefined || entry.userId === undefined || entry.userId === userId,
    );
    // A store that filters need not repeat whom it filtered by.
    return mine.map((entry) => ({ ...entry, userId: entry.userId ?? userId }));
  }

  async function find(conversationId: string, userId = viewer): Promise<ListedConversation | undefined> {
    return (await list(userId)).find(({ id }) => id === conversationId);
  }

  return { list, find };
}
