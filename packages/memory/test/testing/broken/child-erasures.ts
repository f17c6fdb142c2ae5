import type { MemoryBackend, StoredConversation } from "../../../src/contract/backend.ts";
import { brokenBackend, type Layer, readAll, trip, without } from "./backend.ts";
import type { BrokenProvider } from "./broken.ts";
import { all, childrenOf, descendantsOf, keep, knowingById } from "./families.ts";

/** Lets a write that saw no child create one after the deletion of a child. */
const forgettingTombstones: Layer = (intact) => {
  const children = new Set<string>();
  return {
    write: (write) => {
      if (write.childOf !== undefined) children.add(write.conversationId);
      const isLate = write.childOf === undefined && children.has(write.conversationId);
      const absent = write.expectedIncarnation !== undefined && "absent" in write.expectedIncarnation;
      return intact.write(isLate && absent ? without(write, "expectedIncarnation") : write);
    },
  };
};

/** Erases, but keeps those descendants of `roots` that aren't `listed`. */
async function keepingOthers<T>(
  backend: MemoryBackend,
  roots: readonly string[],
  listed: readonly StoredConversation[],
  erase: () => Promise<T>,
): Promise<T> {
  const known = new Set(listed.map(({ conversationId }) => conversationId));
  const now = (await Promise.all(roots.map((id) => descendantsOf(backend, id)))).flat();
  const erased = await erase();
  for (const each of now) if (!known.has(each.conversationId)) await keep(backend, each);
  return erased;
}

/** Providers with one plausible mistake each in erasing children. */
export const brokenChildErasures: Readonly<Record<string, BrokenProvider>> = {
  "adds late children to the next conversation under the parent's id": brokenBackend(
    "children and erasures at once: leave no child of an earlier conversation under the parent's id",
    knowingById,
  ),

  "leaves children": brokenBackend(
    "children and erasures: go with a deletion of their parent, and so do all descendants",
    (intact) => ({
      delete: async (id) => {
        const children = await childrenOf(intact, id);
        const deleted = await intact.delete(id);
        for (const child of children) await keep(intact, child);
        return deleted;
      },
    }),
  ),

  "leaves grandchildren": brokenBackend(
    "children and erasures: go with a deletion of their parent, and so do all descendants",
    (intact) => ({
      delete: async (id) => {
        const deeper = (await descendantsOf(intact, id)).filter(({ childOf }) => childOf !== id);
        const deleted = await intact.delete(id);
        for (const child of deeper) await keep(intact, child);
        return deleted;
      },
    }),
  ),

  "counts cleared children": brokenBackend(
    "children and erasures: go with a clearing of their user, and so do all descendants",
    (intact) => ({
      clearUser: async (userId) => {
        const roots = await intact.find({ ...all, userId });
        const deeper = await Promise.all(roots.map((each) => descendantsOf(intact, each.conversationId)));
        return (await intact.clearUser(userId)) + deeper.flat().length;
      },
    }),
  ),

  "deletes the children that it once noted": brokenBackend(
    "children and erasures: don't take along a later conversation under the id of a deleted child",
    (intact) => {
      const noted = new Map<string, string[]>();
      return {
        write: (write) => {
          const parent = write.childOf?.conversationId;
          if (parent !== undefined) {
            noted.set(parent, [...(noted.get(parent) ?? []), write.conversationId]);
          }
          return intact.write(write);
        },
        delete: async (id) => {
          for (const child of noted.get(id) ?? []) await intact.delete(child);
          return intact.delete(id);
        },
      };
    },
  ),

  "leaves no tombstone of a child": brokenBackend(
    "children and erasures: can't be written again after a deletion of their parent",
    forgettingTombstones,
  ),

  "leaves no tombstone of a cleared child": brokenBackend(
    "children and erasures: can't be written again after a clearing of their user",
    forgettingTombstones,
  ),

  "deletes the parent of a child, too": brokenBackend(
    "children and erasures: can be deleted alone, with their own children",
    (intact) => ({
      delete: async (id) => intact.delete((await readAll(intact, id))?.childOf ?? id),
    }),
  ),

  "keeps the list of children of a deleted parent": brokenBackend(
    "children and erasures: don't come back with a new conversation under their parent's id",
    (intact) => {
      const deleted = new Map<string, readonly StoredConversation[]>();
      return {
        delete: async (id) => {
          deleted.set(id, await childrenOf(intact, id));
          return intact.delete(id);
        },
        find: async (query) => {
          const found = await intact.find(query);
          const parent = query.childrenOf;
          if (parent === undefined || (await readAll(intact, parent)) === null) return found;
          return [...found, ...(deleted.get(parent) ?? [])];
        },
      };
    },
  ),

  "deletes a page of a hundred children": brokenBackend(
    "children and erasures: are deleted, however many and however deep",
    (intact) => ({
      delete: async (id) => {
        const children = await childrenOf(intact, id);
        const deleted = await intact.delete(id);
        for (const child of children.slice(100)) await keep(intact, child);
        return deleted;
      },
    }),
  ),

  "clears by the parents alone": brokenBackend(
    "children and erasures: are cleared with an owner that they got later, or that their parent got",
    (intact) => ({
      clearUser: async (userId) => {
        const roots = await intact.find({ ...all, userId });
        for (const { conversationId } of roots) await intact.delete(conversationId);
        return roots.length;
      },
    }),
  ),

  "checks the parent, then creates": brokenBackend(
    "children and erasures at once: leave no child and no grandchild of a deleted parent",
    (intact) => ({
      write: async (write) => {
        if (write.childOf === undefined) return intact.write(write);
        const { conversationId, incarnation } = write.childOf;
        const parent = await readAll(intact, conversationId);
        await trip();
        const outcome = await intact.write(write);
        const isLate = outcome.status === "conflict" && outcome.reason === "incarnation";
        return isLate && parent?.incarnation === incarnation
          ? intact.write(without(write, "childOf"))
          : outcome;
      },
    }),
  ),

  "lists the children, then deletes": brokenBackend(
    "children and erasures at once: leave no child and no grandchild of a deleted parent",
    (intact) => ({
      delete: async (id) => {
        const listed = await descendantsOf(intact, id);
        await trip();
        return keepingOthers(intact, [id], listed, () => intact.delete(id));
      },
    }),
  ),

  "lists a user's children, then clears": brokenBackend(
    "children and erasures at once: leave no child and no grandchild of a cleared user",
    (intact) => ({
      clearUser: async (userId) => {
        const roots = (await intact.find({ ...all, userId })).map(({ conversationId }) => conversationId);
        const listed = await Promise.all(roots.map((id) => descendantsOf(intact, id)));
        await trip();
        return keepingOthers(intact, roots, listed.flat(), () => intact.clearUser(userId));
      },
    }),
  ),

  "compares the version, then creates a child": brokenBackend(
    "children and erasures at once: create one child of 12 first writes to the same id",
    (intact) => ({
      write: async (write) => {
        const isFirst = write.childOf !== undefined && write.expectedVersion === 0;
        const exists = (await readAll(intact, write.conversationId)) !== null;
        await trip();
        return intact.write(isFirst && !exists ? without(write, "expectedVersion") : write);
      },
    }),
  ),
};
