import type { StoredFact } from "@jaf/user-memory/adapter";
import { list, text, UnexpectedReply } from "../decoding.ts";
import { decodeVector } from "./vector-codec.ts";

/** The layout of a body: another one gets another number. */
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

/** A fact without its vector: JSON of its values without their names, the terms and their weights in turn. */
export function encodeFact(fact: StoredFact): string {
  const values: unknown[] = [LAYOUT];
  for (const [name, position] of SCALARS) values[position] = fact[name];
  values[TERMS] = fact.terms.flatMap(({ term, weight }) => [term, weight]);
  return JSON.stringify(values);
}

function decodeFact(body: string, vector: string): StoredFact {
  const values: unknown = JSON.parse(body);
  if (!Array.isArray(values) || values[0] !== LAYOUT || values.length !== TERMS + 1) {
    throw new UnexpectedReply("a fact is not as this version stores it");
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

/** Of the bodies and vectors that scripts return. */
export function decodeFacts(bodies: unknown, vectors: unknown): readonly StoredFact[] {
  const given = list(vectors);
  return list(bodies).map((body, at) => decodeFact(text(body), text(given[at] ?? "")));
}
