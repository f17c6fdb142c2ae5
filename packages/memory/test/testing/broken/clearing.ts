import { createSuccess } from "../../../src/index.ts";
import { type BrokenProvider, broken } from "./broken.ts";

/** Providers with one plausible mistake each: they decide before they change something, or stop halfway. */
export const brokenClearing: Readonly<Record<string, BrokenProvider>> = {
  "clears a page of a hundred": broken("clearUserConversations: deletes 300 in one call", (intact) => ({
    clearUserConversations: async (userId) => {
      const found = await intact.findConversations({ userId, limit: 100, includeMessages: false });
      if (!found.success) return intact.clearUserConversations(userId);
      for (const { conversationId } of found.data) await intact.deleteConversation(conversationId);
      return createSuccess(found.data.length);
    },
  })),

  "lists ids, then deletes them even if they have other owners": broken(
    "clearing a user: keeps conversations that another user begins meanwhile under the same ids",
    (intact) => ({
      clearUserConversations: async (userId) => {
        const found = await intact.findConversations({ userId, includeMessages: false });
        if (!found.success) return intact.clearUserConversations(userId);
        for (const { conversationId } of found.data) await intact.deleteConversation(conversationId);
        return createSuccess(found.data.length);
      },
    }),
  ),

  "lists ids, then deletes them all in one step": broken(
    "clearing a user: keeps conversations that another user begins meanwhile under the same ids",
    (intact) => ({
      clearUserConversations: async (userId) => {
        const found = await intact.findConversations({ userId, includeMessages: false });
        if (!found.success) return intact.clearUserConversations(userId);
        await new Promise(setImmediate); // The round trip to the store.
        const deleting = found.data.map(({ conversationId }) => intact.deleteConversation(conversationId));
        return createSuccess((await Promise.all(deleting)).length);
      },
    }),
  ),

  "checks the version before it replaces, not in the same step": broken(
    "concurrent appends: let exactly one of 16 replacements with the same expected version pass",
    (intact) => ({
      storeMessages: async (...given) => {
        const [id, messages, metadata, options] = given;
        if (Object.keys(options ?? {}).join() !== "expectedVersion" || metadata?.userId !== undefined) {
          return intact.storeMessages(...given);
        }
        const read = await intact.getConversation(id);
        const version: unknown = read.success ? (read.data?.metadata?.["version"] ?? 0) : undefined;
        const matches = version === options?.expectedVersion;
        return matches ? intact.storeMessages(id, messages, metadata) : intact.storeMessages(...given);
      },
    }),
  ),
};
