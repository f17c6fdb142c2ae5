import type {
  FactSelection,
  StoredAuditEntry,
  StoredFact,
  Tombstone,
  UserChange,
  UserHead,
} from "../backend.ts";
import { createMemoryTermIndex } from "../ranker/index.ts";
import type { Matches } from "../ranker/term-index.ts";

/** The data of one user in the in-memory backend. */
export interface UserState {
  readonly head: () => UserHead | null;
  readonly facts: () => StoredFact[];
  readonly select: (selection: FactSelection) => readonly StoredFact[];
  readonly tombstonesOf: (digests: readonly string[]) => readonly Tombstone[];
  readonly match: (terms: readonly string[]) => Matches;
  readonly audit: () => readonly StoredAuditEntry[];
  readonly apply: (change: UserChange) => void;
}

export function createUserState(): UserState {
  let head: UserHead | null = null;
  const facts = new Map<number, StoredFact>();
  const lookups = new Map<string, Set<number>>();
  const tombstones = new Map<string, Tombstone>();
  const audit: StoredAuditEntry[] = [];
  const index = createMemoryTermIndex();

  function add(fact: StoredFact): void {
    facts.set(fact.seq, fact);
    for (const name of lookupsOf(fact)) {
      const seqs = lookups.get(name) ?? new Set();
      lookups.set(name, seqs.add(fact.seq));
    }
    if (fact.terms.length > 0) index.add(contextOf(fact), fact.terms);
  }

  function remove(fact: StoredFact): void {
    facts.delete(fact.seq);
    for (const name of lookupsOf(fact)) {
      const seqs = lookups.get(name);
      seqs?.delete(fact.seq);
      if (seqs?.size === 0) lookups.delete(name);
    }
    index.remove(fact.seq);
  }

  return {
    head: () => head,
    facts: () => [...facts.values()],
    select: (selection) => {
      const seqs = new Set(lookupsIn(selection).flatMap((name) => [...(lookups.get(name) ?? [])]));
      return [...seqs].sort((a, b) => a - b).flatMap((seq) => facts.get(seq) ?? []);
    },
    tombstonesOf: (digests) => digests.flatMap((digest) => tombstones.get(digest) ?? []),
    match: (terms) => index.match(terms),
    audit: () => audit.slice(),
    apply: (change) => {
      head = change.head;
      for (const { before, after } of change.put) {
        if (before !== null) remove(before);
        add(after);
      }
      for (const fact of change.drop) remove(fact);
      for (const tombstone of change.tombstones) tombstones.set(tombstone.digest, tombstone);
      for (const digest of change.removedTombstones) tombstones.delete(digest);
      audit.push(...change.audit);
    },
  };
}

const contextOf = ({ seq, conversationId, position, author, saidAt }: StoredFact) => ({
  seq,
  location: conversationId === null || position === null ? undefined : { conversationId, position },
  author: author ?? undefined,
  saidAt: saidAt ?? undefined,
});

/** Returns the lookup keys of a fact, e.g. `id:…`: one for each field of a selection. */
const lookupsOf = (fact: StoredFact): readonly string[] => [
  `seq:${fact.seq}`,
  `id:${fact.id}`,
  `digest:${fact.digest}`,
  ...(fact.key === null ? [] : [`key:${fact.key}`]),
  ...(fact.key === null || fact.status !== "active" ? [] : [`current:${fact.key}`]),
  ...(fact.conversationId === null || fact.position === null
    ? []
    : [`place:${fact.position}:${fact.conversationId}`]),
  ...(fact.supersededBy === null ? [] : [`by:${fact.supersededBy}`]),
];

/** Returns the lookup keys in a selection, e.g. `id:…`. Facts with at least one of these keys are selected. */
const lookupsIn = (selection: FactSelection): readonly string[] => [
  ...(selection.seqs ?? []).map((seq) => `seq:${seq}`),
  ...(selection.ids ?? []).map((id) => `id:${id}`),
  ...(selection.digests ?? []).map((digest) => `digest:${digest}`),
  ...(selection.keys ?? []).map((key) => `key:${key}`),
  ...(selection.currentKeys ?? []).map((key) => `current:${key}`),
  ...(selection.locations ?? []).map(({ conversationId, position }) => `place:${position}:${conversationId}`),
  ...(selection.supersededBy ?? []).map((id) => `by:${id}`),
];
