/** One thing of a fused ranking. */
export interface FusedItem<Id> {
  readonly id: Id;
  readonly score: number;
  /** Its rank in each list, from 1; 0 where it isn't in the list. */
  readonly ranks: readonly number[];
}

export interface FusionOptions {
  /** How little the first ranks stand out; default 60, the usual value. Above 0. */
  readonly k?: number | undefined;
}

/**
 * Makes one ranking of several by their ranks alone, since scores of different kinds don't compare (reciprocal rank
 * fusion: the sum of `1 / (k + rank)`). Each list is best first; of what comes twice in a list, the better rank
 * counts. Equal scores stand in the order in which the lists name them.
 */
export function fuse<Id extends string | number>(
  lists: readonly (readonly Id[])[],
  { k = 60 }: FusionOptions = {},
): readonly FusedItem<Id>[] {
  const ranks = new Map<Id, number[]>();
  for (const [at, list] of lists.entries()) {
    for (const [index, id] of list.entries()) {
      const found = ranks.get(id) ?? lists.map(() => 0);
      ranks.set(id, found);
      found[at] ||= index + 1;
    }
  }
  const score = (found: readonly number[]) =>
    found.reduce((sum, rank) => (rank === 0 ? sum : sum + 1 / (k + rank)), 0);
  return Array.from(ranks, ([id, found]) => ({ id, score: score(found), ranks: found })).sort(
    (one, other) => other.score - one.score,
  );
}
