import type { UserKey } from "@jaf/user-memory/adapter";
import { list, text } from "../lua.ts";
import { decodeVector, signatureLength, signatureScorer } from "./fact-codec.ts";
import type { UserMemoryCalls } from "./keys.ts";

/** A fact's number (`seq`), and how similar the fact's vector is to the requested vector. */
interface Near {
  readonly seq: number;
  readonly similarity: number;
}

/** How many numbers of vectors a query compares exactly, e.g. 512 vectors of 1,024 numbers each. */
const EXACT_NUMBERS = 512 * 1_024;

/** If vectors have at most this many numbers, all of them are compared exactly. */
// The signs of so few numbers say too little about a vector.
const SHORT = 64;

/** The maximum number of vectors that one command reads, so no command blocks the server for long. */
const PART = 128;

const byNearness = (a: Near, b: Near): number => b.similarity - a.similarity || b.seq - a.seq;

/**
 * Returns the cosine similarity of each vector in `others` to `vector`. Skips zero vectors, and vectors of another
 * dimension.
 */
function exactly(vector: readonly number[], others: Iterable<readonly [number, string]>): readonly Near[] {
  const wanted = Float64Array.from(vector);
  const length = Math.hypot(...vector);
  const found: Near[] = [];
  for (const [seq, encoded] of others) {
    const other = decodeVector(encoded);
    if (other.length !== wanted.length) continue;
    let dot = 0;
    let square = 0;
    for (let at = 0; at < other.length; at++) {
      const value = other[at] ?? 0;
      dot += value * (wanted[at] ?? 0);
      square += value * value;
    }
    const similarity = dot / (length * Math.sqrt(square));
    if (Number.isFinite(similarity)) found.push({ seq, similarity });
  }
  return found;
}

/**
 * Returns the numbers (`seq`) of the facts whose vectors point most nearly in the direction of `vector`, judged by
 * their signatures.
 */
function candidates(vector: readonly number[], fields: readonly string[], limit: number): readonly string[] {
  const length = signatureLength(vector);
  const score = signatureScorer(vector);
  const found: Near[] = [];
  for (const records of fields) {
    for (let from = 0; from < records.length; ) {
      const colon = records.indexOf(":", from);
      const next = records.indexOf(";", colon);
      const end = next === -1 ? records.length : next;
      if (end - colon - 1 === length) {
        found.push({ seq: Number(records.slice(from + 1, colon)), similarity: score(records, colon + 1) });
      }
      from = end;
    }
  }
  const nearest = found.length <= limit ? found : found.sort(byNearness).slice(0, limit);
  return nearest.map(({ seq }) => String(seq));
}

/**
 * Returns a function that finds a user's facts with the nearest vectors. It compares some hundreds of vectors exactly:
 * those with the nearest signatures.
 */
export function createNearest({ port, keys, deadlines }: UserMemoryCalls) {
  const send = async (command: readonly string[], key: string): Promise<readonly unknown[]> =>
    list(await deadlines(port.send(command, key)));

  return async (user: UserKey, vector: readonly number[], limit: number): Promise<readonly Near[]> => {
    const { vectors, signatures } = keys.of(user);
    const exact = Math.max(2 * limit, Math.ceil(EXACT_NUMBERS / Math.max(1, vector.length)));
    const fields = (await send(["HVALS", signatures], signatures)).map(text);
    const seqs = candidates(vector, fields, vector.length <= SHORT ? Number.MAX_SAFE_INTEGER : exact);
    const parts = Array.from({ length: Math.ceil(seqs.length / PART) }, (_, at) =>
      seqs.slice(at * PART, (at + 1) * PART),
    );
    const found = await Promise.all(
      parts.map(async (part) => {
        const encoded = await send(["HMGET", vectors, ...part], vectors);
        return part.flatMap((seq, at): readonly (readonly [number, string])[] =>
          encoded[at] == null ? [] : [[Number(seq), text(encoded[at])]],
        );
      }),
    );
    return [...exactly(vector, found.flat())].sort(byNearness).slice(0, limit);
  };
}
