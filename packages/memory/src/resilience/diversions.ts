import { createKeyedQueue } from "../async/keyed-queue.ts";
import type { MemoryProvider } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";

/** Conversations with messages in the fallback: they stay there, so that no history goes back and forth. */
export interface Diversions {
  readonly add: (conversationId: string) => void;
  /** Forgets it after a deletion that succeeded. */
  readonly removing: <T>(conversationId: string, remove: () => Promise<Result<T>>) => Promise<Result<T>>;
  /**
   * Runs what concerns a diverted conversation `there`, anything else `elsewhere`. Writes of one conversation, and
   * reads of a diverted one, come one after another: whether it is diverted must not change in between.
   */
  readonly read: <T>(conversationId: string, routes: Routes<T>) => Promise<Result<T>>;
  readonly write: <T>(conversationId: string, routes: Routes<T>) => Promise<Result<T>>;
  /** Forgets those of a user that `clear` deleted. */
  readonly clearing: <T>(userId: string, clear: () => Promise<Result<T>>) => Promise<Result<T>>;
}

interface Routes<T> {
  readonly there: () => Promise<Result<T>>;
  readonly elsewhere: () => Promise<Result<T>>;
}

export function createDiversions(fallback: MemoryProvider): Diversions {
  const diverted = new Set<string>();
  const queue = createKeyedQueue();

  /** What the fallback has lost, by its limits, a ttl or a deletion, is the primary's again. */
  async function isDiverted(conversationId: string): Promise<Result<boolean>> {
    if (!diverted.has(conversationId)) return createSuccess(false);
    const found = await fallback.findConversations({ conversationId, includeMessages: false });
    if (!found.success) return found;
    if (found.data.length === 0) diverted.delete(conversationId);
    return createSuccess(found.data.length > 0);
  }

  const write = <T>(conversationId: string, { there, elsewhere }: Routes<T>): Promise<Result<T>> =>
    queue.run(conversationId, async () => {
      const found = await isDiverted(conversationId);
      if (!found.success) return found;
      return found.data ? there() : elsewhere();
    });

  return {
    add: (id) => void diverted.add(id),
    removing: (id, remove) =>
      queue.run(id, async () => {
        const result = await remove();
        if (result.success) diverted.delete(id);
        return result;
      }),
    read: (id, routes) => (diverted.has(id) ? write(id, routes) : routes.elsewhere()),
    write,
    clearing: async (userId, clear) => {
      const owned =
        diverted.size === 0
          ? createSuccess([])
          : await fallback.findConversations({ userId, includeMessages: false });
      const result = await clear();
      const ids = owned.success ? owned.data.map(({ conversationId }) => conversationId) : [];
      await Promise.all(ids.map((id) => queue.run(id, () => isDiverted(id))));
      return result;
    },
  };
}
