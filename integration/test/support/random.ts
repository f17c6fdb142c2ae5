/** From 0 to less than 1. */
export type Random = () => number;

/** mulberry32. Returns the same numbers for the same seed. */
export function randomNumbers(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0, less than `limit`. */
export const below = (random: Random, limit: number): number => Math.floor(random() * limit);

export const pick = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)] as T;

/** Picks by weight. Never picks an item of weight 0. */
export function pickWeighted<T extends string>(random: Random, weights: Readonly<Record<T, number>>): T {
  const entries = Object.entries(weights) as [T, number][];
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [item, weight] of entries) {
    left -= weight;
    if (left < 0) return item;
  }
  throw new RangeError("every weight is 0");
}
