import { describe, expect, it } from "vitest";
import type { LosslessBackend } from "./backends.ts";
import { faultsIn, NO_FAULTS } from "./figures.ts";
import { madeUpConversation } from "./made-up.ts";
import { makePlan } from "./make-plan.ts";
import { play } from "./play.ts";
import { recordedConversations, recordedMissing } from "./recorded.ts";

/** Chosen to include each event and each agent. */
export const fewMadeUp = [24, 32, 45, 89].map((seed) => makePlan(madeUpConversation(seed), seed));

const recorded = recordedMissing === undefined ? recordedConversations().slice(3, 4) : [];
const plans = [...fewMadeUp, ...recorded.map((spoken, index) => makePlan(spoken, index))];

export function describeFew(name: string, open: () => Promise<LosslessBackend>): void {
  describe(`what models say comes back to them as it was: ${name}`, () => {
    it("through restarts, windows, summaries, handoffs, browsers and imports", async () => {
      const backend = await open();
      const played = await Promise.all(plans.map((plan) => play(plan, { backend })));
      await backend.close();
      expect(faultsIn(played)).toEqual(NO_FAULTS);
      expect(played.every(({ given, whole }) => given > 0 && whole > 0)).toBe(true);
      expect(played.some(({ summaries }) => summaries > 0)).toBe(true);
    }, 120_000); // PGlite alone takes seconds to start.
  });
}
