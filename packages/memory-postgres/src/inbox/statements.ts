import { INBOX_KEY_SECONDS, MOST_INBOX_ENTRIES } from "@jaf/memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import { reusable } from "../client/statements.ts";
import { createInboxTables } from "../migrations/inbox.ts";
import type { ResolvedNames } from "../table-names.ts";

const conversationId = sql`${sql.placeholder("conversationId")}::text`;
const userId = sql`${sql.placeholder("userId")}::text`;
const key = sql`${sql.placeholder("key")}::text`;
const epoch = sql`${sql.placeholder("epoch")}::text`;
const number = sql`${sql.placeholder("number")}::bigint`;
const limit = sql`${sql.placeholder("limit")}::bigint`;

const most = sql.raw(String(MOST_INBOX_ENTRIES));
const keyTime = sql.raw(`interval '${INBOX_KEY_SECONDS} seconds'`);

/** How many forgotten keys and how many forgotten inboxes a put removes at most. */
const MOST_FORGOTTEN = sql.raw("10");

/** Returns SQL for a time in milliseconds since 1970. */
const msOf = (column: SQL): SQL => sql`floor(date_part('epoch', ${column}) * 1000)`;

type Tables = ReturnType<typeof createInboxTables>;

/**
 * Returns the part of a statement that removes some keys that aren't known any more, and some inboxes of which nothing
 * is left. Needs the queries `at` and `changed` of a put.
 */
function forgetting({ inboxes, entries }: Tables): SQL {
  // It begins when the put has locked its inbox, and skips what others have locked. So no statement waits for another
  // while it holds a lock that the other one needs.
  return sql`, old_keys AS (
        SELECT entry.conversation_id, entry.key, entry.number FROM ${entries} AS entry
        WHERE EXISTS (SELECT FROM changed) AND entry.content IS NULL AND entry.put_at <= (SELECT now FROM at) - ${keyTime}
        ORDER BY entry.put_at LIMIT ${MOST_FORGOTTEN} FOR UPDATE OF entry SKIP LOCKED
      ), forgotten_keys AS (
        DELETE FROM ${entries} AS entry USING old_keys AS old WHERE (entry.conversation_id, entry.key, entry.number)
          = (old.conversation_id, old.key, old.number)
      ), old_inboxes AS (
        SELECT box.conversation_id FROM ${inboxes} AS box
        WHERE EXISTS (SELECT FROM changed) AND box.since IS NULL AND box.known_until <= (SELECT now FROM at)
          AND box.conversation_id <> ${conversationId}
        ORDER BY box.known_until LIMIT ${MOST_FORGOTTEN} FOR UPDATE OF box SKIP LOCKED
      ), forgotten_inboxes AS (
        DELETE FROM ${inboxes} AS box USING old_inboxes AS old WHERE box.conversation_id = old.conversation_id
          AND NOT EXISTS (SELECT FROM ${entries} AS entry WHERE entry.conversation_id = old.conversation_id)
      )`;
}

/**
 * Creates the statements on the tables of an inbox. `forgets`: whether a put removes what is no longer needed, also of
 * other conversations.
 */
