import {
  createFailure,
  createMemoryStorageError,
  createSuccess,
  type WriteOptions,
} from "../../../src/index.ts";
import { type BrokenProvider, broken, type Overrides } from "./broken.ts";

const without = (options: WriteOptions | undefined, dropped: keyof WriteOptions): WriteOptions =>
  Object.fromEntries(Object.entries(options ?? {}).filter(([name]) => name !== dropped));

const dropping =
  (option: keyof WriteOptions): Overrides =>
  (intact) => ({
    appendMessages: (id, messages, metadata, options) =>
      intact.appendMessages(id, messages, metadata, without(options, option)),
  });

/** Providers with one plausible mistake each in writing. */
export const brokenWriters: Readonly<Record<string, BrokenProvider>> = {
  "loses updates: append reads, then stores": broken(
    "concurrent appends: keep all 640 single messages of 32 writers",
    (intact) => ({
      appendMessages: async (id, messages, metadata) => {
        const before = await intact.getConversation(id);
        const earlier = before.success ? (before.data?.messages ?? []) : [];
        return intact.storeMessages(id, [...earlier, ...messages], metadata);
      },
    }),
  ),

  "loses updates of three clients": broken(
    "three clients at once: leave the result of some serial order of their operations (seed 1)",
    (intact) => ({
      appendMessages: async (id, messages, metadata, options) => {
        const before = await intact.getConversation(id);
        await new Promise(setImmediate);
        const now = await intact.getConversation(id);
        const versions = [before, now].map((read) =>
          read.success ? read.data?.metadata?.version : undefined,
        );
        if (versions[0] === versions[1]) return intact.appendMessages(id, messages, metadata, options);
        const earlier = before.success ? (before.data?.messages ?? []) : [];
        return intact.storeMessages(id, [...earlier, ...messages], metadata);
      },
    }),
  ),

  "reorders a batch": broken("appendMessages: adds a batch at the end, in its order", (intact) => ({
    appendMessages: (id, messages, ...rest) => intact.appendMessages(id, messages.toReversed(), ...rest),
  })),

  "writes a batch message by message": broken(
    "concurrent appends: keep all 640 batches of 32 writers whole and in order",
    (intact) => ({
      appendMessages: async (id, messages, ...rest) => {
        for (const message of messages) await intact.appendMessages(id, [message], ...rest);
        return createSuccess(undefined);
      },
    }),
  ),

  "writes again on a retry": broken(
    "options.idempotencyKey: turns a retry into a success that changes nothing",
    dropping("idempotencyKey"),
  ),

  "looks a key up before it writes, not in the same step": broken(
    "concurrent appends: keep each batch once if it is sent twice at the same time and again later",
    (intact) => {
      const known = new Set<string>();
      return {
        appendMessages: async (id, messages, metadata, options) => {
          const key = `${id}/${options?.idempotencyKey}`;
          if (options?.idempotencyKey !== undefined && known.has(key)) return createSuccess(undefined);
          const written = await intact.appendMessages(id, messages, metadata);
          known.add(key);
          return written;
        },
      };
    },
  ),

  "forgets keys too early": broken(
    "options.idempotencyKey: knows the key for the next 1,000 writes",
    (intact) => {
      let writes = 0;
      return {
        appendMessages: (id, messages, metadata, options) => {
          writes += 1;
          const key = `${options?.idempotencyKey}-${Math.floor(writes / 999)}`;
          return intact.appendMessages(id, messages, metadata, { ...options, idempotencyKey: key });
        },
      };
    },
  ),

  "shares one idempotency namespace among conversations": broken(
    "options.idempotencyKey: keeps the keys of each conversation apart",
    (intact) => {
      const known = new Set<string>();
      return {
        appendMessages: async (id, messages, metadata, options) => {
          const key = options?.idempotencyKey ?? crypto.randomUUID();
          if (known.has(key)) return createSuccess(undefined);
          known.add(key);
          return intact.appendMessages(id, messages, metadata, options);
        },
      };
    },
  ),

  "checks the version before it writes, not in the same step": broken(
    "concurrent appends: let exactly one of 16 writes with the same expected version pass",
    (intact) => ({
      appendMessages: async (id, messages, metadata, options) => {
        const probe = await intact.appendMessages(id, [], {}, options ?? {});
        await Promise.resolve();
        return probe.success ? intact.appendMessages(id, messages, metadata) : probe;
      },
    }),
  ),

  "reads its arguments too late": broken("shared state: doesn't exist during a write", (intact) => ({
    appendMessages: async (...given) => {
      await Promise.resolve();
      return intact.appendMessages(...given);
    },
  })),

  "splits a tool call from its results": broken(
    "options.maxMessages: cuts between a call and its result: both go",
    (intact) => ({
      appendMessages: async (id, messages, metadata, options) => {
        const written = await intact.appendMessages(id, messages, metadata, without(options, "maxMessages"));
        const recent = await intact.getRecentMessages(id, options?.maxMessages);
        if (options?.maxMessages === undefined || !recent.success) return written;
        return intact.storeMessages(id, recent.data, metadata);
      },
    }),
  ),

  "ignores the ttl": broken(
    "options.ttlSeconds: removes a conversation that an append has created",
    dropping("ttlSeconds"),
  ),

  "lets another user in": broken(
    "appendMessages: refuses another user's conversation and leaves it unchanged",
    (intact) => ({
      appendMessages: (id, messages, { userId: _, ...metadata } = {}, options) =>
        intact.appendMessages(id, messages, metadata, options),
    }),
  ),

  "repeats content in its errors": broken(
    "what can't be stored: is never repeated in the error",
    (intact) => ({
      appendMessages: async (id, messages, ...rest) => {
        const written = await intact.appendMessages(id, messages, ...rest);
        if (written.success) return written;
        return createFailure(
          createMemoryStorageError("appendMessages", `could not store ${JSON.stringify(messages)}`),
        );
      },
    }),
  ),
};
