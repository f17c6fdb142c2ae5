import { createSuccess, type VersionedMemoryProvider } from "../../../src/index.ts";
import { type BrokenProvider, broken } from "./broken.ts";

/** Providers with one plausible mistake each in reading, finding or deleting. */
export const brokenReaders: Readonly<Record<string, BrokenProvider>> = {
  "shares its state with its readers": broken(
    "shared state: doesn't exist with the result of getConversation",
    (intact) => {
      const shared = new Map<string, Awaited<ReturnType<VersionedMemoryProvider["getConversation"]>>>();
      return {
        getConversation: async (id) => {
          const cached = shared.get(id) ?? structuredClone(await intact.getConversation(id));
          shared.set(id, cached);
          return cached;
        },
      };
    },
  ),

  "matches ids as patterns": broken(
    "hostile ids: as user ids own, count and clear only their own data",
    (intact) => ({
      clearUserConversations: async (userId) => {
        const all = await intact.findConversations({});
        const pattern = new RegExp(`^${userId.replaceAll(/[^%\w]/g, "\\$&").replaceAll("%", ".*")}$`, "su");
        const matching = all.success ? all.data.filter((found) => pattern.test(found.userId ?? "")) : [];
        for (const { conversationId } of matching) await intact.deleteConversation(conversationId);
        return createSuccess(matching.length);
      },
    }),
  ),

  "normalises ids": broken("hostile ids: as conversation ids are kept exactly and apart", (intact) => ({
    getConversation: (id) => intact.getConversation(id.normalize("NFC")),
    storeMessages: (id, ...rest) => intact.storeMessages(id.normalize("NFC"), ...rest),
    appendMessages: (id, ...rest) => intact.appendMessages(id.normalize("NFC"), ...rest),
  })),

  "finds by the last trace only": broken(
    "findConversations: finds by every trace that ever wrote, not only by the last",
    (intact) => ({
      findConversations: async (query) => {
        const found = await intact.findConversations(query);
        if (!found.success || query.traceId === undefined) return found;
        return createSuccess(found.data.filter(({ metadata }) => metadata?.["traceId"] === query.traceId));
      },
    }),
  ),

  "skips equal times when it pages": broken(
    "findConversations, page by page: visits each conversation exactly once by cursor, even among equal times",
    (intact) => ({
      findConversations: async ({ cursor, ...query }) => {
        if (cursor === undefined) return intact.findConversations(query);
        const [time]: unknown[] = JSON.parse(Buffer.from(cursor, "base64url").toString());
        return intact.findConversations({ ...query, until: new Date(Number(time) - 1) });
      },
    }),
  ),

  "returns dates as text": broken(
    "values: in messages come back exactly from a stored conversation",
    (intact) => ({
      getConversation: async (id) => {
        const read = await intact.getConversation(id);
        if (!read.success || read.data === null) return read;
        return createSuccess({ ...read.data, messages: JSON.parse(JSON.stringify(read.data.messages)) });
      },
    }),
  ),

  "throws for an invalid query": broken("findConversations: refuses an invalid query", (intact) => ({
    findConversations: async ({ ...query }) => {
      const { userId } = query;
      return intact.findConversations(userId === undefined ? query : { ...query, userId });
    },
  })),

  "counts the version from the remaining messages": broken(
    "options.expectedVersion: continues when messages are trimmed",
    (intact) => ({
      getConversation: async (id) => {
        const read = await intact.getConversation(id);
        if (!read.success || read.data?.metadata === undefined) return read;
        const { metadata } = read.data;
        return createSuccess({ ...read.data, metadata: { ...metadata, version: metadata.totalMessages } });
      },
    }),
  ),

  "continues after close": broken("close: makes every later call fail with a connection error", () => ({
    close: async () => createSuccess(undefined),
  })),
};
