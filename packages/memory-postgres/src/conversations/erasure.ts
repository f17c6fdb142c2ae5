import { TOMBSTONE_SECONDS } from "@jaf/memory/adapter";
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { SqlClient } from "../client/clients.ts";
import type { SqlRow, Statement } from "../client/statement.ts";
import { jsonTextOf, millisecondsOf, statementTime, toStatement, toWrite } from "../client/statements.ts";
import { createConversationTables } from "../migrations/conversations.ts";
import { qualifiedName, type ResolvedNames } from "../table-names.ts";
import { conversationsOf } from "./rows.ts";

// The limits of one statement that deletes, so it ends and releases its locks within a few milliseconds.
const BATCH_CONVERSATIONS = 25;
const BATCH_MESSAGES = 250;

const PAGE_OF_USER = 1_000;

// Small enough that the planner uses an index even in a database that was never analyzed.
const PAGE_OF_DUE = 100;

interface Listed {
  readonly conversationId: string;
  readonly messages: number;
}

/**
 * Which conversations a sweep deletes: the expired ones, or those without activity for more than `olderThanDays` days.
 */
export type Due = { readonly olderThanDays: number } | "expired";

/** The last conversation of a page, and its time: the expiry for `"expired"`, the last activity for `olderThanDays`. */
export interface DuePosition {
  /** The time in milliseconds since 1970. It may be infinite. */
  // Rows may be written by hand.
  readonly time: number;
  readonly conversationId: string;
}

/** Upper limits of one deletion. At least one conversation is deleted, even if it exceeds them. */
export interface DeletionLimit {
  readonly conversations: number;
  readonly messages: number;
}

/** The number of deleted conversations without children, and how many of them had not expired (`live`). */
interface Deleted {
  readonly conversations: number;
  readonly live: number;
}

/** Which of a user's conversations a listing contains: those without a parent, or those with one. */
type OwnKind = "roots" | "children";

