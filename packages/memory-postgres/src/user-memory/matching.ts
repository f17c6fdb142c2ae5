import type { MatchedDocument, TermWeight, UserKey, UserMemoryBackend } from "@jaf/user-memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import type { SqlClient } from "../client/clients.ts";
import type { SqlRow, Statement } from "../client/statement.ts";
import { reusable } from "../client/statements.ts";
import type { UserMemoryTables } from "../migrations/user-memory.ts";
import { termKeyOf } from "./fact-codec.ts";

/**
 * Returns the query for a user's facts that contain any of the terms. Each row has the number of the user's facts with
 * terms as `size`, and is one of these:
 *
 * - a term: its index among the requested terms as `term`, and seq and weight of each fact that contains it in `numbers`
 * - some facts of one author from one conversation: seq, position, number of terms and time of each in `numbers`
 * - if no fact matches: one row with nulls
 */
function matchQuery({ heads, facts }: UserMemoryTables): SQL {
  const hash = sql`${sql.placeholder("hash")}::text`;
  const keys = sql`${sql.placeholder("keys")}::text[]::bigint[]`;
  // Each term is looked up by itself, so the time depends on how often the terms occur and not on how many terms each
  // fact is compared with. `OFFSET 0` keeps the condition on the user out of the inner query. Otherwise, a planner that
  // estimates the terms wrongly would read all facts of the user. The inner query finds only facts of this user anyway,
  // because a term key is a hash of the user and the term. The condition on the term keys is repeated to make the
  // planner expect few rows, which costs nothing. Otherwise, its estimate grows with the number of users, until it
  // compiles the query, which takes longer than running it. Few rows with many numbers are cheaper to transfer than a
  // row for each fact. A dot precedes each text, because PGlite drops a byte order mark at the start of a text.
  return sql`
    WITH posting AS (
      SELECT asked.at, fact.seq, fact.weights[array_position(fact.term_keys, asked.key)] AS weight,
        fact.conversation_id, fact.author, fact.position, cardinality(fact.term_keys) AS length, fact.said_at
      FROM unnest(${keys}) WITH ORDINALITY AS asked (key, at) CROSS JOIN LATERAL (
        SELECT * FROM ${facts} AS each
        WHERE each.term_keys @> ARRAY[asked.key] AND each.term_keys @> ARRAY[asked.key] OFFSET 0
      ) AS fact WHERE fact.user_hash = ${hash}
    )
    SELECT head.documents::text AS size, found.term, found.conversation_id, found.author, found.numbers
    FROM ${heads} AS head LEFT JOIN (
      SELECT (at - 1)::text AS term, NULL AS conversation_id, NULL AS author,
        string_agg(concat(seq, ' ', weight), ' ') AS numbers
      FROM posting GROUP BY at
      UNION ALL
      SELECT NULL, '.' || conversation_id, '.' || author,
        string_agg(concat(seq, ' ', position, ' ', length, ' ', said_at), ',')
      FROM (SELECT DISTINCT ON (seq) * FROM posting) AS fact GROUP BY conversation_id, author
    ) AS found ON true
    WHERE head.user_hash = ${hash}`;
}

export function createMatchStatement(tables: UserMemoryTables) {
  const statement = reusable<"hash" | "keys">(matchQuery(tables));
  return (user: UserKey, terms: readonly string[]): Statement =>
    statement({ hash: user.hash, keys: terms.map((term) => termKeyOf(user, term)) });
}

/** A found fact, to whose `terms` the matching terms are added. */
interface OpenDocument extends MatchedDocument {
  readonly terms: TermWeight[];
}

const numberOr = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text);

/** Returns the facts of a row. */
function documentsIn(row: SqlRow, numbers: string): readonly OpenDocument[] {
  const conversationId = row["conversation_id"]?.slice(1);
  const author = row["author"]?.slice(1);
  return numbers.split(",").map((fact) => {
    const [seq, at, length, saidAt] = fact.split(" ");
    const position = numberOr(at);
    return {
      seq: Number(seq),
      location:
        conversationId === undefined || position === undefined ? undefined : { conversationId, position },
      author,
      saidAt: numberOr(saidAt),
      length: numberOr(length),
      terms: [],
    };
  });
}

function addTerm(documents: ReadonlyMap<number, OpenDocument>, term: string, numbers: string): void {
  const values = numbers.split(" ");
  for (let at = 0; at < values.length; at += 2) {
    documents.get(Number(values[at]))?.terms.push({ term, weight: Number(values[at + 1]) });
  }
}

/** Returns a function that finds a user's facts by their terms. */
export function createMatching(client: SqlClient, tables: UserMemoryTables): UserMemoryBackend["match"] {
  const statement = createMatchStatement(tables);
  return async (user, asked) => {
    const terms = [...new Set(asked)];
    const rows = await client.query(statement(user, terms));
    const documents = new Map<number, OpenDocument>();
    for (const row of rows) {
      if (row["term"] != null || row["numbers"] == null) continue;
      for (const document of documentsIn(row, row["numbers"])) documents.set(document.seq, document);
    }
    for (const { term, numbers } of rows) {
      if (term != null && numbers != null) addTerm(documents, terms[Number(term)] ?? "", numbers);
    }
    return { size: Number(rows[0]?.["size"] ?? 0), documents: [...documents.values()] };
  };
}
