import type {
  ConversationQuery,
  ConversationWrite,
  MemoryBackend,
  StoredConversation,
  WriteOutcome,
} from "../backend/backend.ts";
import {
  createMemoryConflictError,
  createMemoryNotFoundError,
  createMemoryStorageError,
  createMemoryValidationError,
  type MemoryErrorUnion,
} from "../errors.ts";
import type { Message } from "../message.ts";
import { ConversationStoreError } from "./error.ts";
import type { ConversationStore } from "./store.ts";
import { createStoreDirectory } from "./store-directory.ts";
import { type ListedConversation, listedMetadata } from "./store-entry.ts";
import { loadMessages } from "./store-messages.ts";
import { type Notes, observeCount, type StoreState } from "./store-state.ts";
import { refuseUnsupported, writeToStore } from "./store-writer.ts";

const NAME = "conversation-store";

export interface StoreView {
  readonly store: ConversationStore;
  readonly state: StoreState;
  /** Who asks; absent: the view sees everybody's conversations. */
  readonly userId: string | undefined;
}

interface Known {
  readonly listed: ListedConversation;
  readonly notes: Notes;
  readonly messages: readonly Message[];
}

/** The storage port over the five methods of a conversation store; see `providerOf` for what it can't do. */
export function createStoreBackend({ store, state, userId: asking }: StoreView): MemoryBackend {
  const directory = createStoreDirectory(store, asking);

  /** Call it in turn. `null` if there is none; throws for one that may be somebody else's. */
  async function know(conversationId: string, entry?: ListedConversation): Promise<Known | null> {
    const listed = entry ?? (await directory.find(conversationId));
    const messages = await loadMessages(store, conversationId);
    if (listed === undefined) {
      if (messages.length === 0) return null;
      throw new ConversationStoreError(unlisted(asking));
    }
    const notes = state.notesOf(conversationId, listed.userId);
    observeCount(notes, messages.length);
    return { listed, notes, messages };
  }

  const read = (conversationId: string, last = 0): Promise<StoredConversation | null> =>
    state.inTurn(conversationId, async () => {
      const known = await know(conversationId);
      return known && toStored(known, known.messages.slice(-last));
    });

  const readListed = (listed: ListedConversation): Promise<StoredConversation | null> =>
    state.inTurn(listed.id, async () => {
      const known = await know(listed.id, listed);
      return known && toStored(known, known.messages);
    });

  const write = (input: ConversationWrite): Promise<WriteOutcome> =>
    state.inTurn(input.conversationId, async () => {
      refuseUnsupported(input);
      const known = await know(input.conversationId);
      if (known === null) {
        throw new ConversationStoreError(createMemoryNotFoundError(input.conversationId, { provider: NAME }));
      }
      const { notes, messages } = known;
      return writeToStore({ store, notes, owner: ownerOf(known), stored: messages }, input);
    });

  async function find(query: ConversationQuery): Promise<readonly StoredConversation[]> {
    if (query.traceId !== undefined) throw new ConversationStoreError(noTraces());
    const candidates =
      query.conversationId === undefined
        ? await directory.list(query.userId)
        : [await directory.find(query.conversationId, query.userId)].filter((listed) => listed !== undefined);
    const places = candidates
      .map((listed) => ({ listed, at: activityOf(listed, state.peek(listed.id)) }))
      .filter((place) => matches(place, query))
      .sort(byActivity);
    const end = query.limit === undefined ? undefined : query.offset + query.limit;
    const found: StoredConversation[] = [];
    for (const { listed } of places.slice(query.offset, end)) {
      const stored = await readListed(listed);
      if (stored !== null) found.push(query.includeMessages ? stored : { ...stored, messages: [] });
    }
    return found;
  }

  const remove = (conversationId: string): Promise<boolean> =>
    state.inTurn(conversationId, async () => {
      if (store.delete === undefined) throw new ConversationStoreError(noDelete());
      if ((await directory.find(conversationId)) === undefined) return false;
      await store.delete(conversationId);
      state.forget(conversationId);
      return true;
    });

  async function clearUser(userId: string): Promise<number> {
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
    ping: async () => void (await store.list(asking ?? crypto.randomUUID())),
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

const ownerOf = ({ listed, notes }: Known): string | undefined => listed.userId ?? notes.userId;

/** The epoch where the store gives no time. */
function activityOf(listed: ListedConversation, notes: Notes | undefined): Date {
  const times = [listed.createdAt, listed.updatedAt, notes?.lastActivity];
  return new Date(Math.max(0, ...times.map((time) => time?.getTime() ?? 0)));
}

function toStored(known: Known, messages: readonly Message[]): StoredConversation {
  const { listed, notes } = known;
  const userId = ownerOf(known);
  return {
    conversationId: listed.id,
    ...(userId === undefined ? {} : { userId }),
    messages,
    metadata: { ...listedMetadata(listed), ...notes.metadata },
    createdAt: listed.createdAt ?? listed.updatedAt ?? new Date(0),
    lastActivity: activityOf(listed, notes),
    totalMessages: known.messages.length,
    version: notes.version,
  };
}

interface Place {
  readonly listed: ListedConversation;
  readonly at: Date;
}

const byActivity = (a: Place, b: Place): number =>
  b.at.getTime() - a.at.getTime() || (a.listed.id < b.listed.id ? 1 : -1);

const matches = ({ listed, at }: Place, { userId, since, until, cursor }: ConversationQuery): boolean =>
  (userId === undefined || listed.userId === userId) &&
  (since === undefined || at >= since) &&
  (until === undefined || at <= until) &&
  (cursor === undefined ||
    at < cursor.lastActivity ||
    (at.getTime() === cursor.lastActivity.getTime() && listed.id < cursor.conversationId));

function unlisted(asking: string | undefined): MemoryErrorUnion {
  if (asking !== undefined) return createMemoryConflictError("owner", { provider: NAME });
  const reason =
    "list() of the conversation store doesn't name this conversation, so nobody can tell whose it is. Let list() name every conversation with its userId, or say who asks";
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
