import { createMemoryStorageError } from "../contract/errors.ts";
import { parseInboxCursor, toInboxCursor } from "./cursor.ts";
import { defineInbox } from "./define-inbox.ts";
import {
  INBOX_KEY_SECONDS,
  type Inbox,
  type InboxEntry,
  MOST_INBOX_ENTRIES,
  type NewInboxEntry,
  type PutEntry,
  type WaitingInbox,
} from "./inbox.ts";

const PROVIDER = "memory";
/** Each `put` checks this many other inboxes, and removes those of which nothing is left. */
const LOOKED_AT = 20;

/** Options of `createInMemoryInbox`. */
export interface InMemoryInboxOptions {
  /** Returns the current time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

interface StoredEntry extends InboxEntry {
  readonly number: number;
}

interface Box {
  readonly conversationId: string;
  /** The owner. A put of another user begins a new inbox. */
  readonly userId: string;
  /** Tells this inbox from an erased one of the same conversation. */
  readonly epoch: string;
  /** The number of the last entry. */
  last: number;
  entries: readonly StoredEntry[];
  /** The cursor and the time of each key that was put within the last 24 hours; the oldest come first. */
  readonly keys: Map<string, { readonly cursor: string; readonly putAt: number }>;
}

/**
 * Creates an inbox in the memory of this process. It is meant for tests, for development, and for applications of one
 * process that may lose what waits in a restart.
 *
 * @example
 * ```ts
 * import { createInMemoryInbox } from "@jaf/memory";
 *
 * const inbox = createInMemoryInbox();
 * const ids = { conversationId: "conv-123", userId: "user-456" };
 * await inbox.put({ ...ids, key: crypto.randomUUID(), content: '"And make it short."' });
 * ```
 */
export function createInMemoryInbox({ now = Date.now }: InMemoryInboxOptions = {}): Inbox {
  const boxes = new Map<string, Box>();

  /** Forgets the keys of an inbox that were put more than 24 hours ago. */
  function forgetKeys({ keys }: Box): void {
    const before = now() - INBOX_KEY_SECONDS * 1_000;
    for (const [key, { putAt }] of keys) {
      if (putAt > before) break;
      keys.delete(key);
    }
  }

  let sweep = boxes.values();

  /** Checks a few inboxes, and removes those of which nothing is left. */
  function removeForgotten(): void {
    // Each call continues with the inbox at which the last call stopped. So the cost of `put` doesn't depend on the
    // number of inboxes.
    for (let looked = 0; looked < LOOKED_AT; looked++) {
      const { value: box, done } = sweep.next();
      if (done === true) {
        sweep = boxes.values();
        return;
      }
      forgetKeys(box);
      if (box.keys.size === 0 && box.entries.length === 0) boxes.delete(box.conversationId);
    }
  }

  function boxOf({ conversationId, userId }: NewInboxEntry): Box {
    const known = boxes.get(conversationId);
    if (known?.userId === userId) return known;
    const epoch = crypto.randomUUID();
    const box: Box = { conversationId, userId, epoch, last: 0, entries: [], keys: new Map() };
    boxes.set(conversationId, box);
    return box;
  }

  function put(entry: NewInboxEntry): PutEntry | "full" {
    removeForgotten();
    const box = boxOf(entry);
    forgetKeys(box);
    const known = box.keys.get(entry.key);
    if (known !== undefined) return { cursor: known.cursor, isNew: false };
    if (box.entries.length >= MOST_INBOX_ENTRIES) return "full";
    box.last += 1;
    const { epoch, userId, last: number } = box;
    const cursor = toInboxCursor({ epoch, number });
    const putAt = now();
    const stored = { ...entry, userId, cursor, receivedAt: new Date(putAt), number };
    box.entries = [...box.entries, stored];
    box.keys.set(entry.key, { cursor, putAt });
    return { cursor, isNew: true };
  }

  /** Returns the inbox of a conversation, and the number in `cursor` if it is one of this inbox, else 0. */
  function find(conversationId: string, cursor: string | undefined) {
    const box = boxes.get(conversationId);
    if (box === undefined) return undefined;
    const { epoch, number } = parseInboxCursor(cursor);
    return { box, number: epoch === box.epoch ? number : 0 };
  }

  function toWaiting({ conversationId, userId, entries }: Box): WaitingInbox | undefined {
    const [oldest] = entries;
    return oldest && { conversationId, userId, entries: entries.length, since: oldest.receivedAt };
  }

  const ofUser = (userId: string | undefined): readonly Box[] =>
    [...boxes.values()].filter((box) => userId === undefined || box.userId === userId);

  function erase(conversationId: string): number {
    const entries = boxes.get(conversationId)?.entries.length ?? 0;
    boxes.delete(conversationId);
    return entries;
  }

  return defineInbox({
    name: PROVIDER,
    put: async (entry) => put(entry),
    read: async ({ conversationId, after, limit }) => {
      const found = find(conversationId, after);
      if (found === undefined) return [];
      const later = found.box.entries.filter(({ number }) => number > found.number);
      return later.slice(0, limit).map(({ number: _, receivedAt, ...entry }) => ({
        ...entry,
        receivedAt: new Date(receivedAt),
      }));
    },
    remove: async ({ conversationId, upTo }) => {
      const found = find(conversationId, upTo);
      if (found === undefined) return 0;
      const { box } = found;
      const left = box.entries.filter(({ number }) => number > found.number);
      const removed = box.entries.length - left.length;
      box.entries = left;
      return removed;
    },
    waiting: async ({ userId, limit }) =>
      ofUser(userId)
        .flatMap((box) => toWaiting(box) ?? [])
        .sort((one, other) => one.since.getTime() - other.since.getTime())
        .slice(0, limit),
    deleteConversation: async (conversationId) => erase(conversationId),
    deleteUser: async (userId) =>
      ofUser(userId).reduce((erased, { conversationId }) => erased + erase(conversationId), 0),
    close: async () => boxes.clear(),
    toMemoryError: (operation, thrown) =>
      createMemoryStorageError(operation, "the inbox failed.", { provider: PROVIDER, cause: thrown }),
  });
}
