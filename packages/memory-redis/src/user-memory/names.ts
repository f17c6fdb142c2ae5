import type { FactSelection, StoredFact } from "@jaf/user-memory/adapter";

const locationName = (conversationId: string, position: number): string =>
  `place:${position}:${conversationId}`;

/** Names that a fact is found by, beside its `seq`. */
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

/** The names that a selection asks for, beside its `seqs`. */
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
