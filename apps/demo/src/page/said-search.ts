import type { MemoryProvider } from "@jaf/memory";
import { createMessageSearch } from "@jaf/user-memory";
import { Failure } from "../failure.ts";

const MOST_MESSAGES = 200;
const LONGEST_QUERY = 200;

/** Finds by words the conversations in which the user or the assistant said them. Throws a {@link Failure}. */
export function createSaidSearch(
  provider: MemoryProvider,
  userId: string,
): (query: string) => Promise<readonly string[]> {
  const messages = createMessageSearch(provider);
  return async (query) => {
    const found = await messages.search(userId, query.slice(0, LONGEST_QUERY), { limit: MOST_MESSAGES });
    if (!found.success) throw new Failure(found.error.message);
    return [...new Set(found.data.map(({ conversationId }) => conversationId))];
  };
}
