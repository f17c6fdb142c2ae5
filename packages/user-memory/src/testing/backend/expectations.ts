import { expect } from "vitest";
import type { FactSelection, StoredFact, UserKey, UserMemoryBackend, UserSnapshot } from "../../backend.ts";
import type { FactStatus } from "../../fact.ts";
import type { Matches, TermWeight } from "../../ranker/term-index.ts";

export const STATUSES: readonly FactStatus[] = ["active", "quarantined", "superseded"];

const byTerm = (a: TermWeight, b: TermWeight): number => (a.term < b.term ? -1 : a.term > b.term ? 1 : 0);

const sorted = (terms: readonly TermWeight[]): readonly TermWeight[] =>
  terms.map(({ term, weight }) => ({ term, weight })).sort(byTerm);

/** Returns a fact in a form that can be compared. */
// A backend can reorder the terms, and need not store vectors.
export const plainFact = ({ nearest }: UserMemoryBackend, fact: StoredFact): StoredFact => ({
  ...fact,
  terms: sorted(fact.terms),
  vector: nearest === undefined || fact.vector === null ? null : [...fact.vector],
});

export const plainFacts = (backend: UserMemoryBackend, facts: readonly StoredFact[]) =>
  facts.map((fact) => plainFact(backend, fact));

export const plainSnapshot = (
  backend: UserMemoryBackend,
  { head, facts, tombstones }: UserSnapshot,
): UserSnapshot => ({
  head,
  facts: plainFacts(backend, facts),
  tombstones: [...tombstones].sort((a, b) => (a.digest < b.digest ? -1 : 1)),
});

/** Returns matches in a form that can be compared: in a fixed order, without absent fields. */
export const plainMatches = ({ size, documents }: Matches) => ({
  size,
  documents: [...documents]
    .sort((a, b) => a.seq - b.seq)
    .map(({ seq, location, author, saidAt, terms, length }) => ({
      seq,
      location:
        location === undefined
          ? null
          : { conversationId: location.conversationId, position: location.position },
      author: author ?? null,
      saidAt: saidAt ?? null,
      terms: sorted(terms),
      length: length ?? null,
    })),
});

export const seqs = (facts: readonly { readonly seq: number }[]): readonly number[] =>
  facts.map(({ seq }) => seq);

/** Returns the `seq` numbers of the facts that a selection finds in a backend. */
export const selected = async (
  backend: UserMemoryBackend,
  user: UserKey,
  selection: FactSelection,
): Promise<readonly number[]> => seqs((await backend.read(user, selection)).facts);

/** Returns all facts of a user, newest first. */
export const allFacts = (backend: UserMemoryBackend, user: UserKey): Promise<readonly StoredFact[]> =>
  backend.list(user, { statuses: STATUSES, limit: 100_000 });

/** Returns the `seq` numbers of the facts that have at least one of the index terms, in ascending order. */
export const matched = async (
  backend: UserMemoryBackend,
  user: UserKey,
  ...terms: readonly string[]
): Promise<readonly number[]> => seqs(plainMatches(await backend.match(user, terms)).documents);

/**
 * Checks that nothing of a user's former facts (`was`) is left: no facts, tombstones, index terms or vectors.
 */
export async function expectNothingLeft(
  backend: UserMemoryBackend,
  user: UserKey,
  was: { readonly facts: readonly StoredFact[]; readonly tombstones?: readonly string[] },
): Promise<void> {
  const { facts, tombstones = [] } = was;
  const snapshot = await backend.read(user, { ...selectionOf(facts), tombstones });
  expect(snapshot.facts).toEqual([]);
  expect(snapshot.tombstones).toEqual([]);
  expect(await allFacts(backend, user)).toEqual([]);
  const terms = facts.flatMap((fact) => fact.terms.map(({ term }) => term));
  expect(await backend.match(user, [...new Set(terms)].slice(0, 64))).toEqual({ size: 0, documents: [] });
  const vector = facts.find((fact) => fact.vector !== null)?.vector;
  if (vector != null) expect((await backend.nearest?.(user, vector, 10)) ?? []).toEqual([]);
}

/** Returns a selection that finds the given facts by each of its fields. */
export const selectionOf = (facts: readonly StoredFact[]): Required<FactSelection> => ({
  seqs: seqs(facts),
  ids: facts.map(({ id }) => id),
  digests: facts.map(({ digest }) => digest),
  keys: facts.flatMap(({ key }) => key ?? []),
  currentKeys: facts.flatMap(({ key, status }) => (status === "active" ? (key ?? []) : [])),
  locations: facts.flatMap(({ conversationId, position }) =>
    conversationId === null || position === null ? [] : { conversationId, position },
  ),
  supersededBy: facts.flatMap(({ supersededBy }) => supersededBy ?? []),
});
