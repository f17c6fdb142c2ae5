import { pick as pickWith, randomNumbers } from "../random.ts";
import { CRASHES } from "./saboteur.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { Trial } from "./trial.ts";

const MOST_STRIKES = 3;
/** The number of calls within which a crash happens: as many as most scenarios make without a fault. */
const MOST_CALLS = 30;

/** A scenario with one to three crashes, the same for the same seed. */
export function randomTrial(seed: number): Trial & { readonly strikes: NonNullable<Trial["strikes"]> } {
  const random = randomNumbers(seed);
  const pick = <T>(items: readonly T[]): T => pickWith(random, items);
  const scenario = pick(SCENARIOS);
  const durability = pick(["completed", "turn", "step"] as const);
  const concurrency = pick(["reject", "queue"] as const);
  // A client that repeats its message can't distinguish a late reply from an earlier one.
  const mayComeLate = concurrency === "reject" && !scenario.rivals;
  const crashes = mayComeLate ? CRASHES : CRASHES.filter((crash) => crash !== "killed, done late");
  const strikes = Array.from({ length: 1 + Math.floor(random() * MOST_STRIKES) }, () => ({
    at: 1 + Math.floor(random() * MOST_CALLS),
    crash: pick(crashes),
    delay: 1 + Math.floor(random() * 5),
  }));
  return { scenario, mode: { durability, concurrency, repeats: random() < 0.5 }, strikes };
}
