import type { StoredFact, Tombstone } from "../backend/backend.ts";
import type { Digests } from "./digests.ts";

type Told = Pick<StoredFact, "fact" | "conversationId" | "position" | "evidence">;

/** By what a forgotten fact is known again: what it says, its words, and where it was drawn from. */
export function tombstoneDigests(told: Told, digests: Digests): readonly string[] {
  const all = [digests.ofFact(told.fact), digests.ofWords(told.fact), digests.ofSource(told)];
  return all.filter((digest) => digest !== undefined);
}

export const tombstonesFor = (fact: StoredFact, digests: Digests, at: number): readonly Tombstone[] =>
  tombstoneDigests(fact, digests).map((digest) => ({ digest, at }));
