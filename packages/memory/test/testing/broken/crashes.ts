import { createSuccess, type WriteOptions } from "../../../src/index.ts";
import type { TestStore } from "../../../src/testing/index.ts";
import { openDurable, type Process } from "./durable.ts";

export interface BrokenStore {
  readonly createStore: () => Promise<TestStore>;
  /** One rule of the kit that it breaks, as `subject: title`. */
  readonly caughtBy: string;
}

const broken = (caughtBy: string, process: Process): BrokenStore => ({
  caughtBy,
  createStore: () => openDurable(process),
});

const renamedKey = (options: WriteOptions | undefined, life: number): WriteOptions =>
  options?.idempotencyKey === undefined
    ? (options ?? {})
    : { ...options, idempotencyKey: `${options.idempotencyKey} of life ${life}` };

/** Stores with one plausible mistake each that shows when their process dies. */
export const brokenCrashes: Readonly<Record<string, BrokenStore>> = {
  "acknowledges before it is written": broken(
    "after a crash: everything acknowledged is there, once and in order",
    (disk) => {
      let written: Promise<unknown> = Promise.resolve();
      return {
        appendMessages: async (...given) => {
          written = written.then(() => disk.appendMessages(...given));
          return createSuccess(undefined);
        },
      };
    },
  ),

  "acknowledges before it is written, under load": broken(
    "writes that a crash cuts off: are stored completely or not at all, and acknowledged ones are stored",
    (disk) => ({
      appendMessages: async (...given) => {
        setTimeout(() => disk.appendMessages(...given), 5);
        await new Promise(setImmediate);
        return createSuccess(undefined);
      },
    }),
  ),

  "keeps its keys in memory": broken(
    "after a crash: a retry under the same key changes nothing",
    (disk, life) => ({
      appendMessages: (id, messages, metadata, options) =>
        disk.appendMessages(id, messages, metadata, renamedKey(options, life)),
    }),
  ),

  "keeps its keys in memory, and lets another body in": broken(
    "after a crash: a key is refused for other messages",
    (disk, life) => ({
      appendMessages: (id, messages, metadata, options) =>
        disk.appendMessages(id, messages, metadata, renamedKey(options, life)),
    }),
  ),

  "keeps its keys in memory, when cut off": broken(
    "writes that a crash cuts off: are stored once if they are sent again under their keys",
    (disk, life) => ({
      appendMessages: (id, messages, metadata, options) =>
        disk.appendMessages(id, messages, metadata, renamedKey(options, life)),
    }),
  ),

  "keeps its traces in memory": broken(
    "after a crash: metadata, owner, dates, traces and counts are unchanged",
    (disk, life) => ({
      findConversations: async (query) =>
        life > 0 && query.traceId !== undefined ? createSuccess([]) : disk.findConversations(query),
    }),
  ),

  "counts its versions in memory": broken("after a crash: versions continue", (disk, life) => ({
    appendMessages: (id, messages, metadata, options) => {
      const { expectedVersion: _, ...rest } = options ?? {};
      return disk.appendMessages(id, messages, metadata, life > 0 ? rest : options);
    },
  })),

  "knows its owners in memory only": broken(
    "after a crash: the owner is protected from others",
    (disk, life) => ({
      appendMessages: (id, messages, { userId, ...metadata } = {}, options) =>
        disk.appendMessages(
          id,
          messages,
          life > 0 || userId === undefined ? metadata : { ...metadata, userId },
          options,
        ),
    }),
  ),

  "marks as deleted in memory only": broken(
    "after a crash: replaced, trimmed or deleted data doesn't come back",
    () => {
      const deleted = new Set<string>();
      return {
        deleteConversation: async (id) => createSuccess(!deleted.has(id) && deleted.add(id).has(id)),
      };
    },
  ),

  "starts its log over": broken("after a crash: it continues, and survives the next crash", (disk, life) => ({
    appendMessages: async (id, messages, metadata, options) => {
      if (life === 1) await disk.deleteConversation(id);
      const { expectedVersion: _, ...rest } = options ?? {};
      return disk.appendMessages(id, messages, metadata, rest);
    },
  })),

  "writes a batch in two steps": broken(
    "writes that a crash cuts off: are stored completely or not at all, and acknowledged ones are stored",
    (disk) => {
      let queue: Promise<unknown> = Promise.resolve();
      return {
        appendMessages: (id, messages, metadata, { createIfMissing = false } = {}) => {
          const written = queue.then(async () => {
            await disk.appendMessages(id, messages.slice(0, 1), metadata, { createIfMissing });
            return disk.appendMessages(id, messages.slice(1), metadata);
          });
          queue = written;
          return written;
        },
      };
    },
  ),

  "replaces in two steps": broken(
    "writes that a crash cuts off: of a replacement leave the old conversation or the new one",
    (disk) => ({
      storeMessages: async (id, messages, metadata, options) => {
        await disk.storeMessages(id, messages.slice(0, -1), metadata, options);
        return disk.appendMessages(id, messages.slice(-1), metadata);
      },
    }),
  ),

  "deletes a parent before its children": broken(
    "erasures of families that a crash cuts off: leave no child without its parent",
    (disk) => ({
      deleteConversation: async (id) => {
        const children = await disk.findConversations({ childrenOf: id });
        const deleted = await disk.deleteConversation(id);
        if (!children.success || !deleted.success) return deleted;
        for (const { conversationId, messages, metadata } of children.data) {
          const { childOf: _, ...fields } = metadata ?? {};
          await disk.appendMessages(conversationId, messages, fields, { createIfMissing: "unowned" });
        }
        for (const { conversationId } of children.data) await disk.deleteConversation(conversationId);
        return deleted;
      },
    }),
  ),

  "lets a timer of the process expire": broken(
    "options.ttlSeconds after a crash: continues from the last write",
    (disk) => ({
      appendMessages: (id, messages, metadata, options) => {
        const { ttlSeconds = 3_600, ...rest } = options ?? {};
        setTimeout(() => disk.deleteConversation(id), ttlSeconds * 1_000).unref();
        return disk.appendMessages(id, messages, metadata, rest);
      },
    }),
  ),

  "expires from the first write": broken(
    "options.ttlSeconds after a crash: restarts with a write without one",
    (disk, life) => ({
      appendMessages: (id, messages, metadata, options) =>
        disk.appendMessages(id, messages, metadata, life > 0 ? { ...options, ttlSeconds: 1 } : options),
    }),
  ),

  "creates new incarnations when it starts": broken(
    "what a write expects, after a crash: an incarnation is unchanged",
    (disk, life) => ({
      readConversation: async (id, options) => {
        const read = await disk.readConversation(id, options);
        if (!read.success) return read;
        return createSuccess({ ...read.data, incarnation: `${read.data.incarnation}-${life}` });
      },
    }),
  ),

  "keeps its tombstones in memory": broken(
    "what a write expects, after a crash: erasures are detected",
    (disk, life) => ({
      appendMessages: (id, messages, metadata, options) => {
        const { expectedIncarnation: _, ...rest } = options ?? {};
        return disk.appendMessages(id, messages, metadata, life > 0 ? rest : options);
      },
    }),
  ),

  "keeps its receipts in memory": broken(
    "what a write expects, after a crash: counters, ids of messages and receipts are unchanged",
    (disk, life) => ({
      readConversation: (id, { receiptFor, ...options } = {}) =>
        disk.readConversation(
          id,
          life > 0 || receiptFor === undefined ? options : { ...options, receiptFor },
        ),
    }),
  ),

  "keeps its ids of messages in memory": broken(
    "what a write expects, after a crash: counters, ids of messages and receipts are unchanged",
    (disk, life) => ({
      appendMessages: (id, messages, metadata, options) => {
        const { messageIds: _, ...rest } = options ?? {};
        return disk.appendMessages(id, messages, metadata, life > 0 ? rest : options);
      },
    }),
  ),
};
