import { createSuccess, type VersionedMemoryProvider } from "../../../src/index.ts";
import { brokenBackend } from "./backend.ts";
import { type BrokenProvider, broken } from "./broken.ts";
import { forgettingTombstones } from "./identities.ts";

/** Restarts a conversation's ttl, like a write. */
const touch = (intact: VersionedMemoryProvider, id: string) =>
  intact.appendMessages(id, [], {}, { expectedVersion: 1 });

/** Providers with one plausible mistake each that shows when time passes. */
export const brokenExpiry: Readonly<Record<string, BrokenProvider>> = {
  "renews the ttl when it reads": broken("options.ttlSeconds: isn't restarted by a read", (intact) => ({
    getConversation: async (id) => {
      await touch(intact, id);
      return intact.getConversation(id);
    },
  })),

  "renews the ttl when it refuses": broken(
    "options.ttlSeconds: isn't restarted by a refused write or a retry",
    (intact) => ({
      appendMessages: async (id, messages, metadata, options) => {
        const written = await intact.appendMessages(id, messages, metadata, options);
        if (!written.success) await touch(intact, id);
        return written;
      },
    }),
  ),

  "renews the ttl when a write is sent again": broken(
    "options.ttlSeconds: isn't restarted by a refused write or a retry",
    (intact) => {
      const keys = new Set<string>();
      return {
        appendMessages: async (id, messages, metadata, options) => {
          const key = options?.idempotencyKey ?? "";
          if (keys.has(key)) await touch(intact, id);
          if (key !== "") keys.add(key);
          return intact.appendMessages(id, messages, metadata, options);
        },
      };
    },
  ),

  "lists the children of an expired parent": broken(
    "options.ttlSeconds, of families: hides the children of an expired parent from lists, and a clearing removes them",
    (intact) => {
      const expiries = new Map<string, number>();
      return {
        appendMessages: (id, messages, metadata, options) => {
          const { ttlSeconds, ...rest } = options ?? {};
          if (ttlSeconds !== undefined) expiries.set(id, Date.now() + ttlSeconds * 1_000);
          return intact.appendMessages(id, messages, metadata, rest);
        },
        findConversations: async (query) => {
          const found = await intact.findConversations(query);
          const now = Date.now();
          return found.success
            ? createSuccess(
                found.data.filter(
                  ({ conversationId }) => !(now >= (expiries.get(conversationId) ?? now + 1)),
                ),
              )
            : found;
        },
      };
    },
  ),

  "removes the tombstone of a conversation with the next creation": brokenBackend(
    "options.ttlSeconds, and what a write expects: refuses a first write from before a deletion, even if the next conversation expired",
    forgettingTombstones("conversation"),
  ),

  "counts the ttl from the first write": broken(
    "options.ttlSeconds: restarts with each write, even one without a ttl",
    (intact) => ({
      storeMessages: async (id, messages, metadata, options) => {
        const known = await intact.getConversation(id);
        const left = known.success && known.data !== null ? { ttlSeconds: 1 } : {};
        return intact.storeMessages(id, messages, metadata, { ...left, ...options });
      },
    }),
  ),
};
