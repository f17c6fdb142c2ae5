import type { Result } from "../contract/errors.ts";

/** What to leave in the inbox of a conversation. */
export interface NewInboxEntry {
  readonly conversationId: string;
  /** The user who owns the conversation. The inbox doesn't check this: the caller must. */
  readonly userId: string;
  /**
   * Unique in the conversation: an entry whose key was used within the last 24 hours isn't stored again. 1 to 255
   * UTF-16 units.
   */
  readonly key: string;
  /** A text that the inbox doesn't interpret, e.g. a message as JSON. */
  readonly content: string;
}

/** An entry that waits in the inbox of a conversation. */
export interface InboxEntry extends NewInboxEntry {
  /**
   * The place of the entry in its inbox, as a text that only the inbox understands. Store it with what you make of the
   * entry, and read on after it.
   */
  readonly cursor: string;
  /** When the entry was stored, by the store's clock. */
  readonly receivedAt: Date;
}

/** The answer to `put`. */
export interface PutEntry {
  /** The cursor of the entry that has this key. */
  readonly cursor: string;
  /** Whether the call stored the entry. `false`: the inbox already had an entry with this key, even if it was removed since. */
  readonly isNew: boolean;
}

/** Selects the entries of one inbox. */
export interface InboxQuery {
  readonly conversationId: string;
  /**
   * Only entries after this cursor are returned. Default: all. A cursor of an inbox that was erased since comes before all
   * entries.
   */
  readonly after?: string;
  /** The maximum number of entries to return. Default 100. */
  readonly limit?: number;
}

/** A conversation whose inbox isn't empty. */
export interface WaitingInbox {
  readonly conversationId: string;
  readonly userId: string;
  /** The number of entries. */
  readonly entries: number;
  /** When the oldest entry was stored, by the store's clock. */
  readonly since: Date;
}

/**
 * The durable inbox of each conversation: what comes in while no run can take it, e.g. a message of the user while a run
 * answers an earlier one. A run takes the entries in their order, see `RunConfig.memory.inbox` of `@jaf/core`.
 *
 * - Entries stay until they are removed. They are in the order in which `put` stored them, also if several processes put
 *   at the same time: an entry never appears before one that a reader has already got.
 * - The reader of an inbox stores the cursor of the last entry together with what it made of the entries, in one write.
 *   Then it removes the entries. If it dies in between, the next reader reads on after the stored cursor, so each entry
 *   counts once.
 * - An inbox belongs to the user of its first entry. A conversation's id may go to another user after the conversation was
 *   deleted. So a `put` of another user erases the inbox with its keys and begins a new one, in one step.
 * - An inbox holds at most 1,000 entries; then `put` fails with a `MemoryStorageError`, which is retryable.
 * - Every method is atomic for each conversation. All times are measured by the store's clock.
 * - Failures are tagged errors in the result. An id that a `MemoryProvider` would refuse, or a number out of range, is a
 *   `MemoryValidationError`.
 *
 * The kit `describeInboxConformance` of `@jaf/memory/testing` tests all rules of this interface.
 */
export interface Inbox {
  /**
   * Stores an entry at the end of its inbox, unless the inbox knows its key. If the inbox is another user's, it is erased,
   * and the entry begins a new inbox.
   */
  readonly put: (entry: NewInboxEntry) => Promise<Result<PutEntry>>;
  /** Returns the entries of an inbox in their order. */
  readonly read: (query: InboxQuery) => Promise<Result<readonly InboxEntry[]>>;
  /**
   * Removes the entries up to and including the one at `upTo`. Their keys stay known. Returns the number of removed
   * entries; 0 for a cursor of an inbox that was erased since.
   */
  readonly remove: (range: {
    readonly conversationId: string;
    readonly upTo: string;
  }) => Promise<Result<number>>;
  /**
   * Returns at most `limit` conversations whose inbox isn't empty; the one whose oldest entry has waited longest comes
   * first. With `userId`, only conversations of this user. Default `limit` 100.
   */
  readonly waiting: (query?: {
    readonly userId?: string;
    readonly limit?: number;
  }) => Promise<Result<readonly WaitingInbox[]>>;
  /** Erases the inbox of a conversation, with the keys that it knows. Returns the number of erased entries. */
  readonly deleteConversation: (conversationId: string) => Promise<Result<number>>;
  /** Erases the inboxes of all of the user's conversations. Returns the number of erased entries. */
  readonly deleteUser: (userId: string) => Promise<Result<number>>;
  /** Closes the clients that the inbox opened itself, but no client that the application passed to the inbox. */
  readonly close: () => Promise<Result<void>>;
}

/** The maximum number of entries in one inbox. */
export const MOST_INBOX_ENTRIES = 1_000;
/** How long an inbox knows the key of an entry, from its `put` on, in seconds. */
export const INBOX_KEY_SECONDS = 86_400;
