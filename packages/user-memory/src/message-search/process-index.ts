import type { MemoryProvider } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/adapter";
import { matchSegments } from "./matching.ts";
import type { SearchedIndex } from "./searched-index.ts";
import { type IndexSettings, openUserIndexes } from "./user-indexes.ts";

/** Opens an index in the memory of this process. */
export function openProcessIndex(provider: MemoryProvider, settings: IndexSettings): SearchedIndex {
  const indexes = openUserIndexes(provider, settings);
  return {
    drop: indexes.drop,
    match: async (userId, query, options) => {
      const segments = await indexes.refreshed(userId, options.yieldIfDue);
      return segments.success ? createSuccess(await matchSegments(segments.data, query, options)) : segments;
    },
    refresh: async (userId, { yieldIfDue }) => {
      const segments = await indexes.refreshed(userId, yieldIfDue);
      return segments.success ? createSuccess({ read: 0, isComplete: true }) : segments;
    },
  };
}
