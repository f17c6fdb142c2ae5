/** Returns the next random number, from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Returns a generator of random numbers (mulberry32). A seed gives the same numbers everywhere. */
export function randomNumbers(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a random whole number from 0, less than `limit`. */
export const below = (random: Random, limit: number): number => Math.floor(random() * limit);

export const pick = <T>(random: Random, choices: readonly T[]): T => {
  const choice = choices[below(random, choices.length)];
  if (choice === undefined) throw new TypeError("choices: expected at least one");
  return choice;
};

/** Returns a random part of the choices, in their order. Keeps each choice with the probability `share`. */
export const some = <T>(random: Random, choices: readonly T[], share = 0.5): readonly T[] =>
  choices.filter(() => random() < share);
