import type { StoredFact } from "@jaf/user-memory/adapter";
import { list, text, UnexpectedReply } from "../decoding.ts";
import { decodeVector } from "./vector-codec.ts";

/** The layout of a body. Another one gets another number; of an older one, what it didn't have yet is `null`. */
const LAYOUT = 2;
const SCALARS_OF_LAYOUT: ReadonlyMap<unknown, number> = new Map([
  [1, 24],
  [LAYOUT, 26],
]);

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
  const scalars = Array.isArray(values) ? SCALARS_OF_LAYOUT.get(values[0]) : undefined;
  if (!Array.isArray(values) || scalars === undefined || values.length !== scalars + 2) {
    throw new UnexpectedReply("a fact is not as this version stores it");
  }
  const flat: readonly unknown[] = values[scalars + 1];
  const fact: Record<string, unknown> = {
    terms: Array.from({ length: flat.length / 2 }, (_, at) => ({
      term: flat[2 * at],
      weight: flat[2 * at + 1],
    })),
    vector: vector === "" ? null : [...decodeVector(vector)],
  };
  for (const [name, position] of SCALARS) fact[name] = position > scalars ? null : values[position];
  return fact as unknown as StoredFact;
}

/** Of the bodies and vectors that scripts return. */
export function decodeFacts(bodies: unknown, vectors: unknown): readonly StoredFact[] {
  const given = list(vectors);
  return list(bodies).map((body, at) => decodeFact(text(body), text(given[at] ?? "")));
}
