import type { UserMemoryBackend } from "@jaf/user-memory/adapter";
import { type SQL, sql } from "drizzle-orm";
import type { SqlClient } from "../client/clients.ts";
import type { SqlRow } from "../client/statement.ts";
import { reusable } from "../client/statements.ts";
import type { UserMemoryTables } from "../migrations/user-memory.ts";
import { cosineTo, packedLength } from "./fact-codec.ts";

type Nearest = NonNullable<UserMemoryBackend["nearest"]>;
type Near = Awaited<ReturnType<Nearest>>[number];

const hash = sql`${sql.placeholder("hash")}::text`;
const vector = sql`${sql.placeholder("vector")}::text::real[]`;
const limit = sql`${sql.placeholder("limit")}::bigint`;
const after = sql`${sql.placeholder("after")}::bigint`;

/** SQL for the cosine similarity of vectors in the column `vector`, without pgvector. */
// For a database that had pgvector when the vectors were stored, but has it no longer.
const plainCosine: SQL = sql`(
  SELECT sum(pair.a * pair.b) / nullif(sqrt(sum(pair.a * pair.a)) * sqrt(sum(pair.b * pair.b)), 0)
  FROM unnest(fact.vector::float8[], ${vector}::float8[]) AS pair (a, b))`;

/** Returns SQL for the cosine similarity with pgvector. `schema`: the quoted schema of pgvector. */
const pgvectorCosine = (schema: string): SQL => {
  const type = sql.raw(`${schema}.vector`);
  return sql`1 - (fact.vector::${type} OPERATOR(${sql.raw(schema)}.<=>) ${vector}::${type})`;
};

/**
 * Creates the statement that finds a user's nearest vectors. It returns the nearest vectors in the column `vector`, and
 * a page of those in `packed_vector`, which the database can't compare.
 */
function createNearestStatement({ facts }: UserMemoryTables, cosine: SQL) {
  // Reads each vector of the user: some thousands at most. For so few, an index would cost more, and miss some of the
  // nearest.
  return reusable<"hash" | "vector" | "dimension" | "bytes" | "limit" | "after" | "page">(sql`
    (
      SELECT near.seq::text AS seq, near.similarity::text AS similarity, NULL AS packed FROM (
        SELECT fact.seq, ${cosine} AS similarity FROM ${facts} AS fact
        WHERE fact.user_hash = ${hash} AND fact.vector IS NOT NULL AND ${after} = 0
          AND cardinality(fact.vector) = ${sql.placeholder("dimension")}::int
      ) AS near
      WHERE near.similarity <> 'NaN' ORDER BY near.similarity DESC, near.seq DESC LIMIT ${limit}
    ) UNION ALL (
      SELECT page.seq::text, NULL, encode(page.packed_vector, 'base64') FROM (
        SELECT fact.seq, fact.packed_vector FROM ${facts} AS fact
        WHERE fact.user_hash = ${hash} AND fact.packed_vector IS NOT NULL AND fact.seq > ${after}
          AND octet_length(fact.packed_vector) = ${sql.placeholder("bytes")}::int
        ORDER BY fact.seq LIMIT ${sql.placeholder("page")}::bigint
      ) AS page
    )`);
}

// pgvector's own limit.
const PGVECTOR_DIMENSIONS = 16_000;

const PAGE_BYTES = 4_000_000;

export interface NearestOptions {
  readonly tables: UserMemoryTables;
  /** The quoted schema of pgvector. `undefined`: pgvector isn't used. */
  readonly pgvector: string | undefined;
}

const best = (found: readonly Near[], count: number): readonly Near[] =>
  [...found].sort((a, b) => b.similarity - a.similarity || b.seq - a.seq).slice(0, count);

export function createNearest(client: SqlClient, { tables, pgvector }: NearestOptions): Nearest {
  const plain = createNearestStatement(tables, plainCosine);
  const fast = pgvector === undefined ? plain : createNearestStatement(tables, pgvectorCosine(pgvector));

  return async (user, asked, count) => {
    if (asked.length === 0) return [];
    const statement = asked.length > PGVECTOR_DIMENSIONS ? plain : fast;
    const cosine = cosineTo(asked);
    const bytes = packedLength(asked.length);
    const page = Math.ceil(PAGE_BYTES / bytes);
    const values = { hash: user.hash, vector: `{${asked.join(",")}}`, dimension: asked.length, bytes, page };
    const nearOf = ({ seq, similarity, packed }: SqlRow): Near => ({
      seq: Number(seq),
      similarity: packed == null ? Number(similarity) : cosine(packed),
    });
    let [found, last]: [readonly Near[], number] = [[], 0];
    for (;;) {
      const rows = await client.query(statement({ ...values, limit: count, after: last }));
      const near = rows.map(nearOf);
      found = best([...found, ...near.filter(({ similarity }) => Number.isFinite(similarity))], count);
      const packed = near.filter((_, index) => rows[index]?.["packed"] != null);
      if (packed.length < page) return found;
      last = Math.max(...packed.map(({ seq }) => seq));
    }
  };
}
