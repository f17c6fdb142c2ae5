import type { Extent, StoredFact, TermWeight } from "@jaf/user-memory/adapter";
import * as z from "zod";
import type { SqliteRow, SqliteValue } from "../client/driver.ts";

const BYTES = 4;

/** Packs a vector into four bytes for each number. */
function packVector(vector: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(vector.length * BYTES));
  for (const [index, value] of vector.entries()) view.setFloat32(index * BYTES, value, true);
  return new Uint8Array(view.buffer);
}

/** Returns the size of a packed vector in bytes. */
export const packedLength = (dimension: number): number => dimension * BYTES;

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);

function unpackVector(bytes: Uint8Array): readonly number[] {
  const view = viewOf(bytes);
  return Array.from({ length: bytes.byteLength / BYTES }, (_, index) => view.getFloat32(index * BYTES, true));
}

/**
 * Returns a function that computes the cosine similarity of `vector` to a packed vector. NaN: one of the two is a zero
 * vector.
 */
export function cosineTo(vector: readonly number[]): (bytes: Uint8Array) => number {
  const length = Math.hypot(...vector);
  return (bytes) => {
    const view = viewOf(bytes);
    let [dot, square] = [0, 0];
    for (let index = 0; index < vector.length; index++) {
      const value = view.getFloat32(index * BYTES, true);
      dot += value * (vector[index] ?? 0);
      square += value * value;
    }
    return dot / (length * Math.sqrt(square));
  };
}

/** The columns of a fact that {@link packFact} fills, in its order. */
export const FACT_COLUMNS = [
  "seq",
  "fact_id",
  "digest",
  "key",
  "status",
  "conversation_id",
  "position",
  "author",
  "said_at",
  "superseded_by",
  "body",
  "terms",
  "term_count",
  "vector",
] as const;

/** Returns the values of a fact's columns. */
export function packFact({ terms, vector, ...fact }: StoredFact): readonly SqliteValue[] {
  return [
    fact.seq,
    fact.id,
    fact.digest,
    fact.key,
    fact.status,
    fact.conversationId,
    fact.position,
    fact.author,
    fact.saidAt,
    fact.supersededBy,
    JSON.stringify(fact),
    JSON.stringify(terms.map(({ term, weight }) => [term, weight])),
    terms.length,
    vector === null ? null : packVector(vector),
  ];
}

// Only this package writes these columns.
const bodySchema = z.custom<Omit<StoredFact, "terms" | "vector">>();
const termsSchema = z.array(z.tuple([z.string(), z.number()]));
const vectorSchema = z.instanceof(Uint8Array).nullable();

const termsIn = (json: unknown): readonly TermWeight[] =>
  termsSchema.parse(JSON.parse(String(json))).map(([term, weight]) => ({ term, weight }));

/** The columns that {@link unpackFact} needs. */
export const columnsFor = ({ brief }: Extent): string =>
  brief === true ? "facts.seq, facts.body" : "facts.seq, facts.body, facts.terms, facts.vector";

/** Converts a row of {@link columnsFor} into a fact. */
export function unpackFact({ body, terms, vector }: SqliteRow): StoredFact {
  const packed = vectorSchema.parse(vector ?? null);
  return {
    ...bodySchema.parse(JSON.parse(String(body))),
    terms: terms === undefined ? [] : termsIn(terms),
    vector: packed === null ? null : unpackVector(packed),
  };
}
