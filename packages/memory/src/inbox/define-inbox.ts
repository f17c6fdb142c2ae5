import { guardCalls, limitIssue, textIssue } from "../backend/guard-calls.ts";
import {
  createFailure,
  createMemoryStorageError,
  type MemoryErrorUnion,
  type Result,
} from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import {
  type Inbox,
  type InboxEntry,
  MOST_INBOX_ENTRIES,
  type NewInboxEntry,
  type PutEntry,
  type WaitingInbox,
} from "./inbox.ts";

const DEFAULT_LIMIT = 100;

/** A query in which `limit` is always present. */
export interface BoundedInboxQuery {
  readonly conversationId: string;
  /** Only entries after this cursor. `undefined`: all. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * The storage port of an inbox, for {@link defineInbox}. The methods are those of {@link Inbox}, with three differences:
 *
 * - The arguments are already validated, and optional arguments are present.
 * - The methods return the data itself instead of a `Result`.
 * - The methods throw if they fail. `toMemoryError` converts what they threw into a tagged error.
 */
export interface InboxBackend {
  /** The store's name in errors (e.g. `"postgres"`). */
  readonly name: string;
  /** Returns `"full"` if the inbox has `MOST_INBOX_ENTRIES` entries and doesn't know the key. */
  readonly put: (entry: NewInboxEntry) => Promise<PutEntry | "full">;
  readonly read: (query: BoundedInboxQuery) => Promise<readonly InboxEntry[]>;
  readonly remove: (range: { readonly conversationId: string; readonly upTo: string }) => Promise<number>;
  readonly waiting: (query: {
    readonly userId: string | undefined;
    readonly limit: number;
  }) => Promise<readonly WaitingInbox[]>;
  readonly deleteConversation: (conversationId: string) => Promise<number>;
  readonly deleteUser: (userId: string) => Promise<number>;
  readonly close: () => Promise<void>;
  /** Converts an error that a method threw into a tagged error. `operation` is the name of the method. */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Makes an {@link Inbox} from a backend. The inbox refuses invalid arguments, and calls after `close`. It converts
 * errors that the backend throws into tagged errors.
 *
 * @example
 * ```ts
 * import { defineInbox, type InboxBackend } from "@jaf/memory/adapter";
 *
 * declare function openMyInboxBackend(url: string): InboxBackend;
 *
 * export const createMyInbox = (url: string) => defineInbox(openMyInboxBackend(url));
 * ```
 */
export function defineInbox(backend: InboxBackend): Inbox {
  const provider = backend.name;
  const { call, close } = guardCalls({
    name: provider,
    what: "inbox",
    toMemoryError: (operation, thrown) => backend.toMemoryError(operation, thrown),
  });

  return Object.freeze<Inbox>({
    put: async (entry) => {
      const { conversationId, userId, key, content } = entry;
      const issues = [
        idIssue("conversationId", conversationId),
        idIssue("userId", userId),
        idIssue("key", key),
        textIssue("content", content),
      ];
      const stored = await call("put", issues, () => backend.put({ conversationId, userId, key, content }));
      if (!stored.success || stored.data !== "full") return stored as Result<PutEntry>;
      const reason = `the inbox has ${MOST_INBOX_ENTRIES} entries; try again when a run has taken some.`;
      return createFailure(createMemoryStorageError("put", reason, { provider, retryable: true }));
    },
    read: ({ conversationId, after, limit = DEFAULT_LIMIT }) =>
      call(
        "read",
        [
          idIssue("conversationId", conversationId),
          after === undefined ? undefined : idIssue("after", after),
          limitIssue(limit),
        ],
        () => backend.read({ conversationId, after, limit }),
      ),
    remove: ({ conversationId, upTo }) =>
      call("remove", [idIssue("conversationId", conversationId), idIssue("upTo", upTo)], () =>
        backend.remove({ conversationId, upTo }),
      ),
    waiting: ({ userId, limit = DEFAULT_LIMIT } = {}) =>
      call("waiting", [userId === undefined ? undefined : idIssue("userId", userId), limitIssue(limit)], () =>
        backend.waiting({ userId, limit }),
      ),
    deleteConversation: (conversationId) =>
      call("deleteConversation", [idIssue("conversationId", conversationId)], () =>
        backend.deleteConversation(conversationId),
      ),
    deleteUser: (userId) => call("deleteUser", [idIssue("userId", userId)], () => backend.deleteUser(userId)),
    close: () => close(() => backend.close()),
  });
}
