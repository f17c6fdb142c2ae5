import type { ConversationMemory, MemoryProvider, MemoryQuery } from "../../packages/memory/src/index.ts";
import { parsePart, traceOf } from "./batch.ts";
import { groupBy } from "./group.ts";

const idsOf = (conversations: readonly ConversationMemory[]): Set<string> =>
  new Set(conversations.map(({ conversationId }) => conversationId));

function compare(title: string, found: readonly ConversationMemory[], expected: ReadonlySet<string>) {
  const ids = idsOf(found);
  const problems = [
    ...[...expected].filter((id) => !ids.has(id)).map((id) => `${title} doesn't find ${id}`),
    ...[...ids].filter((id) => !expected.has(id)).map((id) => `${title} finds ${id}`),
  ];
  if (found.length !== ids.size) problems.push(`${title} finds a conversation twice`);
  return problems;
}

async function checkFind(
  provider: MemoryProvider,
  query: MemoryQuery,
  expected: readonly ConversationMemory[],
): Promise<string[]> {
  const title = `find ${JSON.stringify(query)}`;
  const found = await provider.findConversations({ ...query, includeMessages: false });
  if (!found.success) return [`${title}: ${found.error.message}`];
  const problems = compare(title, found.data, idsOf(expected));
  const totals = new Map(expected.map(({ conversationId, messages }) => [conversationId, messages.length]));
  for (const { conversationId, metadata } of found.data)
    if (metadata?.totalMessages !== totals.get(conversationId))
      problems.push(`${title} says ${conversationId} has ${metadata?.totalMessages} messages`);
  return problems;
}

async function checkStats(
  provider: MemoryProvider,
  stored: readonly ConversationMemory[],
  userId?: string,
): Promise<string[]> {
  const stats = await (userId === undefined ? provider.getStats() : provider.getStats(userId));
  if (!stats.success) return [`stats: ${stats.error.message}`];
  const messages = stored.reduce((sum, conversation) => sum + conversation.messages.length, 0);
  const { totalConversations, totalMessages } = stats.data;
  return totalConversations === stored.length && totalMessages === messages
    ? []
    : [
        `stats of ${userId ?? "all"} say ${totalConversations} conversations with ${totalMessages} messages, ` +
          `not ${stored.length} with ${messages}`,
      ];
}

const writersOf = ({ messages }: ConversationMemory): Set<number> =>
  new Set(messages.flatMap((message) => parsePart(message)?.writer ?? []));

/** Compares the indexes of users and traces, and the statistics, with all stored conversations. */
export async function checkFinds(
  provider: MemoryProvider,
  stored: readonly ConversationMemory[],
): Promise<string[]> {
  const problems = await checkStats(provider, stored);
  for (const [userId, own] of groupBy(stored, (conversation) => conversation.userId ?? "")) {
    problems.push(...(await checkFind(provider, { userId }, own)));
    problems.push(...(await checkStats(provider, own, userId)));
  }
  const writers = stored.map(writersOf);
  for (const writer of new Set(writers.flatMap((some) => [...some]))) {
    const written = stored.filter((_, index) => writers[index]?.has(writer));
    problems.push(...(await checkFind(provider, { traceId: traceOf(writer) }, written)));
  }
  return problems;
}
