import type {
  ConversationQuery,
  ConversationWrite,
  MemoryBackend,
  ReadOutcome,
  ReadRequest,
  StoredConversation,
  WriteOutcome,
} from "../backend/backend.ts";
import {
  createMemoryConflictError,
  createMemoryStorageError,
  createMemoryValidationError,
  type MemoryErrorUnion,
} from "../errors.ts";
import { activityOf, type KnownConversation, ownerOf, toRead, toStored } from "./known-conversation.ts";
import type { ListedConversation } from "./listed-conversations.ts";
import { createStoreDirectory } from "./listed-conversations.ts";
import { loadMessages } from "./loaded-messages.ts";
import { recordVisible, type StoreState } from "./local-state.ts";
import type { AnyConversationStore } from "./store.ts";
import { ConversationStoreError } from "./store-error.ts";
import { decideAbsent, refuseUnsupported, writeToStore } from "./store-writer.ts";

const NAME = "conversation-store";

export interface StoreView {
  readonly store: AnyConversationStore;
  readonly state: StoreState;
  /** The user that the view is for; absent: it sees the conversations of all users. */
  readonly userId: string | undefined;
}

/** The storage port over the five methods of a conversation store; see `providerOf` for what it can't do. */
export function createStoreBackend({ store, state, userId: viewer }: StoreView): MemoryBackend {
  const directory = createStoreDirectory(store, viewer);

  /** Call it from `inTurn`. `null` if there is none; throws for one that may be another user's. */
  async function readKnown(
    conversationId: string,
    entry?: ListedConversation,
  ): Promise<KnownConversation | null> {
    const listed = entry ?? (await directory.find(conversationId));
    const messages = await loadMessages(store, conversationId);
    if (listed === undefined) {
      if (messages.length > 0) throw new ConversationStoreError(unlisted(viewer));
      const isGone = viewer === undefined || state.peek(conversationId)?.userId === viewer;
      if (isGone) state.delete(conversationId);
      return null;
    }
    const local = state.localStateOf(listed);
    recordVisible(local, listed, messages.length);
    return { listed, local, messages };
  }

  const read = ({ conversationId, ...request }: ReadRequest): Promise<ReadOutcome> =>
    state.inTurn(conversationId, async () => {
      const known = await readKnown(conversationId);
      // A conversation store has no clock to ask.
      const time = request.asksTime === true ? { readAt: new Date() } : {};
      if (known !== null) return { ...toRead(known, request), ...time };
      if (request.tombstones === undefined) return { conversation: null, ...time };
      const tombstones = state.tombstones.of({ conversationId, ...request.tombstones });
      return { conversation: null, tombstones, ...time };
    });

  const readListed = (listed: ListedConversation): Promise<StoredConversation | null> =>
    state.inTurn(listed.id, async () => {
      const known = await readKnown(listed.id, listed);
      return known && toStored(known, known.messages);
    });

  const write = (input: ConversationWrite): Promise<WriteOutcome> =>
    state.inTurn(input.conversationId, async () => {
      refuseUnsupported(input);
      const known = await readKnown(input.conversationId);
      if (known === null) return decideAbsent(input, state.tombstones.of(input));
      const { local, messages } = known;
      return writeToStore({ store, local, owner: ownerOf(known), stored: messages }, input);
    });

  async function find(query: ConversationQuery): Promise<readonly StoredConversation[]> {
    if (query.traceId !== undefined) throw new ConversationStoreError(noTraces());
    const candidates =
      query.conversationId === undefined
        ? await directory.list(query.userId)
        : [await directory.find(query.conversationId, query.userId)].filter((listed) => listed !== undefined);
    const dated = candidates
      .map((listed) => ({ listed, at: activityOf(listed, state.peek(listed.id)) }))
      .filter((entry) => matches(entry, query))
      .sort(byActivity);
    const end = query.limit === undefined ? undefined : query.offset + query.limit;
    const found: StoredConversation[] = [];
    for (const { listed } of dated.slice(query.offset, end)) {
      const stored = await readListed(listed);
      if (stored !== null) found.push(query.includeMessages ? stored : { ...stored, messages: [] });
    }
    return found;
  }

  const remove = (conversationId: string): Promise<boolean> =>
    state.inTurn(conversationId, async () => {
      if (store.delete === undefined) throw new ConversationStoreError(noDelete());
      state.tombstones.leave("conversation", conversationId);
      if ((await directory.find(conversationId)) === undefined) return false;
      await store.delete(conversationId);
      state.delete(conversationId);
      return true;
    });

  async function clearUser(userId: string): Promise<number> {
    state.tombstones.leave("user", userId);
    let count = 0;
    for (const { id } of await directory.list(userId)) if (await remove(id)) count += 1;
    return count;
  }

  async function stats(userId?: string) {
    const all = await find({
      ...(userId === undefined ? {} : { userId }),
      offset: 0,
      includeMessages: false,
    });
    const times = all.map(({ createdAt }) => createdAt.getTime()).filter((time) => time > 0);
    return {
      totalConversations: all.length,
      totalMessages: all.reduce((sum, { totalMessages }) => sum + totalMessages, 0),
      ...(times.length === 0
        ? {}
        : {
            oldestConversation: new Date(times.reduce((a, b) => Math.min(a, b))),
            newestConversation: new Date(times.reduce((a, b) => Math.max(a, b))),
          }),
    };
  }

  return {
    name: NAME,
    write,
    read,
    find,
    delete: remove,
    clearUser,
    stats,
    // The one method that needs nothing to be there: a user that nobody is.
    ping: async () => void (await store.list(viewer ?? crypto.randomUUID())),
    close: async () => {},
    toMemoryError: (operation, thrown) =>
      thrown instanceof ConversationStoreError
        ? { ...thrown.memoryError, operation }
        : createMemoryStorageError(operation, "the conversation store threw", {
            provider: NAME,
            // A write gets here only if it can't be seen to have happened.
            retryable: true,
            cause: thrown,
          }),
  };
}

interface DatedListing {
  readonly listed: ListedConversation;
  readonly at: Date;
}

const byActivity = (a: DatedListing, b: DatedListing): number =>
  b.at.getTime() - a.at.getTime() || (a.listed.id < b.listed.id ? 1 : -1);

const matches = (
  { listed, at }: DatedListing,
  { userId, since, until, cursor }: ConversationQuery,
): boolean =>
  (userId === undefined || listed.userId === userId) &&
  (since === undefined || at >= since) &&
  (until === undefined || at <= until) &&
  (cursor === undefined ||
    at < cursor.lastActivity ||
    (at.getTime() === cursor.lastActivity.getTime() && listed.id < cursor.conversationId));

function unlisted(viewer: string | undefined): MemoryErrorUnion {
  if (viewer !== undefined) return createMemoryConflictError("owner", { provider: NAME });
  const reason =
    "list() of the conversation store doesn't name this conversation, so its owner is unknown. Let list() name every conversation with its userId, or pass a userId to providerOf";
  return createMemoryStorageError("list", reason, { provider: NAME });
}

const noTraces = (): MemoryErrorUnion =>
  createMemoryValidationError(
    [{ path: "query.traceId", expected: "nothing: a conversation store keeps no traces" }],
    { provider: NAME },
  );

const noDelete = (): MemoryErrorUnion =>
  createMemoryStorageError("deleteConversation", "this conversation store has no delete()", {
    provider: NAME,
  });
