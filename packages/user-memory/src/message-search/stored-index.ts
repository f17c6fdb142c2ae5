import type { MemoryProvider, Result } from "@jaf/memory";
import { createFailure, createSuccess } from "@jaf/memory/adapter";
import { isVersionedProvider } from "@jaf/memory/internal";
import type { MessageIndex } from "./message-index.ts";
import type { SearchedIndex } from "./searched-index.ts";
import { matchStored } from "./stored-matching.ts";
import { refreshStored } from "./stored-refresh.ts";

/** About how many messages a search indexes, so that it ends soon. */
const INDEXED_BY_SEARCH = 1_000;

/** Uses an index that is stored with the conversations of `provider`. Throws a `TypeError` if they have no versions. */
export function openStoredIndex(provider: MemoryProvider, index: MessageIndex): SearchedIndex {
  if (!isVersionedProvider(provider))
    throw new TypeError(
      "createMessageSearch: a stored index needs a provider whose conversations have versions",
    );

  async function guarded<T>(operation: string, run: () => Promise<Result<T>>): Promise<Result<T>> {
    try {
      return await run();
    } catch (thrown) {
      return createFailure(index.toMemoryError(operation, thrown));
    }
  }

  return {
    drop: () => {},
    refresh: (userId, { maxMessages, yieldIfDue }) =>
      guarded("refresh", () => refreshStored({ provider, index, userId, yieldIfDue }, maxMessages)),
    match: (userId, query, options) =>
      guarded("searchMessages", async () => {
        const scope = { provider, index, userId, yieldIfDue: options.yieldIfDue };
        const refreshed = await refreshStored(scope, INDEXED_BY_SEARCH);
        if (!refreshed.success) return refreshed;
        return createSuccess(await matchStored(query, { index, userId, ...options }));
      }),
  };
}
