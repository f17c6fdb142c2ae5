/** An item that matches a query by its words. */
export interface ByWords<Id> {
  readonly id: Id;
  /** How well the item matches by words, above 0. */
  readonly score: number;
}

/** An item that matches a query by its meaning, i.e. by its vector. */
export interface ByMeaning<Id> {
  readonly id: Id;
  /** Cosine similarity of the item to the query. */
  readonly similarity: number;
}

/** The minimum weight of meaning. */
// It is low, so that items found only by meaning come after items found by words.
const LEAST = 0.01;

/** Merges a ranking by words and a ranking by meaning into one, best first. */
export function blend<Id extends string | number>(
  words: readonly ByWords<Id>[],
  near: readonly ByMeaning<Id>[],
): readonly Id[] {
  // Meaning weighs more if the items with the highest similarity match better by words than the other items in `near`.
  // So useless vectors change very little. Each embedding model has its own scale of similarities.
  const best = words.reduce((most, { score }) => Math.max(most, score), 0);
  const scores = new Map(words.map(({ id, score }) => [id, score / best]));
  const standing = standingsOf(near);
  const weight = Math.max(LEAST, agreementOf(near, standing, scores));
  for (const [index, { id }] of near.entries()) {
    const gain = weight * (standing[index] ?? 0);
    if (gain > 0) scores.set(id, (scores.get(id) ?? 0) + gain);
  }
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}

/** Returns for each item a value from 0 (the lowest similarity of all items) to 1 (the highest). */
function standingsOf(near: readonly ByMeaning<unknown>[]): readonly number[] {
  // The values are cubed, because usually only a few items have anything to do with a query.
  const similarities = near.map(({ similarity }) => similarity);
  const highest = Math.max(...similarities);
  const lowest = Math.min(...similarities);
  return similarities.map((similarity) =>
    similarity <= 0 ? 0 : highest === lowest ? 1 : ((similarity - lowest) / (highest - lowest)) ** 3,
  );
}

/** Returns how well meaning and words agree, from 0 (no more than by chance) to 1. */
function agreementOf<Id>(
  near: readonly ByMeaning<Id>[],
  standing: readonly number[],
  words: ReadonlyMap<Id, number>,
): number {
  let [all, weighted, total] = [0, 0, 0];
  for (const [index, { id }] of near.entries()) {
    const fit = words.get(id) ?? 0;
    const weight = standing[index] ?? 0;
    all += fit;
    weighted += weight * fit;
    total += weight;
  }
  if (total === 0) return 0;
  const chance = all / near.length;
  return chance === 1 ? 0 : Math.max(0, (weighted / total - chance) / (1 - chance));
}
