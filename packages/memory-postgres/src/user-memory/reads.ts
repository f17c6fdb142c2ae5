import type {
  Extent,
  FactSelection,
  StoredAuditEntry,
  Tombstone,
  UserHead,
  UserKey,
  UserMemoryBackend,
} from "@jaf/user-memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import type { SqlClient } from "../client/clients.ts";
import type { SqlRow, SqlValue, Statement } from "../client/statement.ts";
import { reusable } from "../client/statements.ts";
import type { UserMemoryTables } from "../migrations/user-memory.ts";
import { createFactColumns, unpackFacts } from "./fact-codec.ts";

type Reads = Pick<UserMemoryBackend, "read" | "list" | "audit">;

/** For each field of a selection, a query for the numbers (`seq`) of the facts that the field selects. */
type Lookups = Readonly<Record<keyof FactSelection, SQL>>;

const texts = (name: string): SQL => sql`${sql.placeholder(name)}::text[]`;
const numbers = (name: string): SQL => sql`${sql.placeholder(name)}::text[]::bigint[]`;
const hash = sql`${sql.placeholder("hash")}::text`;

interface Lookup {
  /** SQL for the wanted values: columns of `wanted`. */
  readonly wanted: SQL;
  /** The condition on a fact with the name `each`. An index has exactly its expressions. */
  readonly condition: SQL;
}

function createLookups({ facts }: UserMemoryTables): Lookups {
  // Each value is looked up by itself, because the planner would expect ten values in each list. `OFFSET 0` keeps the
  // condition on the user's hash out of the inner query, where the primary key could serve it and read all facts of the
  // user.
  const by = ({ wanted, condition }: Lookup): SQL =>
    sql`SELECT fact.seq FROM ${wanted} CROSS JOIN LATERAL (
        SELECT each.user_hash, each.seq FROM ${facts} AS each WHERE ${condition} OFFSET 0
      ) AS fact WHERE fact.user_hash = ${hash}`;
  const value = (name: string): SQL => sql`unnest(${texts(name)}) AS wanted (value)`;
  const byKey = sql`each.user_hash || each.key = ${hash} || wanted.value AND each.key IS NOT NULL`;
  return {
    seqs: sql`SELECT unnest(${numbers("seqs")})`,
    ids: by({ wanted: value("ids"), condition: sql`each.user_hash || each.id = ${hash} || wanted.value` }),
    digests: by({
      wanted: value("digests"),
      condition: sql`each.user_hash || each.digest = ${hash} || wanted.value`,
    }),
    keys: by({ wanted: value("keys"), condition: byKey }),
    currentKeys: by({ wanted: value("currentKeys"), condition: sql`${byKey} AND each.status = 'active'` }),
    locations: by({
      wanted: sql`unnest(${texts("conversations")}, ${numbers("positions")}) AS wanted (conversation_id, position)`,
      condition: sql`each.user_hash || each.conversation_id = ${hash} || wanted.conversation_id
        AND each.position = wanted.position AND each.conversation_id IS NOT NULL`,
    }),
    supersededBy: by({
      wanted: value("supersededBy"),
      condition: sql`each.user_hash || each.superseded_by = ${hash} || wanted.value AND each.superseded_by IS NOT NULL`,
    }),
  };
}

/** Returns the values of the placeholders in the queries of `Lookups`. */
function valuesOf({ locations = [], ...lists }: FactSelection): Record<string, readonly string[]> {
  const values: Record<string, readonly string[]> = {
    conversations: locations.map(({ conversationId }) => conversationId),
    positions: locations.map(({ position }) => String(position)),
  };
  for (const [name, list = []] of Object.entries(lists)) values[name] = list.map(String);
  return values;
}

// A head with version 0 is only a lock: nothing was written for the user yet.
const toHead = (row: SqlRow | undefined): UserHead | null =>
  row?.["version"] == null || row["version"] === "0"
    ? null
    : {
        version: Number(row["version"]),
        epoch: Number(row["epoch"]),
        state: JSON.parse(row["state"] ?? '""') as string,
      };

const jsonArray = (row: SqlRow | undefined, column: string): readonly unknown[] =>
  JSON.parse(row?.[column] ?? "[]") as readonly unknown[];

/**
 * Returns functions that make the statements which read facts. Each read is one statement, so its result is consistent.
 */
