import type { FactSelection, StoredFact } from "@jaf/user-memory/adapter";
import { list, text, UnexpectedReply } from "../lua.ts";

/** The version of the layout in which a fact is stored. */
const LAYOUT = 2;

type Scalar = Exclude<keyof StoredFact, "terms" | "vector">;

const POSITIONS: Readonly<Record<Scalar, number>> = {
  seq: 1,
  id: 2,
  fact: 3,
  tags: 4,
  score: 5,
  trust: 6,
  status: 7,
  quarantine: 8,
  digest: 9,
  key: 10,
  conversationId: 11,
  position: 12,
  messageId: 13,
  author: 14,
  extractor: 15,
  evidence: 16,
  saidAt: 17,
  createdAt: 18,
  updatedAt: 19,
  validFrom: 20,
  validUntil: 21,
  supersededBy: 22,
  supersededAt: 23,
  conflictsWith: 24,
  quotation: 25,
  usedAt: 26,
};

const SCALARS = Object.entries(POSITIONS) as readonly (readonly [Scalar, number])[];
const TERMS = SCALARS.length + 1;

/** Converts a fact, without its vector, into the JSON array that Redis stores. */
export function encodeFact(fact: StoredFact): string {
  const values: unknown[] = [LAYOUT];
  for (const [name, position] of SCALARS) values[position] = fact[name];
  // Alternating terms and weights.
  values[TERMS] = fact.terms.flatMap(({ term, weight }) => [term, weight]);
  return JSON.stringify(values);
}

function decodeFact(body: string, vector: string): StoredFact {
  const values: unknown = JSON.parse(body);
  if (!Array.isArray(values) || values[0] !== LAYOUT || values.length !== TERMS + 1) {
    throw new UnexpectedReply("a fact was stored by another version of this package");
  }
  const flat: readonly unknown[] = values[TERMS];
  const fact: Record<string, unknown> = {
    terms: Array.from({ length: flat.length / 2 }, (_, at) => ({
      term: flat[2 * at],
      weight: flat[2 * at + 1],
    })),
    vector: vector === "" ? null : [...decodeVector(vector)],
  };
  for (const [name, position] of SCALARS) fact[name] = values[position];
  return fact as unknown as StoredFact;
}

/** Converts the JSON texts of facts (`bodies`) and their encoded vectors, as scripts return them, into facts. */
export function decodeFacts(bodies: unknown, vectors: unknown): readonly StoredFact[] {
  const given = list(vectors);
  return list(bodies).map((body, at) => decodeFact(text(body), text(given[at] ?? "")));
}

/** Encodes a vector as base64, with four bytes for each number. */
export const encodeVector = (vector: readonly number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString("base64");

export function decodeVector(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  const vector = new Float32Array(bytes.length >>> 2);
  bytes.copy(new Uint8Array(vector.buffer));
  return vector;
}

const SIGNS = 6;
/**
 * The code of the first character that signatures use: the question mark. Signatures use the 64 characters from there
 * on, which include neither a colon nor a semicolon.
 */
const FIRST = 63;

/** Returns the signature of a vector: the sign of each number as one bit, with six bits in each character. */
export function signatureOf(vector: readonly number[]): string {
  const codes = new Uint8Array(signatureLength(vector)).fill(FIRST);
  for (let at = 0; at < vector.length; at++) {
    const character = Math.floor(at / SIGNS);
    if ((vector[at] ?? 0) > 0) codes[character] = (codes[character] ?? 0) + (1 << (at % SIGNS));
  }
  return Buffer.from(codes.buffer).toString("latin1");
}

/** Returns the length of a vector's signature in characters. */
export const signatureLength = (vector: readonly number[]): number => Math.ceil(vector.length / SIGNS);

/**
 * Returns a function that scores how close the directions of two vectors are: `vector`, and a vector whose signature
 * begins at the index `at` of a text. A higher score means closer.
 */
export function signatureScorer(vector: readonly number[]): (text: string, at: number) => number {
  const length = signatureLength(vector);
  const weights = new Float64Array(length * 128);
  for (let character = 0; character < length; character++) {
    for (let bits = 0; bits < 1 << SIGNS; bits++) {
      let sum = 0;
      for (let sign = 0; sign < SIGNS; sign++) {
        const value = vector[character * SIGNS + sign] ?? 0;
        sum += bits & (1 << sign) ? value : -value;
      }
      weights[character * 128 + FIRST + bits] = sum;
    }
  }
  return (text, at) => {
    let score = 0;
    for (let character = 0; character < length; character++) {
      score += weights[character * 128 + text.charCodeAt(at + character)] ?? 0;
    }
    return score;
  };
}

const locationName = (conversationId: string, position: number): string =>
  `place:${position}:${conversationId}`;

/** Returns the names under which a fact can be looked up, e.g. `id:<id of the fact>`. */
export const lookupsOf = (fact: StoredFact): readonly string[] => [
  `id:${fact.id}`,
  `digest:${fact.digest}`,
  ...(fact.key === null ? [] : [`key:${fact.key}`]),
  ...(fact.key === null || fact.status !== "active" ? [] : [`current:${fact.key}`]),
  ...(fact.conversationId === null || fact.position === null
    ? []
    : [locationName(fact.conversationId, fact.position)]),
  ...(fact.supersededBy === null ? [] : [`by:${fact.supersededBy}`]),
];

/** Returns the names that a selection of facts looks up, e.g. `id:<id of a fact>`. */
export const lookupsIn = (selection: FactSelection): readonly string[] => [
  ...(selection.ids ?? []).map((id) => `id:${id}`),
  ...(selection.digests ?? []).map((digest) => `digest:${digest}`),
  ...(selection.keys ?? []).map((key) => `key:${key}`),
  ...(selection.currentKeys ?? []).map((key) => `current:${key}`),
  ...(selection.locations ?? []).map(({ conversationId, position }) =>
    locationName(conversationId, position),
  ),
  ...(selection.supersededBy ?? []).map((id) => `by:${id}`),
];
