import type {
  ConversationQuery,
  ConversationWrite,
  MemoryBackend,
  ReadOutcome,
  ReadRequest,
  StoredConversation,
} from "../backend/backend.ts";
import { createMemoryConflictError, createMemoryStorageError } from "../errors.ts";
import { toListed, toRead } from "../in-memory/conversation.ts";
import { selectConversations, statsOf } from "../in-memory/listing.ts";
import { present } from "../present.ts";
import { type ListedConversation, listConversations } from "./listed-conversations.ts";
import { loadMessages } from "./loaded-messages.ts";
import {
  activityOf,
  type KnownConversation,
  localStateOf,
  type StoreState,
  wholeEntry,
} from "./local-state.ts";
import type { AnyConversationStore } from "./store.ts";
import { ConversationStoreError, invalidInput, PROVIDER, storeFailure } from "./store-error.ts";
import { refuseUnsupported, settle, writeToStore } from "./store-writer.ts";

export interface StoreView {
  readonly store: AnyConversationStore;
  readonly state: StoreState;
  /** The user that the view is for; absent: it sees the conversations of all users. */
  readonly userId: string | undefined;
}

/** The storage port over the five methods of a conversation store; see `providerOf` for what it can't do. */
export function createStoreBackend({ store, state, userId: viewer }: StoreView): MemoryBackend {
  const { conversations, queue } = state;

  const list = async (userId = viewer) =>
    viewer === undefined || userId === viewer ? listConversations(store, userId) : [];

  const findListed = async (conversationId: string) => (await list()).find(({ id }) => id === conversationId);

  /** Call it in the conversation's queue. `null` if there is none; throws for one that may be another user's. */
  async function readKnown(
    conversationId: string,
    entry?: ListedConversation,
  ): Promise<KnownConversation | null> {
    const listed = entry ?? (await findListed(conversationId));
    const messages = await loadMessages(store, conversationId);
    if (listed !== undefined) {
      return { listed, local: localStateOf(state, listed, messages.length), messages };
    }
    if (messages.length > 0) throw unlisted(viewer);
    const isGone = viewer === undefined || conversations.get(conversationId)?.entry.userId === viewer;
    if (isGone) conversations.delete(conversationId);
    return null;
  }

  const read = ({ conversationId, messages, asksTime, ...request }: ReadRequest): Promise<ReadOutcome> =>
    queue.run(conversationId, async () => {
      const known = await readKnown(conversationId);
      // A conversation store has no clock to ask.
      const time = asksTime === true ? { readAt: new Date() } : {};
      if (known === null) return { conversation: null, ...time };
      settle(known, request.receiptFor);
      const { conversation, ...rest } = toRead(wholeEntry(known), messages, request);
      return { conversation: withoutDigest(conversation), ...rest, ...time };
    });

  const write = (input: ConversationWrite) =>
    queue.run(input.conversationId, async () => {
      refuseUnsupported(input);
      return writeToStore(store, await readKnown(input.conversationId), input);
    });

  async function find(query: ConversationQuery): Promise<readonly StoredConversation[]> {
    if (query.traceId !== undefined) {
      const expected = "nothing: a conversation store keeps no traces";
      throw invalidInput([{ path: "query.traceId", expected }], { provider: PROVIDER });
    }
    const candidates = (await list(query.userId))
      .filter(({ id }) => id === (query.conversationId ?? id))
      .map((listed) => ({
        ...listed,
        conversationId: listed.id,
        lastActivity: activityOf(listed, conversations.get(listed.id)?.entry),
        traceIds: NO_TRACES,
      }));
    const found: StoredConversation[] = [];
    for (const listed of selectConversations(candidates, query)) {
      const known = await queue.run(listed.id, () => readKnown(listed.id, listed));
      if (known !== null) found.push(withoutDigest(toListed(wholeEntry(known), query.includeMessages)));
    }
    return found;
  }

  const remove = (conversationId: string): Promise<boolean> =>
    queue.run(conversationId, async () => {
      const reason = "this conversation store has no delete()";
      if (store.delete === undefined) throw storeFailure("deleteConversation", reason);
      if ((await findListed(conversationId)) === undefined) return false;
      await store.delete(conversationId);
      conversations.delete(conversationId);
      return true;
    });

  async function clearUser(userId: string): Promise<number> {
    let count = 0;
    for (const { id } of await list(userId)) if (await remove(id)) count += 1;
    return count;
  }

  return {
    name: PROVIDER,
    write,
    read,
    find,
    delete: remove,
    clearUser,
    stats: async (userId) =>
      statsOf(await find({ ...present({ userId }), offset: 0, includeMessages: false })),
    // The one method that needs nothing to be there: a user that nobody is.
    ping: async () => void (await store.list(viewer ?? crypto.randomUUID())),
    close: async () => {},
    toMemoryError: (operation, thrown) =>
      thrown instanceof ConversationStoreError
        ? { ...thrown.memoryError, operation }
        : createMemoryStorageError(operation, "the conversation store threw", {
            provider: PROVIDER,
            // A write gets here only if it can't be seen to have happened.
            retryable: true,
            cause: thrown,
          }),
  };
}

const NO_TRACES: ReadonlySet<string> = new Set();

/** Others write to the store, too, so that a digest would be of no history that there was. */
const withoutDigest = ({ historyDigest: _, ...stored }: StoredConversation): StoredConversation => stored;

function unlisted(viewer: string | undefined): ConversationStoreError {
  if (viewer !== undefined) {
    return new ConversationStoreError(createMemoryConflictError("owner", { provider: PROVIDER }));
  }
  const reason =
    "list() of the conversation store doesn't name this conversation, so its owner is unknown. Let list() name every conversation with its userId, or pass a userId to providerOf";
  return storeFailure("list", reason);
}
