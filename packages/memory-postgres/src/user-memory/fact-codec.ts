import { createHash } from "node:crypto";
import type { StoredFact, UserKey } from "@jaf/user-memory/adapter";
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { factFields, type UserMemoryTables } from "../migrations/user-memory.ts";

/** A number that stands for a term of one user's: the first 64 bits of a hash, as text. */
export const termKeyOf = (user: UserKey, term: string): string =>
  createHash("sha256").update(user.hash).update("\0").update(term).digest().readBigInt64BE(0).toString();

const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

const DERIVED = new Set<string>(["termKeys", "packedVector"]);
const LONG = new Set<string>(["terms", "weights", "vector"]);

/** How facts go into columns and come out of them: as JSON, by the names of a fact's fields. */
export function createFactColumns({ facts }: UserMemoryTables) {
  const columns = getTableColumns(facts);
  const nameOf = (field: keyof typeof columns) => sql.identifier(columns[field].name);
  const plain = factFields.filter((field) => !DERIVED.has(field));
  const selected = (fields: typeof plain) =>
    fields.map((field) => sql`fact.${nameOf(field)} AS ${sql.identifier(field)}`);
  return {
    /** For an insertion. */
    names: list(factFields.map((field) => sql`${nameOf(field)}`)),
    /** Names and types of a record that {@link packFacts} made. */
    record: list(
      factFields.map((field) => sql`${sql.identifier(field)} ${sql.raw(columns[field].getSQLType())}`),
    ),
    /** For an insertion of what is there already. */
    changes: list(factFields.map((field) => sql`${nameOf(field)} = excluded.${nameOf(field)}`)),
    /** Of a row named `fact`, for {@link unpackFacts}. */
    fields: list([
      ...selected(plain),
      sql`encode(fact.${nameOf("packedVector")}, 'base64') AS "packedVector"`,
    ]),
    /** The same, without terms and vectors. */
    briefFields: list(selected(plain.filter((field) => !LONG.has(field)))),
  };
}

export interface PackOptions {
  readonly user: UserKey;
  /** Whether vectors are to be compared by pgvector. */
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

/** JSON of an array of records. */
export const packFacts = (options: PackOptions, facts: readonly StoredFact[]): string =>
  JSON.stringify(facts.map((fact) => packFact(options, fact)));

/** Of a brief one, terms, weights and vectors are absent. */
interface FactRow extends Omit<StoredFact, "terms" | "vector"> {
  readonly terms?: readonly string[];
  readonly weights?: readonly number[];
  readonly vector?: readonly number[] | null;
  readonly packedVector?: string | null;
}

function vectorOf({ vector = null, packedVector = null }: FactRow): readonly number[] | null {
  if (packedVector !== null) return [...unpackVector(packedVector)];
  // Postgres writes the fewest digits that tell two numbers of single precision apart.
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

/** Of JSON of an array of rows; `null`: of none. */
export const unpackFacts = (json: string | null | undefined): readonly StoredFact[] =>
  json == null ? [] : (JSON.parse(json) as readonly FactRow[]).map(unpackFact);

const BYTES = 4;

/** How many bytes a vector of so many numbers takes. */
export const packedLength = (dimension: number): number => dimension * BYTES;

/** In single precision, four bytes a number, as Postgres takes bytes in JSON. */
function packVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(packedLength(vector.length));
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * BYTES);
  return `\\x${bytes.toString("hex")}`;
}

/** Of base64. */
function unpackVector(base64: string): Float64Array {
  const bytes = Buffer.from(base64, "base64");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.byteLength / BYTES }, (_, index) =>
    view.getFloat32(index * BYTES, true),
  );
}

/** A measure of how alike vectors are to this one: the cosine, not a number where one has no direction. */
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