export interface BatchDeletion {
  /** Deletes a user's conversations and children. Returns how many of the conversations had not expired. */
  readonly clearUser: (userId: string) => Promise<number>;
  /** Deletes all conversations that `due` selects. */
  readonly sweep: (due: Due) => Promise<Deleted>;
  /** Deletes some of the conversations that `due` selects, the longest due first. Returns whether more may be left. */
  readonly sweepSome: (due: Due, most: DeletionLimit) => Promise<boolean>;
  /** Deletes at most `most` expired tombstones. Returns whether more may be left. */
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

/** Splits conversations into batches. A conversation that is too large for a batch gets a batch of its own. */
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

/** Returns the first rows that have at most this many messages in total, but at least one row. */
function takeWithin(rows: readonly SqlRow[], messages: number): readonly SqlRow[] {
  let left = messages;
  const end = rows.findIndex((row) => {
    left -= toListed(row).messages;
    return left < 0;
  });
  return end === -1 ? rows : rows.slice(0, Math.max(end, 1));
}

/** Returns functions that delete many conversations in batches. Each conversation is deleted as a whole. */
export function createBatchDeletion(sql: SqlClient, names: ResolvedNames): BatchDeletion {
  const queries = createBatchQueries(names);

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

  async function clearOwn(userId: string, kind: OwnKind): Promise<number> {
    let cleared = 0;
    let after: string | undefined = "";
    while (after !== undefined) {
      const rows = await sql.query(queries.listOwn(userId, kind, { after, limit: PAGE_OF_USER }));
      cleared += (await deleteListed(rows, (ids) => queries.deleteOwn(userId, ids))).live;
      const last = rows.length < PAGE_OF_USER ? undefined : rows.at(-1);
      after = last && toListed(last).conversationId;
    }
    return cleared;
  }

  async function clearUser(userId: string): Promise<number> {
    const cleared = await clearOwn(userId, "roots");
    // Only children are left whose parent has another owner or none.
    await clearOwn(userId, "children");
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

  async function sweepSome(due: Due, { conversations, messages }: DeletionLimit): Promise<boolean> {
    const rows = await sql.query(queries.listDue(due, undefined, conversations));
    const taken = takeWithin(rows, messages);
    await deleteListed(taken, (ids) => queries.deleteDue(due, ids));
    return taken.length < rows.length || rows.length === conversations;
  }

  async function sweepTombstones(most: number): Promise<boolean> {
    const [row] = await sql.query(queries.deleteTombstones(most));
    return Number(row?.["deleted"]) === most;
  }

  return { clearUser, sweep, sweepSome, sweepTombstones };
}

const SECONDS_PER_DAY = 86_400;

// The maximum age in days. It reaches back before the first possible write, and is still within Postgres's range of
// years.
const MOST_DAYS = 2_000_000;

/** Creates the statements that delete conversations in batches. */
export function createBatchQueries(names: ResolvedNames) {
  const { columns: conversations, source, live, isRoot } = conversationsOf(names);
  const { conversationId, userId, parentId, totalMessages, lastActivity, expiresAt } = conversations;

  const { tombstones } = createConversationTables(names);

  const columns = sql`${jsonTextOf(conversationId)} AS id, ${totalMessages}::text AS messages`;

  const isOneOf = (ids: readonly string[]): SQL => sql`${conversationId} = ANY (${sql.param(ids)}::text[])`;

  const ageOf = (days: number): SQL =>
    sql`make_interval(secs => ${Math.min(days, MOST_DAYS) * SECONDS_PER_DAY}::float8)`;

  // The comparison with `-infinity` is always true, but makes the planner expect few rows. A child that has not expired
  // is deleted with its parent only.
  const isDue = (due: Due): SQL =>
    due === "expired"
      ? sql`${expiresAt} <= ${statementTime}`
      : sql`${lastActivity} >= '-infinity' AND ${lastActivity} < ${statementTime} - ${ageOf(due.olderThanDays)} AND ${isRoot}`;

  const leaveTombstones = sql`, left_behind AS (
    INSERT INTO ${tombstones} (key, id, expires_at)
    SELECT ${sql.raw(qualifiedName(names, "_tombstone_key"))}('conversation', conversation_id), gen_random_uuid(),
      clock_timestamp() + make_interval(secs => ${TOMBSTONE_SECONDS}::bigint)
    FROM deleted
    ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires_at = excluded.expires_at)`;

  /**
   * Returns a statement that deletes the rows that the query `locked` selects and locks. `then` is a further part of
   * the statement, which can use the query `deleted`.
   */
  const deleteLocked = (locked: SQL, then = sql``): Statement =>
    toWrite(sql`
      WITH locked AS (${locked}), deleted AS (
        DELETE FROM ${source} WHERE ${conversationId} = ANY (ARRAY(SELECT conversation_id FROM locked))
        RETURNING ${conversationId}, (${live}) AS was_live, (${isRoot}) AS was_root
      )${then}
      SELECT (count(*) FILTER (WHERE was_root))::text AS deleted, (count(*) FILTER (WHERE was_live))::text AS were_live FROM deleted`);

  return {
    /** Selects a user's conversations, in the order of their ids, from the first id after `after` on. */
    listOwn: (
      owner: string,
      kind: OwnKind,
      { after, limit }: { readonly after: string; readonly limit: number },
    ): Statement =>
      toStatement(sql`
        SELECT ${columns} FROM ${source}
        WHERE ${and(eq(userId, owner), kind === "roots" ? isRoot : isNotNull(parentId))} AND ${conversationId} > ${after}
        ORDER BY ${conversationId} LIMIT ${limit}::bigint`),

    // Locks the rows in the order of their ids, so concurrent statements don't deadlock. A tombstone is written after
    // its conversation was deleted, as in a single deletion.
    deleteOwn: (owner: string, ids: readonly string[]): Statement =>
      deleteLocked(
        sql`
        SELECT ${conversationId} FROM ${source} WHERE ${isOneOf(ids)} AND ${eq(userId, owner)}
        ORDER BY ${conversationId} FOR UPDATE`,
        leaveTombstones,
      ),

    /** Selects the conversations that are `due`, the longest due first. Begins directly after the position `after`. */
    listDue: (due: Due, after: DuePosition | undefined, limit: number): Statement => {
      const time = due === "expired" ? expiresAt : lastActivity;
      const later =
        after &&
        sql`(${time}, ${conversationId}) > (to_timestamp(${after.time}::float8 / 1000), ${after.conversationId})`;
      return toStatement(sql`
        SELECT ${columns}, ${millisecondsOf(time)} AS time
        FROM ${source} WHERE ${and(isDue(due), later)}
        ORDER BY ${time}, ${conversationId} LIMIT ${limit}::bigint`);
    },

    // Skips locked rows, so the statement only waits for writers of the deleted conversations' children. They wait for no
    // row that it has locked.
    deleteDue: (due: Due, ids: readonly string[]): Statement =>
      deleteLocked(sql`
        SELECT ${conversationId} FROM ${source} WHERE ${isOneOf(ids)} AND ${isDue(due)}
        FOR UPDATE SKIP LOCKED`),

    /** Deletes expired tombstones, except for locked ones. */
    deleteTombstones: (limit: number): Statement =>
      toWrite(sql`
        WITH deleted AS (
          DELETE FROM ${tombstones} WHERE ${tombstones.key} = ANY (ARRAY(
            SELECT ${tombstones.key} FROM ${tombstones} WHERE ${tombstones.expiresAt} <= ${statementTime}
            ORDER BY ${tombstones.expiresAt} LIMIT ${limit}::bigint FOR UPDATE SKIP LOCKED
          )) RETURNING 1
        )
        SELECT count(*)::text AS deleted FROM deleted`),
  };
}

const SWEEP_EVERY = 10;

/**
 * Returns a function to call after each write of data that will expire. Every tenth call runs `sweepSome`, which
 * removes some expired rows. The returned function never rejects.
 */
export function createSweep(sweepSome: () => Promise<boolean>): () => Promise<void> {
  // If `sweepSome` returns that more rows may be left, the next call runs it again. Each run can remove more rows than
  // ten writes create, so expired rows don't pile up even if `purgeExpired` is never called.
  let writes = Math.floor(Math.random() * SWEEP_EVERY); // Random, so many processes with few writes each also sweep.
  let left = false;
  let busy = false;
  return async () => {
    writes += 1;
    if (busy || (!left && writes % SWEEP_EVERY !== 0)) return;
    busy = true;
    try {
      left = await sweepSome();
    } catch {
      left = false;
    } finally {
      busy = false;
    }
  };
}
