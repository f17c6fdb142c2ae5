import type { MemoryStats } from "@jaf/memory";
import type { ConversationQuery } from "@jaf/memory/adapter";
import type { Keys } from "../keys.ts";
import type { Head, ReadHeads } from "./head.ts";
import {
  compareEntries,
  createScan,
  type Entry,
  type EveryEntry,
  mergeScans,
  type Range,
  type Scan,
} from "./index-scan.ts";
import type { Indexes } from "./indexes.ts";
import { LISTED_FROM } from "./scores.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/** The number of index entries that a listing reads in one step. */
const BATCH = 100;

const asEntry = ({ conversationId, lastActivity }: Pick<Head, "conversationId" | "lastActivity">) => ({
  id: conversationId,
  score: lastActivity.getTime(),
});

const newestFirst = (a: Head, b: Head): number => compareEntries(asEntry(b), asEntry(a));

function isInFamily(
  { childOf }: Pick<Head, "childOf">,
  { conversationId, childrenOf }: ConversationQuery,
): boolean {
  if (childrenOf !== undefined) return childOf === childrenOf;
  return conversationId !== undefined || childOf === undefined;
}

/** Returns whether a conversation matches all conditions of a query but the trace, which `readHeads` checks. */
export function matches(
  head: Pick<Head, "conversationId" | "userId" | "childOf" | "lastActivity">,
  query: ConversationQuery,
): boolean {
  const { userId, since, until, cursor } = query;
  return (
    isInFamily(head, query) &&
    (userId === undefined || head.userId === userId) &&
    (since === undefined || head.lastActivity >= since) &&
    (until === undefined || head.lastActivity <= until) &&
    (cursor === undefined || compareEntries(asEntry(head), asEntry(cursor)) < 0)
  );
}

function rangeOf(order: Range["order"], { since, until, cursor }: ConversationQuery): ListedRange {
  const toMs = Math.min(
    until?.getTime() ?? Number.POSITIVE_INFINITY,
    cursor?.lastActivity.getTime() ?? Number.POSITIVE_INFINITY,
  );
  return {
    order,
    fromMs: since?.getTime() ?? LISTED_FROM,
    toMs,
    after: order === "newest" && cursor !== undefined ? asEntry(cursor) : undefined,
  };
}

type ListedRange = Range & { readonly fromMs: number };

/** A query, and the incarnation of the conversation `childrenOf`. */
interface Lookup extends ConversationQuery {
  // A child of an expired conversation with the same id has another `parentIncarnation`.
  readonly parentIncarnation?: string;
}

export interface ListingOptions {
  readonly run: RunConversationScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly readHeads: ReadHeads;
}

