import type { ConversationQuery } from "@jaf/memory";
import type { FoundHead, ReadHeads } from "./heads.ts";
import type { Indexes } from "./indexes.ts";
import type { Keys } from "./keys.ts";
import type { Head } from "./replies.ts";
import type { RunScript } from "./scripts/runner.ts";
import { compareEntries, createWalk, type Entry, mergeWalks, type Range, type Walk } from "./walk.ts";

/** Entries looked at in one go. */
const BATCH = 100;

/** How often a listing begins anew, since an index was found to be wrong and was mended. */
const ATTEMPTS = 5;

const asEntry = ({ conversationId, lastActivity }: Pick<Head, "conversationId" | "lastActivity">) => ({
  id: conversationId,
  score: lastActivity.getTime(),
});

const newestFirst = (a: Head, b: Head): number => compareEntries(asEntry(b), asEntry(a));

/** What the conversation itself says; an index may be behind. */
function matches(head: Head, { userId, since, until, cursor }: ConversationQuery): boolean {
  return (
    (userId === undefined || head.userId === userId) &&
    (since === undefined || head.lastActivity >= since) &&
    (until === undefined || head.lastActivity <= until) &&
    (cursor === undefined || compareEntries(asEntry(head), asEntry(cursor)) < 0)
  );
}

function rangeOf({ since, until, cursor }: ConversationQuery): Range {
  return {
    order: "newest",
    fromMs: since?.getTime(),
    toMs: until?.getTime(),
    after: cursor && asEntry(cursor),
  };
}

export interface ListingOptions {
  readonly run: RunScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly readHeads: ReadHeads;
}

export function createListing({ run, keys, indexes, readHeads }: ListingOptions) {
  const endOf = ({ offset, limit }: ConversationQuery): number =>
    offset + (limit ?? Number.POSITIVE_INFINITY);

  /**
   * Looks at what the entries stand for, and mends the index where it is wrong. `reordered`: an entry stood further to
   * the front than it belongs, so that what was read is no page.
   */
  async function look(entries: readonly Entry[], query: ConversationQuery) {
    const found = await readHeads(
      entries.map(({ id }) => id),
      { traceId: query.traceId },
    );
    let reordered = false;
    const heads: Head[] = [];
    const mend = async ({ head, seenAtMs }: FoundHead, entry: Entry) => {
      const gone = head === undefined || (query.userId !== undefined && head.userId !== query.userId);
      // A trace's index may hold other users' conversations, too.
      if (gone && (query.traceId === undefined || head === undefined)) {
        await indexes.remove(entry.index, entry.id, seenAtMs);
      }
      if (gone || head === undefined) return;
      const lastActivityMs = head.lastActivity.getTime();
      if (query.traceId === undefined && entry.score !== lastActivityMs) {
        await indexes.mend(entry.index, entry, lastActivityMs);
        reordered ||= entry.score > lastActivityMs;
      }
      if (matches(head, query)) heads.push(head);
    };
    await Promise.all(
      entries.map((entry, at) => {
        const head = found[at];
        return head === undefined ? undefined : mend(head, entry);
      }),
    );
    return { heads, reordered };
  }

  async function page(walk: Walk, query: ConversationQuery): Promise<Head[] | undefined> {
    const end = endOf(query);
    const heads: Head[] = [];
    while (heads.length < end) {
      const entries = await walk(Math.min(BATCH, end - heads.length));
      if (entries.length === 0) break;
      const seen = await look(entries, query);
      if (seen.reordered) return undefined;
      heads.push(...seen.heads);
    }
    return heads.sort(newestFirst).slice(query.offset, end);
  }

  /** By user, or of all: the index has the order of the listing, so that a page costs what it holds. */
  async function listByActivity(query: ConversationQuery): Promise<readonly Head[]> {
    const indexKeys = query.userId === undefined ? keys.recencyIndexes : [keys.userIndex(query.userId)];
    for (let attempt = 1; ; attempt++) {
      const walks = indexKeys.map((index) => createWalk(run, index, rangeOf(query)));
      const heads = await page(mergeWalks(walks), query);
      if (heads !== undefined) return heads;
      if (attempt === ATTEMPTS) return listAll(mergeWalks(indexKeys.map(walkAll)), query);
    }
  }

  const walkAll = (index: string): Walk => createWalk(run, index, { order: "newest" });

  /** Whatever the index's order is. */
  async function listAll(walk: Walk, query: ConversationQuery): Promise<readonly Head[]> {
    const byId = new Map<string, Head>();
    for (;;) {
      const entries = await walk(BATCH);
      if (entries.length === 0) break;
      for (const head of (await look(entries, query)).heads) byId.set(head.conversationId, head);
    }
    return [...byId.values()].sort(newestFirst).slice(query.offset, endOf(query));
  }

  async function listOne(conversationId: string, query: ConversationQuery): Promise<readonly Head[]> {
    const [found] = await readHeads([conversationId], { traceId: query.traceId });
    const heads = found?.head !== undefined && matches(found.head, query) ? [found.head] : [];
    return heads.slice(query.offset, endOf(query));
  }

  /** Without messages, newest activity first. */
  return (query: ConversationQuery): Promise<readonly Head[]> => {
    if (query.conversationId !== undefined) return listOne(query.conversationId, query);
    // A trace has few conversations, in the order in which it came to them.
    if (query.traceId !== undefined) return listAll(walkAll(keys.traceIndex(query.traceId)), query);
    return listByActivity(query);
  };
}
