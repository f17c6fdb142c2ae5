import type { FactSelection, StoredFact } from "../backend/backend.ts";

/** Under which names a fact is found, as a backend without columns keeps them. */
export const lookupsOf = (fact: StoredFact): readonly string[] => [
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

/** The names that a selection asks for. */
export const lookupsIn = (selection: FactSelection): readonly string[] => [
  ...(selection.seqs ?? []).map((seq) => `seq:${seq}`),
  ...(selection.ids ?? []).map((id) => `id:${id}`),
  ...(selection.digests ?? []).map((digest) => `digest:${digest}`),
  ...(selection.keys ?? []).map((key) => `key:${key}`),
  ...(selection.currentKeys ?? []).map((key) => `current:${key}`),
  ...(selection.locations ?? []).map(({ conversationId, position }) => `place:${position}:${conversationId}`),
  ...(selection.supersededBy ?? []).map((id) => `by:${id}`),
];