export function createListing({ run, keys, indexes, readHeads }: ListingOptions) {
  const endOf = ({ offset, limit }: ConversationQuery): number =>
    offset + (limit ?? Number.POSITIVE_INFINITY);

  /**
   * Reads the conversations of index entries, and returns those that match the query. Repairs entries that are wrong.
   */
  async function look(entries: readonly Entry[], query: Lookup): Promise<readonly Head[]> {
    const { userId, traceId, childrenOf, parentIncarnation } = query;
    const ids = entries.map(({ id }) => id);
    const found = await readHeads(ids, { traceId });
    const repairs: Promise<void>[] = [];
    const heads: Head[] = [];
    // A trace's index holds conversations of several users, in the order of the trace's first writes to them.
    const byTrace = traceId !== undefined;
    const byUser = !byTrace && childrenOf === undefined && userId !== undefined;
    for (const [at, entry] of entries.entries()) {
      const { head, seenAtMs = 0 } = found[at] ?? {};
      if (head === undefined || (byUser && head.userId !== userId)) {
        repairs.push(indexes.repair.remove(entry, seenAtMs));
        continue;
      }
      // Another conversation may have this id since the entry was made.
      if (
        !isInFamily(head, query) ||
        (childrenOf !== undefined && head.parentIncarnation !== parentIncarnation)
      )
        continue;
      const lastActivityMs = head.lastActivity.getTime();
      if (!byTrace && entry.score !== lastActivityMs)
        repairs.push(indexes.repair.correct(entry, lastActivityMs, seenAtMs));
      if (matches(head, query)) heads.push(head);
    }
    await Promise.all(repairs);
    return heads;
  }

  const scanOf = (indexKeys: readonly string[], range: Range): Scan =>
    mergeScans(
      indexKeys.map((index) => createScan(run, index, range)),
      range.order,
    );

  const indexesFor = ({ userId, traceId, childrenOf }: ConversationQuery): readonly string[] => {
    if (childrenOf !== undefined) return [keys.of(childrenOf).children];
    if (traceId !== undefined) return [keys.traceIndex(traceId)];
    return userId === undefined ? keys.recencyIndexes : [keys.userIndex(userId)];
  };

  /** Reads all matching conversations, the oldest first. */
  async function everyHead(query: Lookup, range: Range): Promise<Map<string, Head>> {
    // A concurrent write moves its conversation to the end of the index, where this scan still finds it.
    const scan = scanOf(indexesFor(query), range);
    const heads = new Map<string, Head>();
    for (;;) {
      const entries = await scan(BATCH);
      if (entries.length === 0) return heads;
      for (const head of await look(entries, query)) heads.set(head.conversationId, head);
    }
  }

  const pageOf = (heads: Iterable<Head>, query: ConversationQuery): readonly Head[] =>
    [...heads].sort(newestFirst).slice(query.offset, endOf(query));

  /** Reads the matching conversations up to the end of the requested page, the newest first. */
  async function firstHeads(query: Lookup): Promise<Map<string, Head>> {
    const end = endOf(query);
    const scan = scanOf(indexesFor(query), rangeOf("newest", query));
    const heads = new Map<string, Head>();
    let settled = 0;
    let newest: number | undefined;
    let batches = 0;
    // An index entry may have a later time than its conversation, e.g. a reserved entry. So reading ends only when
    // enough conversations are at least as recent as the last index entry that was read.
    while (settled < end) {
      const entries = await scan(Math.min(BATCH, Math.max(1, end - settled)));
      const last = entries.at(-1);
      if (last === undefined) break;
      newest ??= entries[0]?.score;
      batches += 1;
      for (const head of await look(entries, query)) heads.set(head.conversationId, head);
      settled = 0;
      for (const head of heads.values()) if (head.lastActivity.getTime() >= last.score) settled += 1;
    }
    if (batches < 2 || newest === undefined) return heads;
    // Conversations written since the first batch have moved ahead of it.
    const { fromMs, ...range } = rangeOf("oldest", query);
    const moved = await everyHead(query, { ...range, fromMs: Math.max(fromMs, newest) });
    return new Map([...heads, ...moved]);
  }

  async function listOne(conversationId: string, query: Lookup): Promise<readonly Head[]> {
    const { traceId, childrenOf, parentIncarnation } = query;
    const [{ head } = {}] = await readHeads([conversationId], { traceId });
    if (head === undefined || !matches(head, query)) return [];
    return childrenOf === undefined || head.parentIncarnation === parentIncarnation ? [head] : [];
  }

  async function listByTrace(traceId: string, query: Lookup): Promise<Iterable<Head>> {
    // A trace has few conversations, and its index has another order.
    if (query.childrenOf === undefined) return (await everyHead(query, { order: "oldest" })).values();
    // The index of a trace has no children.
    const { traceId: _, ...ofAllTraces } = query;
    const children = [...(await everyHead(ofAllTraces, rangeOf("oldest", query))).values()];
    const ids = children.map(({ conversationId }) => conversationId);
    const written = await readHeads(ids, { traceId });
    return children.filter((_, at) => written[at]?.head !== undefined);
  }

  async function list(query: Lookup): Promise<Iterable<Head>> {
    if (query.conversationId !== undefined) return listOne(query.conversationId, query);
    if (query.traceId !== undefined) return listByTrace(query.traceId, query);
    const heads = query.limit === undefined ? everyHead(query, rangeOf("oldest", query)) : firstHeads(query);
    return (await heads).values();
  }

  /** Lists conversations without their messages. The one with the newest activity comes first. */
  return async (query: ConversationQuery): Promise<readonly Head[]> => {
    const { childrenOf } = query;
    if (childrenOf === undefined) return pageOf(await list(query), query);
    const [{ head: parent } = {}] = await readHeads([childrenOf]);
    if (parent === undefined) return [];
    return pageOf(await list({ ...query, parentIncarnation: parent.incarnation }), query);
  };
}

export interface StatsOptions extends Pick<ListingOptions, "keys" | "indexes" | "readHeads"> {
  readonly everyEntry: EveryEntry;
}

/** Returns a function that counts the conversations and messages of one user, or of all users. */
export function createStats({ keys, indexes, readHeads, everyEntry }: StatsOptions) {
  return async (userId?: string): Promise<MemoryStats> => {
    let [conversations, messages] = [0, 0];
    let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const gone: Promise<void>[] = [];
    for (const index of userId === undefined ? keys.recencyIndexes : [keys.userIndex(userId)]) {
      for await (const entries of everyEntry(index, { fromMs: LISTED_FROM })) {
        const ids = entries.map(({ id }) => id);
        for (const { id, head, seenAtMs } of await readHeads(ids, { counts: true })) {
          if (head === undefined || (userId !== undefined && head.userId !== userId)) {
            gone.push(indexes.repair.remove({ index, id }, seenAtMs));
            continue;
          }
          if (head.childOf !== undefined) continue;
          conversations += 1;
          messages += head.totalMessages;
          oldest = Math.min(oldest, head.createdAt.getTime());
          newest = Math.max(newest, head.createdAt.getTime());
        }
      }
    }
    await Promise.all(gone);
    return {
      totalConversations: conversations,
      totalMessages: messages,
      ...(conversations === 0
        ? {}
        : { oldestConversation: new Date(oldest), newestConversation: new Date(newest) }),
    };
  };
}
