import {
  createFailure,
  createMemoryConnectionError,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  type MemoryErrorUnion,
  type MemoryIssue,
  type Result,
} from "../contract/errors.ts";
import { idIssue, isPortableText } from "../contract/ids.ts";
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

type Issue = MemoryIssue | undefined;

const limitIssue = (limit: number): Issue =>
  Number.isSafeInteger(limit) && limit >= 1
    ? undefined
    : { path: "limit", expected: "a whole number from 1" };

const contentIssue = (content: unknown): Issue =>
  typeof content === "string" && isPortableText(content)
    ? undefined
    : { path: "content", expected: "a string without NUL and without unpaired surrogates" };

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
  let closing: Promise<Result<void>> | undefined;

  async function call<T>(
    operation: string,
    issues: readonly Issue[],
    method: () => Promise<T>,
  ): Promise<Result<T>> {
    const found = issues.filter((issue) => issue !== undefined);
    if (found.length > 0) return createFailure(createMemoryValidationError(found, { provider, operation }));
    if (closing !== undefined) {
      const hint = "this inbox was closed; create a new one";
      return createFailure(createMemoryConnectionError(provider, hint, { operation, retryable: false }));
    }
    try {
      return createSuccess(await method());
    } catch (thrown) {
      return createFailure(backend.toMemoryError(operation, thrown));
    }
  }

  return Object.freeze<Inbox>({
    put: async (entry) => {
      const { conversationId, userId, key, content } = entry;
      const issues = [
        idIssue("conversationId", conversationId),
        idIssue("userId", userId),
        idIssue("key", key),
        contentIssue(content),
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
    close: () => {
      closing ??= call("close", [], () => backend.close());
      return closing;
    },
  });
}
