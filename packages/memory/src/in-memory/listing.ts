import type { ConversationQuery, StoredConversation } from "../backend/backend.ts";
import type { MemoryStats } from "../provider.ts";

interface Listed {
  readonly conversationId: string;
  readonly userId: string | undefined;
  readonly lastActivity: Date;
  readonly traceIds: ReadonlySet<string>;
}

/** Those of all conversations that a query asks for, in its order. */
export function selectConversations<T extends Listed>(
  conversations: readonly T[],
  query: ConversationQuery,
): readonly T[] {
  const end = query.limit === undefined ? undefined : query.offset + query.limit;
  return conversations
    .filter((conversation) => matches(conversation, query))
    .sort(byActivity)
    .slice(query.offset, end);
}

function matches(listed: Listed, { traceId, userId, since, until, cursor }: ConversationQuery): boolean {
  const { lastActivity, conversationId } = listed;
  return (
    (userId === undefined || listed.userId === userId) &&
    (traceId === undefined || listed.traceIds.has(traceId)) &&
    (since === undefined || lastActivity >= since) &&
    (until === undefined || lastActivity <= until) &&
    (cursor === undefined ||
      lastActivity < cursor.lastActivity ||
      (lastActivity.getTime() === cursor.lastActivity.getTime() && conversationId < cursor.conversationId))
  );
}

const byActivity = (a: Listed, b: Listed): number =>
  b.lastActivity.getTime() - a.lastActivity.getTime() || (a.conversationId < b.conversationId ? 1 : -1);

export function statsOf(
  counted: readonly Pick<StoredConversation, "createdAt" | "totalMessages">[],
): MemoryStats {
  const all = counted.map(({ createdAt }) => createdAt.getTime());
  // The epoch stands for a time that isn't known.
  const times = all.filter((time) => time > 0).sort((a, b) => a - b);
  const [oldest] = times;
  const newest = times.at(-1);
  return {
    totalConversations: counted.length,
    totalMessages: counted.reduce((sum, { totalMessages }) => sum + totalMessages, 0),
    ...(oldest === undefined ? {} : { oldestConversation: new Date(oldest) }),
    ...(newest === undefined ? {} : { newestConversation: new Date(newest) }),
  };
}
