import { createMemoryStorageError } from "../contract/errors.ts";
import { defineInbox } from "./define-inbox.ts";
import {
  INBOX_KEY_SECONDS,
  type Inbox,
  type InboxEntry,
  MOST_INBOX_ENTRIES,
  type NewInboxEntry,
} from "./inbox.ts";

const PROVIDER = "memory";

/** Options of `createInMemoryInbox`. */
export interface InMemoryInboxOptions {
  /** Returns the current time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

interface Box {
  /** The user of the first entry. */
  readonly owner: string;
  /** Tells this inbox from an erased one of the same conversation. */
  readonly epoch: string;
  last: number;
  entries: InboxEntry[];
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

  const numberOf = ({ epoch }: Box, cursor: string | undefined): number => {
    const [of, number] = cursor?.split(":") ?? [];
    return of === epoch ? Number(number) : 0;
  };

  function boxOf({ conversationId, userId }: NewInboxEntry): Box {
    const box = boxes.get(conversationId) ?? {
      owner: userId,
      epoch: crypto.randomUUID(),
      last: 0,
      entries: [],
      keys: new Map(),
    };
    boxes.set(conversationId, box);
    return box;
  }

  /** Forgets the keys that were put more than 24 hours ago, and inboxes of which nothing is left. */
  function forget(): void {
    const before = now() - INBOX_KEY_SECONDS * 1_000;
    for (const [conversationId, { keys, entries }] of boxes) {
      for (const [key, { putAt }] of keys) {
        if (putAt > before) break;
        keys.delete(key);
      }
      if (keys.size === 0 && entries.length === 0) boxes.delete(conversationId);
    }
  }

  function erase(conversationId: string): number {
    const entries = boxes.get(conversationId)?.entries.length ?? 0;
    boxes.delete(conversationId);
    return entries;
  }

  return defineInbox({
    name: PROVIDER,
    put: async (entry) => {
      forget();
      const box = boxOf(entry);
      const known = box.keys.get(entry.key);
      if (known !== undefined) return { cursor: known.cursor, isNew: false };
      if (box.entries.length >= MOST_INBOX_ENTRIES) return "full";
      box.last += 1;
      const cursor = `${box.epoch}:${box.last}`;
      const putAt = now();
      box.entries.push(Object.freeze({ ...entry, cursor, receivedAt: new Date(putAt) }));
      box.keys.set(entry.key, { cursor, putAt });
      return { cursor, isNew: true };
    },
    read: async ({ conversationId, after, limit }) => {
      const box = boxes.get(conversationId);
      if (box === undefined) return [];
      const from = numberOf(box, after);
      return box.entries.filter(({ cursor }) => numberOf(box, cursor) > from).slice(0, limit);
    },
    remove: async ({ conversationId, upTo }) => {
      const box = boxes.get(conversationId);
      if (box === undefined) return 0;
      const left = box.entries.filter(({ cursor }) => numberOf(box, cursor) > numberOf(box, upTo));
      const removed = box.entries.length - left.length;
      box.entries = left;
      return removed;
    },
    waiting: async ({ userId, limit }) =>
      [...boxes.values()]
        .flatMap(({ entries: [oldest, ...more] }) =>
          oldest === undefined || (userId !== undefined && oldest.userId !== userId)
            ? []
            : [
                {
                  conversationId: oldest.conversationId,
                  userId: oldest.userId,
                  entries: more.length + 1,
                  since: oldest.receivedAt,
                },
              ],
        )
        .sort((one, other) => one.since.getTime() - other.since.getTime())
        .slice(0, limit),
    deleteConversation: async (conversationId) => erase(conversationId),
    deleteUser: async (userId) =>
      [...boxes.entries()]
        .filter(([, { owner }]) => owner === userId)
        .reduce((erased, [conversationId]) => erased + erase(conversationId), 0),
    close: async () => boxes.clear(),
    toMemoryError: (operation, thrown) =>
      createMemoryStorageError(operation, "the inbox failed.", { provider: PROVIDER, cause: thrown }),
  });
}
