import { type ConversationMemory, createSuccess, type MemoryQuery } from "../../../src/index.ts";
import { type BrokenProvider, broken, type Overrides } from "./broken.ts";

const COMBINED =
  "findConversations, all together: holds to every combination of conditions, cursor, offset and limit";

/** Ignores these fields of a query if `when` returns true. */
const forgetting =
  (forgotten: readonly (keyof MemoryQuery)[], when: (query: MemoryQuery) => boolean): Overrides =>
  (intact) => ({
    findConversations: async (query) => {
      const found = await intact.findConversations(query);
      if (!found.success || !when(query)) return found;
      const left = Object.entries(query).filter(([name]) => !forgotten.some((field) => field === name));
      return intact.findConversations(Object.fromEntries(left));
    },
  });

const createdFirst = (a: ConversationMemory, b: ConversationMemory): number =>
  (b.metadata?.createdAt.getTime() ?? 0) - (a.metadata?.createdAt.getTime() ?? 0);

/** Providers with one plausible mistake each: one index serves a query that needs another one. */
export const brokenFinds: Readonly<Record<string, BrokenProvider>> = {
  "ignores the cursor by trace": broken(
    COMBINED,
    forgetting(["cursor"], ({ traceId }) => traceId !== undefined),
  ),

  "ignores the limit by user and trace": broken(
    COMBINED,
    forgetting(["limit"], ({ userId, traceId }) => userId !== undefined && traceId !== undefined),
  ),

  "ignores the times by id": broken(
    COMBINED,
    forgetting(["since", "until"], ({ conversationId }) => conversationId !== undefined),
  ),

  "ignores since by user and trace": broken(
    COMBINED,
    forgetting(["since"], ({ userId, traceId }) => userId !== undefined && traceId !== undefined),
  ),

  "ignores until by trace": broken(
    COMBINED,
    forgetting(["until"], ({ traceId, userId }) => traceId !== undefined && userId === undefined),
  ),

  "ignores the cursor by id": broken(
    COMBINED,
    forgetting(["cursor"], ({ conversationId }) => conversationId !== undefined),
  ),

  "ignores the offset after a cursor without user": broken(
    COMBINED,
    forgetting(["offset"], ({ cursor, userId }) => cursor !== undefined && userId === undefined),
  ),

  "lists in the order of creation by trace": broken(COMBINED, (intact) => ({
    findConversations: async (query) => {
      const found = await intact.findConversations(query);
      if (!found.success || query.traceId === undefined) return found;
      return createSuccess(found.data.toSorted(createdFirst));
    },
  })),

  "returns at most 1,000 recent messages": broken(
    "sizes: of a batch can be 5,000 messages, stored completely and in order",
    (intact) => ({
      getRecentMessages: async (id, limit) => {
        const recent = await intact.getRecentMessages(id, limit);
        return recent.success ? createSuccess(recent.data.slice(-1_000)) : recent;
      },
    }),
  ),
};
