import { CRASHES } from "./saboteur.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { Trial } from "./trial.ts";

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MOST_STRIKES = 3;
/** Within how many calls it is struck: as many as most scenarios make where nothing goes wrong. */
const MOST_CALLS = 30;

/** A scenario that is struck one to three times, the same for the same seed. */
export function randomTrial(seed: number): Trial & { readonly strikes: NonNullable<Trial["strikes"]> } {
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const scenario = pick(SCENARIOS);
  const durability = pick(["completed", "turn", "step"] as const);
  const concurrency = pick(["reject", "queue"] as const);
  // What says the same again can't tell a reply that comes late from one that was there before.
  const mayComeLate = concurrency === "reject" && !scenario.rivals;
  const crashes = mayComeLate ? CRASHES : CRASHES.filter((crash) => crash !== "killed, done late");
  const strikes = Array.from({ length: 1 + Math.floor(random() * MOST_STRIKES) }, () => ({
    at: 1 + Math.floor(random() * MOST_CALLS),
    crash: pick(crashes),
    delay: 1 + Math.floor(random() * 5),
  }));
  return { scenario, mode: { durability, concurrency, repeats: random() < 0.5 }, strikes };
}
