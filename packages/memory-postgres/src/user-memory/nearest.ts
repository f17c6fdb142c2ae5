import type { UserMemoryBackend } from "@jaf/user-memory";
import { type SQL, sql } from "drizzle-orm";
import type { SqlClient } from "../sql-client.ts";
import { reusable } from "../statements.ts";
import type { UserMemoryTables } from "./tables.ts";

type Nearest = NonNullable<UserMemoryBackend["nearest"]>;

const hash = sql`${sql.placeholder("hash")}::text`;
const vector = sql`${sql.placeholder("vector")}::text::real[]`;

/** The cosine of `fact.vector` and the one that is asked for. Both are of one dimension. */
export type Cosine = SQL;

const plainCosine: Cosine = sql`(
  SELECT sum(pair.a * pair.b) / nullif(sqrt(sum(pair.a * pair.a)) * sqrt(sum(pair.b * pair.b)), 0)
  FROM unnest(fact.vector::float8[], ${vector}::float8[]) AS pair (a, b))`;

/** `place`: the schema of pgvector's type and operator, quoted. */
const pgvectorCosine = (place: string): Cosine => {
  const type = sql.raw(`${place}.vector`);
  return sql`1 - (fact.vector::${type} OPERATOR(${sql.raw(place)}.<=>) ${vector}::${type})`;
};

/** Looks at each of the user's vectors, of which there are as many as facts. */
export function createNearestStatement({ facts }: UserMemoryTables, cosine: Cosine) {
  return reusable<"hash" | "vector" | "dimension" | "limit">(sql`
    SELECT coalesce(json_agg(json_build_object('seq', best.seq, 'similarity', best.similarity)), '[]')::text AS found
    FROM (
      SELECT near.seq, near.similarity FROM (
        SELECT fact.seq, ${cosine} AS similarity FROM ${facts} AS fact
        WHERE fact.user_hash = ${hash} AND cardinality(fact.vector) = ${sql.placeholder("dimension")}::int
      ) AS near
      WHERE near.similarity <> 'NaN' ORDER BY near.similarity DESC, near.seq DESC
      LIMIT ${sql.placeholder("limit")}::bigint
    ) AS best`);
}

export type NearestStatement = ReturnType<typeof createNearestStatement>;

// pgvector's own limit.
const PGVECTOR_DIMENSIONS = 16_000;

interface NearestOptions {
  readonly tables: UserMemoryTables;
  /** The schema of pgvector, quoted; absent: it is not to be used. */
  readonly pgvector: string | undefined;
}

export function createNearest(client: SqlClient, { tables, pgvector }: NearestOptions): Nearest {
  const plain = createNearestStatement(tables, plainCosine);
  const fast = pgvector === undefined ? plain : createNearestStatement(tables, pgvectorCosine(pgvector));
  return async (user, asked, limit) => {
    const statement = asked.length > PGVECTOR_DIMENSIONS ? plain : fast;
    const [row] = await client.query(
      statement({ hash: user.hash, vector: `{${asked.join(",")}}`, dimension: asked.length, limit }),
    );
    return JSON.parse(row?.["found"] ?? "[]") as Awaited<ReturnType<Nearest>>;
  };
}
