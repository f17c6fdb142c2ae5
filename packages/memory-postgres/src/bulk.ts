import { createBulkQueries, type Due, type DuePosition } from "./bulk-queries.ts";
import type { SqlClient, SqlRow, Statement } from "./client/port.ts";
import type { ResolvedNames } from "./schema/names.ts";

// The most that one statement deletes, so that it ends, and releases its locks, within a few milliseconds.
const BATCH_CONVERSATIONS = 25;
const BATCH_MESSAGES = 250;

const PAGE_OF_USER = 1_000;

// Few enough for the planner to follow an index also in a database that was never analyzed.
const PAGE_OF_DUE = 100;

interface Listed {
  readonly conversationId: string;
  readonly messages: number;
}

/** How much to delete at most, but one conversation at least. */
export interface Share {
  readonly conversations: number;
  readonly messages: number;
}

/** What was deleted, and how many conversations of that had not expired. */
interface Deleted {
  readonly conversations: number;
  readonly live: number;
}

export interface Bulk {
  /** Deletes a user's conversations and creates a tombstone of each. Returns how many there were, without expired ones. */
  readonly clearUser: (userId: string) => Promise<number>;
  /** Deletes all that are due. */
  readonly sweep: (due: Due) => Promise<Deleted>;
  /** Deletes some that are due, the longest due first. Returns whether there may be more. */
  readonly sweepSome: (due: Due, most: Share) => Promise<boolean>;
  /** Deletes at most this many expired tombstones. Returns whether there may be more. */
  readonly sweepTombstones: (most: number) => Promise<boolean>;
}

const toListed = (row: SqlRow): Listed => ({
  conversationId: JSON.parse(row["id"] ?? "") as string,
  messages: Number(row["messages"]),
});

const toPosition = (row: SqlRow): DuePosition => ({
  time: Number(row["time"]),
  conversationId: toListed(row).conversationId,
});

const sum = (a: Deleted, b: Deleted): Deleted => ({
  conversations: a.conversations + b.conversations,
  live: a.live + b.live,
});

const NOTHING: Deleted = { conversations: 0, live: 0 };

/** A conversation that is larger than a batch is one by itself. */
function toBatches(listed: readonly Listed[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let messages = 0;
  for (const conversation of listed) {
    messages += conversation.messages;
    const last = batches.at(-1);
    if (last === undefined || last.length === BATCH_CONVERSATIONS || messages > BATCH_MESSAGES) {
      batches.push([conversation.conversationId]);
      messages = conversation.messages;
    } else {
      last.push(conversation.conversationId);
    }
  }
  return batches;
}

/** The first of them, as many as have no more messages than that together, but one at least. */
function takeShare(rows: readonly SqlRow[], messages: number): readonly SqlRow[] {
  let left = messages;
  const end = rows.findIndex((row) => {
    left -= toListed(row).messages;
    return left < 0;
  });
  return end === -1 ? rows : rows.slice(0, Math.max(end, 1));
}

/** Deletes many conversations, each one whole, but not all at once. */
export function createBulk(sql: SqlClient, names: ResolvedNames): Bulk {
  const queries = createBulkQueries(names);

  async function deleteListed(
    rows: readonly SqlRow[],
    toDelete: (ids: readonly string[]) => Statement,
  ): Promise<Deleted> {
    let deleted = NOTHING;
    for (const ids of toBatches(rows.map(toListed))) {
      const [row] = await sql.query(toDelete(ids));
      deleted = sum(deleted, { conversations: Number(row?.["deleted"]), live: Number(row?.["were_live"]) });
    }
    return deleted;
  }

  async function clearUser(userId: string): Promise<number> {
    let cleared = 0;
    let after: string | undefined = "";
    while (after !== undefined) {
      const rows = await sql.query(queries.listOwn(userId, after, PAGE_OF_USER));
      cleared += (await deleteListed(rows, (ids) => queries.deleteOwn(userId, ids))).live;
      const last = rows.length < PAGE_OF_USER ? undefined : rows.at(-1);
      after = last && toListed(last).conversationId;
    }
    return cleared;
  }

  async function sweepPage(due: Due, limit: number, after?: DuePosition) {
    const rows = await sql.query(queries.listDue(due, after, limit));
    const deleted = await deleteListed(rows, (ids) => queries.deleteDue(due, ids));
    const last = rows.length < limit ? undefined : rows.at(-1);
    return { deleted, next: last && toPosition(last) };
  }

  async function sweep(due: Due): Promise<Deleted> {
    let page = await sweepPage(due, PAGE_OF_DUE);
    let total = page.deleted;
    while (page.next !== undefined) {
      page = await sweepPage(due, PAGE_OF_DUE, page.next);
      total = sum(total, page.deleted);
    }
    return total;
  }

  async function sweepSome(due: Due, { conversations, messages }: Share): Promise<boolean> {
    const rows = await sql.query(queries.listDue(due, undefined, conversations));
    const share = takeShare(rows, messages);
    await deleteListed(share, (ids) => queries.deleteDue(due, ids));
    return share.length < rows.length || rows.length === conversations;
  }

  async function sweepTombstones(most: number): Promise<boolean> {
    const [row] = await sql.query(queries.deleteTombstones(most));
    return Number(row?.["deleted"]) === most;
  }

  return { clearUser, sweep, sweepSome, sweepTombstones };
}