export function createReadStatements(tables: UserMemoryTables) {
  const { heads, facts, tombstones, audit } = tables;
  const { fields, briefFields } = createFactColumns(tables);
  const lookups = createLookups(tables);
  const made = new Map<string, (values: Record<string, SqlValue>) => Statement>();

  // Also returns a row for a user without a head.
  const head = (rest: SQL): SQL => sql`
    SELECT head.version::text AS version, head.epoch::text AS epoch, to_json(head.state)::text AS state, ${rest}
    FROM (SELECT) AS one_row LEFT JOIN ${heads} AS head ON head.user_hash = ${hash}`;

  const rows = (source: SQL, order: SQL, { brief }: Extent): SQL =>
    sql`(SELECT json_agg(shown ${order})
      FROM (SELECT ${brief === true ? briefFields : fields} FROM ${source}) AS shown)::text`;

  const readOf = (names: readonly (keyof FactSelection)[], extent: Extent): SQL => {
    const seqs = sql.join(
      names.map((name) => lookups[name]),
      sql` UNION `,
    );
    const found =
      names.length === 0
        ? sql`NULL`
        : rows(
            sql`(${seqs}) AS wanted (seq) CROSS JOIN LATERAL (
              SELECT * FROM ${facts} AS each WHERE each.user_hash = ${hash} AND each.seq = wanted.seq OFFSET 0
            ) AS fact`,
            sql`ORDER BY shown.seq`,
            extent,
          );
    return head(sql`${found} AS facts, (
      SELECT json_agg(json_build_object('digest', tombstone.digest, 'at', tombstone.at)) FROM ${tombstones} AS tombstone
      WHERE tombstone.user_hash = ${hash} AND tombstone.digest = ANY (${texts("tombstones")}))::text AS tombstones`);
  };

  const statement = (name: string, make: () => SQL, values: Record<string, SqlValue>): Statement => {
    const known = made.get(name) ?? reusable<string>(make());
    made.set(name, known);
    return known(values);
  };

  return {
    read: (
      user: UserKey,
      { brief, ...selection }: FactSelection & Extent,
      digests: readonly string[],
    ): Statement => {
      const names = (Object.keys(lookups) as (keyof FactSelection)[]).filter(
        (name) => (selection[name]?.length ?? 0) > 0,
      );
      return statement(
        [brief === true ? "brief" : "read", ...names].join(" "),
        () => readOf(names, { brief }),
        {
          ...valuesOf(selection),
          hash: user.hash,
          tombstones: digests,
        },
      );
    },
    // Selects each status separately. So an index finds the newest facts of a status, no matter how many other facts
    // there are.
    list: (
      user: UserKey,
      { statuses, before, limit, brief }: Parameters<UserMemoryBackend["list"]>[1],
    ): Statement => {
      const upTo = sql`${sql.placeholder("limit")}::bigint`;
      return statement(
        brief === true ? "brief list" : "list",
        () =>
          sql`SELECT ${rows(
            sql`(
            SELECT found.* FROM unnest(${texts("statuses")}) AS wanted (status) CROSS JOIN LATERAL (
              SELECT * FROM ${facts} AS each WHERE each.user_hash = ${hash} AND each.status = wanted.status
                AND each.seq < coalesce(${sql.placeholder("before")}::bigint, 9223372036854775807)
              ORDER BY each.seq DESC LIMIT ${upTo}
            ) AS found ORDER BY found.seq DESC LIMIT ${upTo}
          ) AS fact`,
            sql`ORDER BY shown.seq DESC`,
            { brief },
          )} AS facts`,
        { hash: user.hash, statuses: [...new Set(statuses)], before: before ?? null, limit },
      );
    },

    audit: (user: UserKey): Statement =>
      statement(
        "audit",
        () =>
          head(sql`(
            SELECT json_agg(json_build_object('seq', entry.seq, 'body', entry.body) ORDER BY entry.seq)
            FROM ${audit} AS entry WHERE entry.user_hash = ${hash})::text AS entries`),
        { hash: user.hash },
      ),
  };
}

export function createReads(sqlClient: SqlClient, tables: UserMemoryTables): Reads {
  const statements = createReadStatements(tables);
  const ask = async (statement: Statement): Promise<SqlRow | undefined> =>
    (await sqlClient.query(statement))[0];
  return {
    read: async (user, { tombstones = [], ...selection }) => {
      const row = await ask(statements.read(user, selection, tombstones));
      return {
        head: toHead(row),
        facts: unpackFacts(row?.["facts"]),
        tombstones: jsonArray(row, "tombstones") as readonly Tombstone[],
      };
    },
    list: async (user, page) => unpackFacts((await ask(statements.list(user, page)))?.["facts"]),
    audit: async (user) => {
      const row = await ask(statements.audit(user));
      return { head: toHead(row), entries: jsonArray(row, "entries") as readonly StoredAuditEntry[] };
    },
  };
}
