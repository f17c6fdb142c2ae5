import { encodeQuery } from "../codec/encode-query.ts";
import type { ConversationMemory, MemoryProvider, MemoryQuery, MemoryStats } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";
import { DEAD_LETTER_TRACE, isReservedId, JOURNAL_TRACE } from "./reserved-ids.ts";

const isVisible = ({ conversationId }: ConversationMemory): boolean => !isReservedId(conversationId);

/** How many journals and dead letters the fallback holds. */
async function countReserved(fallback: MemoryProvider): Promise<Result<number>> {
  let count = 0;
  for (const traceId of [JOURNAL_TRACE, DEAD_LETTER_TRACE]) {
    const found = await fallback.findConversations({ traceId, includeMessages: false });
    if (!found.success) return found;
    count += found.data.filter((one) => !isVisible(one)).length;
  }
  return createSuccess(count);
}

/** What the fallback finds, without what it keeps for `withFallback`. */
export async function findVisible(
  fallback: MemoryProvider,
  query: MemoryQuery,
): Promise<Result<ConversationMemory[]>> {
  if (!encodeQuery(query).ok) return fallback.findConversations(query); // It says what is wrong.
  const { limit, offset: skipped = 0, ...rest } = query;
  if (limit === undefined && skipped === 0) {
    const found = await fallback.findConversations(query);
    return found.success ? createSuccess(found.data.filter(isVisible)) : found;
  }
  const reserved = await countReserved(fallback);
  if (!reserved.success) return reserved;
  if (reserved.data === 0) return fallback.findConversations(query);
  // A page is a page of what is visible.
  const end = limit === undefined ? undefined : skipped + limit;
  const found = await fallback.findConversations(
    end === undefined ? rest : { ...rest, limit: end + reserved.data },
  );
  return found.success ? createSuccess(found.data.filter(isVisible).slice(skipped, end)) : found;
}

/** What the fallback counts, without what it keeps for `withFallback`. */
export async function visibleStats(
  fallback: MemoryProvider,
  user: Parameters<MemoryProvider["getStats"]>,
): Promise<Result<MemoryStats>> {
  const stats = await fallback.getStats(...user);
  if (!stats.success) return stats;
  const reserved = await countReserved(fallback);
  if (!reserved.success) return reserved;
  if (reserved.data === 0) return stats;
  const [userId] = user;
  const query = { ...(userId === undefined ? {} : { userId }), includeMessages: false };
  const found = await fallback.findConversations(query);
  return found.success ? createSuccess(statsOf(found.data.filter(isVisible))) : found;
}

function statsOf(conversations: readonly ConversationMemory[]): MemoryStats {
  const times = conversations
    .flatMap(({ metadata }) => (metadata === undefined ? [] : [metadata.createdAt.getTime()]))
    .sort((a, b) => a - b);
  const oldest = times[0];
  const newest = times.at(-1);
  return {
    totalConversations: conversations.length,
    totalMessages: conversations.reduce((sum, { metadata }) => sum + (metadata?.totalMessages ?? 0), 0),
    ...(oldest === undefined ? {} : { oldestConversation: new Date(oldest) }),
    ...(newest === undefined ? {} : { newestConversation: new Date(newest) }),
  };
}
