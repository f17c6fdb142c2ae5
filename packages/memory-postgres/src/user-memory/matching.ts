import type { MatchedDocument, TermWeight, UserKey, UserMemoryBackend } from "@jaf/user-memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import type { SqlClient } from "../client/clients.ts";
import type { SqlRow, SqlValue, Statement } from "../client/statement.ts";
import { reusable } from "../client/statements.ts";
import type { UserMemoryTables } from "../migrations/user-memory.ts";
import { termKeyOf } from "./fact-codec.ts";

// The number of terms is rounded up to this number or its double and so on, so a few prepared statements serve all
// queries.
const FEWEST_TERMS = 8;

// Postgres limits functions to 100 arguments.
const TERMS_AT_ONCE = 32;

const sizeFor = (terms: number): number => {
  let size = FEWEST_TERMS;
  while (size < terms) size *= 2;
  return size;
};

const joined = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

const key = (index: number): SQL => sql`${sql.placeholder(`key${index}`)}::bigint`;

/**
 * Returns SQL for the weights of the requested terms in a fact, with a space before each weight. The weight of a
 * missing term is `""`.
 */
function weights(size: number): SQL {
  const all = Array.from(
    { length: size },
    (_, index) => sql`' ', fact.weights[array_position(fact.term_keys, ${key(index)})]`,
  );
  const chunks = Array.from({ length: Math.ceil(size / TERMS_AT_ONCE) }, (_, index) =>
    all.slice(index * TERMS_AT_ONCE, (index + 1) * TERMS_AT_ONCE),
  );
  return joined(chunks.map((chunk) => sql`concat(${joined(chunk)})`));
}

/**
 * Returns the query for a user's facts that contain any of the terms. It returns a row for each of these facts, or one
 * row of nulls if there is none.
 */
function matchQuery({ heads, facts }: UserMemoryTables, size: number): SQL {
  const hash = sql`${sql.placeholder("hash")}::text`;
  const keys = sql`${sql.placeholder("keys")}::text[]::bigint[]`;
  // `OFFSET 0` keeps the condition on the user out of the inner query. Otherwise, a planner that estimates the terms
  // wrongly would read all facts of the user. The inner query finds only facts of this user anyway, because a term key
  // is a hash of the user and the term. The condition on the term keys is repeated to make the planner expect few rows,
  // which costs nothing. Otherwise, its estimate grows with the number of users, until it compiles the query, which
  // takes longer than running it. The numbers share one column, which is cheaper to transfer. A dot precedes each text,
  // because PGlite drops a byte order mark at the start of a text.
  return sql`
    SELECT head.documents::text AS size, found.conversation_id, found.author, found.numbers
    FROM ${heads} AS head LEFT JOIN LATERAL (
      SELECT '.' || fact.conversation_id AS conversation_id, '.' || fact.author AS author,
        concat(fact.seq, ' ', fact.position, ' ', fact.said_at, ' ', cardinality(fact.term_keys),
          ${weights(size)}) AS numbers
      FROM (
        SELECT * FROM ${facts} AS each WHERE each.term_keys && ${keys} AND each.term_keys && ${keys} OFFSET 0
      ) AS fact
      WHERE fact.user_hash = ${hash}
    ) AS found ON true
    WHERE head.user_hash = ${hash}`;
}

export function createMatchStatement(tables: UserMemoryTables) {
  const made = new Map<number, (values: Record<string, SqlValue>) => Statement>();
  return (user: UserKey, terms: readonly string[]): Statement => {
    const size = sizeFor(terms.length);
    const statement = made.get(size) ?? reusable<string>(matchQuery(tables, size));
    made.set(size, statement);
    const keys = terms.map((term) => termKeyOf(user, term));
    const each = Array.from({ length: size }, (_, index) => [`key${index}`, keys[index] ?? null]);
    return statement({ hash: user.hash, keys, ...Object.fromEntries(each) });
  };
}

const numberOr = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text);

const WEIGHTS_FROM = 4;

function weighed(numbers: readonly string[], terms: readonly string[]): readonly TermWeight[] {
  const held: TermWeight[] = [];
  for (const [index, term] of terms.entries()) {
    const weight = numberOr(numbers[index + WEIGHTS_FROM]);
    if (weight !== undefined) held.push({ term, weight });
  }
  return held;
}

// May be called for thousands of rows.
function toDocument(row: SqlRow, joinedNumbers: string, terms: readonly string[]): MatchedDocument {
  const numbers = joinedNumbers.split(" ");
  const conversationId = row["conversation_id"]?.slice(1);
  const position = numberOr(numbers[1]);
  return {
    seq: Number(numbers[0]),
    location:
      conversationId === undefined || position === undefined ? undefined : { conversationId, position },
    author: row["author"]?.slice(1),
    saidAt: numberOr(numbers[2]),
    length: numberOr(numbers[3]),
    terms: weighed(numbers, terms),
  };
}

/** Returns a function that finds a user's facts by their terms. */
export function createMatching(client: SqlClient, tables: UserMemoryTables): UserMemoryBackend["match"] {
  const statement = createMatchStatement(tables);
  return async (user, asked) => {
    const terms = [...new Set(asked)];
    const rows = await client.query(statement(user, terms));
    const documents: MatchedDocument[] = [];
    for (const row of rows) {
      const numbers = row["numbers"];
      if (numbers != null) documents.push(toDocument(row, numbers, terms));
    }
    return { size: Number(rows[0]?.["size"] ?? 0), documents };
  };
}
