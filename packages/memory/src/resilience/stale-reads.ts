import type { ConversationMemory, MemoryQuery } from "../provider.ts";

const MAX_CONVERSATIONS = 100_000;

/** Which conversations were last read from the fallback: the last 100,000 of them. */
export interface StaleReads {
  readonly has: (conversationId: string) => boolean;
  readonly add: (conversationId: string) => void;
  readonly remove: (conversationId: string) => void;
}

export function createStaleReads(): StaleReads {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.delete(id); // To the end: what was read last is forgotten last.
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > MAX_CONVERSATIONS && oldest !== undefined) ids.delete(oldest);
    },
    remove: (id) => void ids.delete(id),
  };
}

/** The conversations that a listing returned, and the one that it was asked for. */
export const idsOf = (query: MemoryQuery, found: readonly ConversationMemory[]): readonly string[] => [
  ...(query.conversationId === undefined ? [] : [query.conversationId]),
  ...found.map(({ conversationId }) => conversationId),
];
