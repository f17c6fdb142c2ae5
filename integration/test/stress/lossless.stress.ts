import { describe, expect, it } from "vitest";
import { type LosslessBackend, openPglite, openPostgres, openRedis } from "../support/lossless/backends.ts";
import { describeFew } from "../support/lossless/few.ts";
import { describePlayed, faultsIn, NO_FAULTS } from "../support/lossless/figures.ts";
import { madeUpConversation } from "../support/lossless/made-up.ts";
import { makePlan } from "../support/lossless/make-plan.ts";
import type { Plan } from "../support/lossless/plan.ts";
import { type Played, play } from "../support/lossless/play.ts";
import { recordedConversations, recordedMissing } from "../support/lossless/recorded.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const AT_ONCE = 4;
const MADE_UP = 100;

const recorded = recordedMissing === undefined ? recordedConversations() : [];
const madeUp = Array.from({ length: MADE_UP }, (_, index) => madeUpConversation(index + 1));
const plans = [...recorded, ...madeUp].map((spoken, index) => makePlan(spoken, index));

async function playAll(all: readonly Plan[], backend: LosslessBackend): Promise<readonly Played[]> {
  const left = [...all];
  const played: Played[] = [];
  const lane = async () => {
    for (let plan = left.shift(); plan !== undefined; plan = left.shift())
      played.push(await play(plan, { backend }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return played;
}

describeFew("PGlite", openPglite);

describe.each([
  ["Redis", openRedis],
  ["Postgres", openPostgres],
  ["PGlite", openPglite],
])("%s", (name, open) => {
  it("no model's content is refused, changed, lost or sent to another model in any conversation", async () => {
    const backend = await open();
    const played = await playAll(plans, backend);
    await backend.close();
    process.stdout.write(describePlayed(name, plans, played));
    if (recordedMissing !== undefined) process.stdout.write(`${recordedMissing}\n`);
    expect(faultsIn(played)).toEqual(NO_FAULTS);
  }, 300_000);
});