export function createInboxStatements(names: ResolvedNames, { forgets }: { readonly forgets: boolean }) {
  const tables = createInboxTables(names);
  const { inboxes, entries } = tables;

  // A put and a removal decide by what they see when they begin, and only change the inbox if its version is still the
  // one that they saw: the row's lock decides which of two changes is first. The other one does nothing and must be sent
  // again. As the changes of an inbox are committed in the order of their versions, so are its entries. The inbox of
  // another user keeps its version, too, so a new entry never has the number of one that the same statement erases.
  const sameVersion = sql`box.epoch = (SELECT epoch FROM seen) AND box.version = (SELECT version FROM seen)`;

  const isOwn = sql`box.user_id = excluded.user_id`;
  const isFull = sql`seen.is_own AND seen.entries >= ${most}`;

  // The condition is repeated, so that the deletion uses the same index again.
  const erase = (condition: SQL): SQL => sql`
      WITH doomed AS MATERIALIZED (
        SELECT box.conversation_id FROM ${inboxes} AS box WHERE ${condition}
        ORDER BY box.conversation_id FOR UPDATE OF box
      ), gone AS (
        DELETE FROM ${inboxes} AS box USING doomed WHERE box.conversation_id = doomed.conversation_id
          AND ${condition}
        RETURNING box.entries
      )
      SELECT coalesce(sum(entries), 0)::text AS erased FROM gone`;

  const waiting = (condition: SQL): SQL => sql`
      SELECT json_build_object('conversationId', box.conversation_id, 'userId', box.user_id, 'entries', box.entries,
        'since', ${msOf(sql`box.since`)})::text AS waiting
      FROM ${inboxes} AS box WHERE box.since IS NOT NULL AND ${condition}
      ORDER BY box.since LIMIT ${limit}`;

  return {
    /** Returns `epoch`, `number` and `outcome` (`new`, `known` or `full`), or no row if it must be sent again. */
    put: reusable<"conversationId" | "userId" | "key" | "content">(sql`
      WITH at AS MATERIALIZED (SELECT clock_timestamp() AS now
      ), seen AS MATERIALIZED (
        SELECT box.epoch, box.version, box.entries, box.user_id = ${userId} AS is_own
        FROM ${inboxes} AS box WHERE box.conversation_id = ${conversationId}
      ), known AS MATERIALIZED (
        SELECT entry.number FROM ${entries} AS entry, at
        WHERE EXISTS (SELECT FROM seen WHERE seen.is_own) AND entry.conversation_id = ${conversationId} AND entry.key = ${key} AND entry.put_at > at.now - ${keyTime}
        ORDER BY entry.number DESC LIMIT 1
      ), changed AS (
        INSERT INTO ${inboxes} AS box (conversation_id, user_id, epoch, version, entries, since, known_until)
        SELECT ${conversationId}, ${userId}, gen_random_uuid(), 1, 1, at.now, at.now + ${keyTime} FROM at
        WHERE NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM seen WHERE ${isFull})
        ON CONFLICT (conversation_id) DO UPDATE SET version = box.version + 1, known_until = excluded.known_until,
          user_id = excluded.user_id,
          epoch = CASE WHEN ${isOwn} THEN box.epoch ELSE excluded.epoch END,
          entries = CASE WHEN ${isOwn} THEN box.entries + 1 ELSE 1 END,
          since = CASE WHEN ${isOwn} THEN coalesce(box.since, excluded.since) ELSE excluded.since END
        WHERE ${sameVersion}
        RETURNING box.epoch, box.version
      ), erased AS (
        DELETE FROM ${entries} AS entry USING changed
        WHERE EXISTS (SELECT FROM seen WHERE NOT seen.is_own)
          AND entry.conversation_id = ${conversationId} AND entry.number < changed.version
      ), added AS (
        INSERT INTO ${entries} (conversation_id, key, number, content, put_at)
        SELECT ${conversationId}, ${key}, changed.version, ${sql.placeholder("content")}::text, at.now FROM changed, at
      )${forgets ? forgetting(tables) : sql``}
      SELECT changed.epoch::text AS epoch, changed.version::text AS number, 'new' AS outcome FROM changed
      UNION ALL SELECT seen.epoch::text, known.number::text, 'known' FROM seen, known
      UNION ALL SELECT seen.epoch::text, NULL, 'full' FROM seen
        WHERE ${isFull} AND NOT EXISTS (SELECT FROM known)`),

    read: reusable<"conversationId" | "epoch" | "number" | "limit">(sql`
      SELECT json_build_object('userId', box.user_id, 'epoch', box.epoch, 'number', entry.number, 'key', entry.key,
        'content', entry.content, 'receivedAt', ${msOf(sql`entry.put_at`)})::text AS entry
      FROM ${inboxes} AS box JOIN ${entries} AS entry ON entry.conversation_id = box.conversation_id
      WHERE box.conversation_id = ${conversationId} AND entry.content IS NOT NULL
        AND entry.number > CASE WHEN box.epoch::text = ${epoch} THEN ${number} ELSE 0 END
      ORDER BY entry.number LIMIT ${limit}`),

    /** Returns the number of `removed` entries, or no row if it must be sent again. */
    remove: reusable<"conversationId" | "epoch" | "number">(sql`
      WITH seen AS MATERIALIZED (
        SELECT box.epoch, box.version FROM ${inboxes} AS box
        WHERE box.conversation_id = ${conversationId} AND box.epoch::text = ${epoch}
      ), doomed AS MATERIALIZED (
        SELECT entry.key, entry.number FROM ${entries} AS entry WHERE entry.conversation_id = ${conversationId}
          AND entry.number <= ${number} AND entry.content IS NOT NULL AND EXISTS (SELECT FROM seen)
      ), oldest AS MATERIALIZED (
        SELECT entry.put_at FROM ${entries} AS entry WHERE entry.conversation_id = ${conversationId}
          AND entry.number > ${number} AND entry.content IS NOT NULL
        ORDER BY entry.number LIMIT 1
      ), changed AS (
        UPDATE ${inboxes} AS box SET version = box.version + 1, entries = box.entries - (SELECT count(*) FROM doomed),
          since = (SELECT put_at FROM oldest)
        WHERE box.conversation_id = ${conversationId} AND ${sameVersion} AND EXISTS (SELECT FROM doomed)
        RETURNING 1
      ), removed AS (
        UPDATE ${entries} AS entry SET content = NULL FROM doomed
        WHERE entry.conversation_id = ${conversationId} AND entry.key = doomed.key AND entry.number = doomed.number
          AND EXISTS (SELECT FROM changed)
      )
      SELECT count(*)::text AS removed FROM doomed
      HAVING count(*) = 0 OR EXISTS (SELECT FROM changed)`),

    waiting: reusable<"limit">(waiting(sql`true`)),
    waitingOf: reusable<"userId" | "limit">(waiting(sql`box.user_id = ${userId}`)),

    deleteConversation: reusable<"conversationId">(erase(sql`box.conversation_id = ${conversationId}`)),
    deleteUser: reusable<"userId">(erase(sql`box.user_id = ${userId}`)),
  };
}
