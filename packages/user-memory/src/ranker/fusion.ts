/** Something that the words of a query find. */
export interface ByWords<Id> {
  readonly id: Id;
  /** Above 0. */
  readonly score: number;
}

/** Something that is near to a query by its vector. */
export interface ByMeaning<Id> {
  readonly id: Id;
  /** Cosine similarity, of whatever scale the embedder has. */
  readonly similarity: number;
}

/** What meaning counts where words bear out nothing of it: enough to come behind what the words find. */
const LEAST = 0.01;

/**
 * One ranking of two, best first. How much meaning counts beside words is earned anew by each query, by how much better what is
 * nearest fits by its words than what is merely near: vectors that know nothing change nothing. Similarities are
 * compared with each other alone, since every embedder has a scale of its own.
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

/** By item, how far it stands out from the last of those that are near, from 0 to 1: to the third power, since few have to do with a query. */
function standingsOf(near: readonly ByMeaning<unknown>[]): readonly number[] {
  const similarities = near.map(({ similarity }) => similarity);
  const highest = Math.max(...similarities);
  const lowest = Math.min(...similarities);
  return similarities.map((similarity) =>
    similarity <= 0 ? 0 : highest === lowest ? 1 : ((similarity - lowest) / (highest - lowest)) ** 3,
  );
}

/** From 0, as chance would have it, to 1: all that is nearest fits best by its words, too. */
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
