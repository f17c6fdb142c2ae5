import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, openInMemory } from "./backends.ts";
import type { Mode } from "./conversation.ts";
import { crashAtEveryPoint } from "./every-point.ts";
import type { Crash } from "./saboteur.ts";
import { SCENARIOS } from "./scenarios.ts";

export interface Trials {
  readonly mode: Mode;
  /** A process that dies before a call leaves the same state as one that dies after the previous call. */
  readonly crashes: readonly Crash[];
}

/** Plays every scenario in memory, with a crash at each of its calls. */
export function describeCrashes(trial: Trials): void {
  describe(`a crash at any external call with durability ${trial.mode.durability}`, () => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await openInMemory();
    });
    afterAll(() => backend.close());

    it.each(SCENARIOS)("breaks no promise: $name", async (scenario) => {
      const { broken, struck } = await crashAtEveryPoint(backend, { scenario, ...trial });
      expect(broken).toEqual([]);
      expect(struck).toBeGreaterThan(5);
    });
  });
}
