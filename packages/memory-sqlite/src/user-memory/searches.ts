import { present } from "@jaf/memory/adapter";
import type { MatchedDocument, TermWeight, UserMemoryBackend } from "@jaf/user-memory/adapter";
import type { SqliteRow } from "../client/driver.ts";
import type { OpenedDatabase } from "../database.ts";
import { cosineTo, packedLength } from "./fact-codec.ts";

type Searches = Required<Pick<UserMemoryBackend, "match" | "nearest">>;

const SIZE = "SELECT count(*) AS size FROM facts WHERE user_hash = ? AND term_count > 0";

// The terms come first in the join, so only facts that have one of them are read.
const MATCH = `
SELECT facts.seq, facts.conversation_id, facts.position, facts.author, facts.said_at, facts.term_count,
  fact_terms.term, fact_terms.weight
FROM fact_terms CROSS JOIN facts ON facts.id = fact_terms.fact
WHERE fact_terms.user_hash = ? AND fact_terms.term IN (SELECT value FROM json_each(?))`;

const VECTORS = "SELECT seq, vector FROM facts WHERE user_hash = ? AND length(vector) = ?";

const textOr = (value: unknown): string | undefined => (value == null ? undefined : String(value));
const numberOr = (value: unknown): number | undefined => (value == null ? undefined : Number(value));

function toDocument(row: SqliteRow, terms: readonly TermWeight[]): MatchedDocument {
  const conversationId = textOr(row["conversation_id"]);
  const position = numberOr(row["position"]);
  return {
    seq: Number(row["seq"]),
    length: Number(row["term_count"]),
    terms,
    ...present({ author: textOr(row["author"]), saidAt: numberOr(row["said_at"]) }),
    ...(conversationId === undefined || position === undefined
      ? {}
      : { location: { conversationId, position } }),
  };
}

/** Joins the rows of each fact, which has one for each of the terms that it contains. */
function toDocuments(rows: readonly SqliteRow[]): readonly MatchedDocument[] {
  const found = new Map<number, { readonly row: SqliteRow; readonly terms: TermWeight[] }>();
  for (const row of rows) {
    const seq = Number(row["seq"]);
    const terms = found.get(seq)?.terms ?? [];
    terms.push({ term: String(row["term"]), weight: Number(row["weight"]) });
    found.set(seq, { row, terms });
  }
  return [...found.values()].map(({ row, terms }) => toDocument(row, terms));
}

export function createSearches(database: OpenedDatabase): Searches {
  return {
    match: ({ hash }, terms) =>
      database.read((client) => ({
        size: Number(client.first(SIZE, hash)?.["size"]),
        documents: toDocuments(client.all(MATCH, hash, JSON.stringify(terms))),
      })),
    // Compares each vector of the user: some thousands at most.
    nearest: async ({ hash }, vector, limit) => {
      if (vector.length === 0) return [];
      const rows = await database.read((client) => client.all(VECTORS, hash, packedLength(vector.length)));
      const cosine = cosineTo(vector);
      return rows
        .map((row) => ({ seq: Number(row["seq"]), similarity: cosine(row["vector"] as Uint8Array) }))
        .filter(({ similarity }) => Number.isFinite(similarity))
        .sort((a, b) => b.similarity - a.similarity || b.seq - a.seq)
        .slice(0, limit);
    },
  };
}
