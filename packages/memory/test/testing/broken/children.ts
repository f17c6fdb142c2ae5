import type { ConversationQuery } from "../../../src/contract/backend.ts";
import { createSuccess, type MemoryQuery } from "../../../src/index.ts";
import { brokenBackend, readAll, without, writing } from "./backend.ts";
import { type BrokenProvider, broken } from "./broken.ts";
import { all, descendantsOf, knowingById } from "./families.ts";

const isList = ({ conversationId, childrenOf }: ConversationQuery): boolean =>
  conversationId === undefined && childrenOf === undefined;

/** Providers with one plausible mistake each in creating and listing children. */
export const brokenChildren: Readonly<Record<string, BrokenProvider>> = {
  "ignores childOf": brokenBackend(
    "options.childOf: makes the new conversation a child, with both write methods",
    writing((write) => without(write, "childOf")),
  ),

  "checks no parent": brokenBackend(
    "options.childOf: is refused under a parent that doesn't exist, was erased, or was created again",
    (intact) => ({
      write: async (write) => {
        const outcome = await intact.write(write);
        const isRefused = outcome.status === "conflict" && outcome.reason === "incarnation";
        return isRefused && write.childOf !== undefined ? intact.write(without(write, "childOf")) : outcome;
      },
    }),
  ),

  "knows a parent by its id alone": brokenBackend(
    "options.childOf: is refused under a parent that doesn't exist, was erased, or was created again",
    knowingById,
  ),

  "gives a child any owner": brokenBackend(
    "options.childOf: is refused for another owner than the parent's",
    (intact) => ({
      write: async (write) => {
        const outcome = await intact.write(write);
        const isRefused = outcome.status === "conflict" && outcome.reason === "owner";
        return isRefused && write.childOf !== undefined ? intact.write(without(write, "childOf")) : outcome;
      },
    }),
  ),

  "moves an existing conversation under a parent": brokenBackend(
    "options.childOf: is ignored by a write to an existing conversation",
    (intact) => {
      const moved = new Set<string>();
      return {
        write: async (write) => {
          if (write.childOf !== undefined && (await readAll(intact, write.conversationId)) !== null) {
            moved.add(write.conversationId);
          }
          return intact.write(write);
        },
        find: async (query) =>
          (await intact.find(query)).filter(
            ({ conversationId }) => !isList(query) || !moved.has(conversationId),
          ),
      };
    },
  ),

  "forgets the parent with a replacement": brokenBackend(
    "options.childOf: stays through replacements and all other writes",
    (intact) => {
      const replaced = new Set<string>();
      return {
        write: async (write) => {
          const before = await readAll(intact, write.conversationId);
          if (write.mode === "replace" && before !== null) replaced.add(write.conversationId);
          return intact.write(write);
        },
        read: async (request) => {
          const read = await intact.read(request);
          if (read.conversation === null || !replaced.has(request.conversationId)) return read;
          const { childOf: _, ...conversation } = read.conversation;
          return { ...read, conversation };
        },
      };
    },
  ),

  "lists children": brokenBackend(
    "children in lists: are left out by every condition but their parent and their id",
    (intact) => ({
      find: async (query) => {
        const found = await intact.find(query);
        if (!isList(query)) return found;
        const deeper = await Promise.all(found.map((each) => descendantsOf(intact, each.conversationId)));
        return [...found, ...deeper.flat()];
      },
    }),
  ),

  "leaves children out after it has counted the page": brokenBackend(
    "children in lists: are left out between other conversations, page by page",
    (intact) => ({
      find: async (query) => {
        const found = await intact.find(query);
        if (!isList(query) || query.limit === undefined || query.limit > 2) return found;
        return found.slice(0, 1);
      },
    }),
  ),

  "counts children": brokenBackend("children in lists: aren't counted by statistics", (intact) => ({
    stats: async (userId) => {
      const stats = await intact.stats(userId);
      const roots = await intact.find(userId === undefined ? all : { ...all, userId });
      const deeper = await Promise.all(roots.map((each) => descendantsOf(intact, each.conversationId)));
      return { ...stats, totalConversations: stats.totalConversations + deeper.flat().length };
    },
  })),

  "hides children from a search by id": brokenBackend(
    "children in lists: are found by their own id",
    (intact) => ({
      find: async (query) =>
        (await intact.find(query)).filter(
          ({ childOf }) => query.childrenOf !== undefined || childOf === undefined,
        ),
    }),
  ),

  "lists grandchildren with the children": brokenBackend(
    "children in lists: are listed by their parent, without their own children",
    (intact) => ({
      find: async (query) =>
        query.childrenOf === undefined || query.conversationId !== undefined
          ? intact.find(query)
          : descendantsOf(intact, query.childrenOf),
    }),
  ),

  "lists children in the order of their creation": brokenBackend(
    "children in lists: are ordered and filtered like any list",
    (intact) => ({
      find: async (query) => {
        const found = await intact.find(query);
        return query.childrenOf === undefined
          ? found
          : found.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
      },
    }),
  ),

  "compares parents without their case": broken(
    "hostile ids of families: are kept exactly and apart, as parents and as children",
    (intact) => ({
      findConversations: async (query: MemoryQuery) => {
        const found = await intact.findConversations(query);
        const other = query.childrenOf?.toUpperCase();
        if (!found.success || other === undefined || other === query.childrenOf) return found;
        const more = await intact.findConversations({ ...query, childrenOf: other });
        return more.success ? createSuccess([...found.data, ...more.data]) : more;
      },
    }),
  ),
};
