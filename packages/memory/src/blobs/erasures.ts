import { conversationCursor } from "../codec/cursor.ts";
import { idIssue } from "../codec/ids.ts";
import { createSuccess, type Result } from "../result.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";
import { type Collecting, collectBlobs, failedIn } from "./garbage-collection.ts";

const OF_USER_AT_ONCE = 500;
const COLLECTED_AT_ONCE = 16;

async function conversationsOf(
  provider: VersionedMemoryProvider,
  userId: string,
): Promise<Result<readonly string[]>> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { userId, limit: OF_USER_AT_ONCE, includeMessages: false };
    const page = await provider.findConversations(cursor === undefined ? query : { ...query, cursor });
    if (!page.success) return page;
    found.push(...page.data.map(({ conversationId }) => conversationId));
    const last = page.data.length < OF_USER_AT_ONCE ? undefined : page.data.at(-1);
    cursor = last === undefined ? undefined : conversationCursor(last);
  } while (cursor !== undefined);
  return createSuccess(found);
}

/** The provider's deletions, which fail where blobs stay behind. */
export function createErasures(
  collecting: Collecting,
): Pick<VersionedMemoryProvider, "deleteConversation" | "clearUserConversations"> {
  const { provider } = collecting;
  return {
    deleteConversation: async (conversationId) => {
      const deleted = await provider.deleteConversation(conversationId);
      if (!deleted.success) return deleted;
      const collected = await collectBlobs(collecting, conversationId);
      return collected.success ? deleted : failedIn("deleteConversation", collected);
    },

    clearUserConversations: async (userId) => {
      if (idIssue("", userId) !== undefined) return provider.clearUserConversations(userId);
      // Before, since afterwards nobody knows them.
      const found = await conversationsOf(provider, userId);
      if (!found.success) return failedIn("clearUserConversations", found);
      const cleared = await provider.clearUserConversations(userId);
      if (!cleared.success) return cleared;
      for (let from = 0; from < found.data.length; from += COLLECTED_AT_ONCE) {
        const some = found.data.slice(from, from + COLLECTED_AT_ONCE);
        const results = await Promise.all(some.map((id) => collectBlobs(collecting, id)));
        for (const collected of results)
          if (!collected.success) return failedIn("clearUserConversations", collected);
      }
      return cleared;
    },
  };
}
