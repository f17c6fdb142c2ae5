import type { MemoryBackend, StoredConversation } from "../../../src/contract/backend.ts";
import { type Layer, readAll, trip } from "./backend.ts";

/** A query for all conversations of a list. */
export const all = { offset: 0, includeMessages: true };

export const childrenOf = (backend: MemoryBackend, conversationId: string) =>
  backend.find({ ...all, childrenOf: conversationId });

/** Returns the descendants of a conversation, each after its parent. */
export async function descendantsOf(
  backend: MemoryBackend,
  conversationId: string,
): Promise<readonly StoredConversation[]> {
  const children = await childrenOf(backend, conversationId);
  const deeper = await Promise.all(children.map((child) => descendantsOf(backend, child.conversationId)));
  return [...children, ...deeper.flat()];
}

/** Stores a deleted conversation again, as if it had not been deleted. */
export const keep = (backend: MemoryBackend, { conversationId, userId, incarnation }: StoredConversation) =>
  backend.write({
    ...{ mode: "append", conversationId, messages: [], metadata: {}, create: { incarnation } },
    ...(userId === undefined ? {} : { userId }),
  });

/** Finds the parent of a write by its id, whatever its incarnation. */
export const knowingById: Layer = (intact) => ({
  write: async (write) => {
    if (write.childOf === undefined) return intact.write(write);
    await trip();
    const parent = await readAll(intact, write.childOf.conversationId);
    const { incarnation } = parent ?? write.childOf;
    return intact.write({ ...write, childOf: { ...write.childOf, incarnation } });
  },
});
