/** An item found by words. */
export interface ByWords<Id> {
  readonly id: Id;
  /** Above 0. */
  readonly score: number;
}

/** An item found by its vector. */
export interface ByMeaning<Id> {
  readonly id: Id;
  /** Cosine similarity. The scale depends on the embedding model. */
  readonly similarity: number;
}

/** The minimum weight of meaning: items found only by meaning come after those found by words. */
const LEAST = 0.01;

/**
 * Merges two rankings, best first. For each query, the weight of meaning depends on how much better the nearest items match by
 * words than the other near items. So useless vectors change nothing. Similarities are only compared with each other, since
 * each embedding model has its own scale.
 */
export function blend<Id extends string | number>(
  words: readonly ByWords<Id>[],
  near: readonly ByMeaning<Id>[],
): readonly Id[] {
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

/** Returns for each item, from 0 to 1, how far it is above the least similar one. Cubed, since few items relate to a query. */
function standingsOf(near: readonly ByMeaning<unknown>[]): readonly number[] {
  const similarities = near.map(({ similarity }) => similarity);
  const highest = Math.max(...similarities);
  const lowest = Math.min(...similarities);
  return similarities.map((similarity) =>
    similarity <= 0 ? 0 : highest === lowest ? 1 : ((similarity - lowest) / (highest - lowest)) ** 3,
  );
}

/** Returns the agreement of meaning and words, from 0 (chance) to 1 (the nearest items match best by words). */
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
