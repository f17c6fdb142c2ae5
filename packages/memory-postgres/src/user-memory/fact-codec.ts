import { createHash } from "node:crypto";
import type { StoredFact, UserKey } from "@jaf/user-memory/adapter";
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { factFields, type UserMemoryTables } from "../migrations/user-memory.ts";

/** Returns the key of a user's term: the first 64 bits of a hash, as a signed whole number in decimal. */
export const termKeyOf = (user: UserKey, term: string): string =>
  createHash("sha256").update(user.hash).update("\0").update(term).digest().readBigInt64BE(0).toString();

const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

const DERIVED = new Set<string>(["termKeys", "packedVector"]);
const LONG = new Set<string>(["terms", "weights", "vector"]);

/** Returns SQL for the columns of facts. */
export function createFactColumns({ facts }: UserMemoryTables) {
  const columns = getTableColumns(facts);
  const nameOf = (field: keyof typeof columns) => sql.identifier(columns[field].name);
  const plain = factFields.filter((field) => !DERIVED.has(field));
  const selected = (fields: typeof plain) =>
    fields.map((field) => sql`fact.${nameOf(field)} AS ${sql.identifier(field)}`);
  return {
    /** The names of all columns, for an `INSERT`. */
    names: list(factFields.map((field) => sql`${nameOf(field)}`)),
    /** The names and types of the fields of a JSON object that {@link packFacts} makes. */
    record: list(
      factFields.map((field) => sql`${sql.identifier(field)} ${sql.raw(columns[field].getSQLType())}`),
    ),
    /** The assignments for `ON CONFLICT DO UPDATE`: each column gets the inserted value. */
    changes: list(factFields.map((field) => sql`${nameOf(field)} = excluded.${nameOf(field)}`)),
    /** The columns that {@link unpackFacts} needs, of a row with the name `fact`. */
    fields: list([
      ...selected(plain),
      sql`encode(fact.${nameOf("packedVector")}, 'base64') AS "packedVector"`,
    ]),
    /** The columns that {@link unpackFacts} needs, without terms and vectors. */
    briefFields: list(selected(plain.filter((field) => !LONG.has(field)))),
  };
}

export interface PackOptions {
  readonly user: UserKey;
  /** Whether pgvector compares the vectors. If false, vectors are stored as bytes. */
  readonly pgvector: boolean;
}

const packFact = ({ user, pgvector }: PackOptions, { terms, vector, ...fact }: StoredFact) => ({
  ...fact,
  terms: terms.map(({ term }) => term),
  weights: terms.map(({ weight }) => weight),
  termKeys: terms.map(({ term }) => termKeyOf(user, term)),
  vector: pgvector ? vector : null,
  packedVector: pgvector || vector === null ? null : packVector(vector),
});

/** Converts facts into a JSON array for an `INSERT`. */
export const packFacts = (options: PackOptions, facts: readonly StoredFact[]): string =>
  JSON.stringify(facts.map((fact) => packFact(options, fact)));

/** A stored fact, as JSON. Without `terms`, `weights` and `vector` if the query was brief. */
interface FactRow extends Omit<StoredFact, "terms" | "vector"> {
  readonly terms?: readonly string[];
  readonly weights?: readonly number[];
  readonly vector?: readonly number[] | null;
  readonly packedVector?: string | null;
}

function vectorOf({ vector = null, packedVector = null }: FactRow): readonly number[] | null {
  if (packedVector !== null) return [...unpackVector(packedVector)];
  // Postgres writes only as many digits as single precision needs.
  return vector === null ? null : vector.map(Math.fround);
}

function unpackFact(row: FactRow): StoredFact {
  const { terms = [], weights = [], packedVector: _, ...fact } = row;
  return {
    ...fact,
    vector: vectorOf(row),
    terms: terms.map((term, index) => ({ term, weight: weights[index] ?? 0 })),
  };
}

/** Converts a JSON array of rows into facts. `null`: there are no rows. */
export const unpackFacts = (json: string | null | undefined): readonly StoredFact[] =>
  json == null ? [] : (JSON.parse(json) as readonly FactRow[]).map(unpackFact);

const BYTES = 4;

/** Returns the size of a packed vector in bytes. */
export const packedLength = (dimension: number): number => dimension * BYTES;

/** Packs a vector into four bytes for each number. Returns the bytes as hex, in Postgres's format for bytes in JSON. */
function packVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(packedLength(vector.length));
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * BYTES);
  return `\\x${bytes.toString("hex")}`;
}

/** Converts a packed vector, given as base64, into numbers. */
function unpackVector(base64: string): Float64Array {
  const bytes = Buffer.from(base64, "base64");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.byteLength / BYTES }, (_, index) =>
    view.getFloat32(index * BYTES, true),
  );
}

/**
 * Returns a function that computes the cosine similarity of `vector` to a packed vector, given as base64. NaN: one of
 * the two is a zero vector.
 */
export function cosineTo(vector: readonly number[]): (base64: string) => number {
  const length = Math.hypot(...vector);
  return (base64) => {
    const bytes = Buffer.from(base64, "base64");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let [dot, square] = [0, 0];
    for (let index = 0; index < vector.length; index++) {
      const value = view.getFloat32(index * BYTES, true);
      dot += value * (vector[index] ?? 0);
      square += value * value;
    }
    return dot / (length * Math.sqrt(square));
  };
}
