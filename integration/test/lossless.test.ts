import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { openPglite, openPostgres, openRedis } from "./support/lossless/backends.ts";
import { changing, fourServices, handedOver, inWindow, SABOTAGES } from "./support/lossless/by-hand.ts";
import { eventsIn, faultsIn, NO_FAULTS } from "./support/lossless/figures.ts";
import { madeUpConversation } from "./support/lossless/made-up.ts";
import { makePlan } from "./support/lossless/make-plan.ts";
import { play } from "./support/lossless/play.ts";
import { recordedConversations, recordedMissing } from "./support/lossless/recorded.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

// Chosen so that there is each event and each agent among them.
const madeUp = [24, 32, 45, 89].map((seed) => makePlan(madeUpConversation(seed), seed));
const recorded = recordedMissing === undefined ? recordedConversations().slice(3, 4) : [];
const plans = [...madeUp, ...recorded.map((spoken, index) => makePlan(spoken, index))];

// All of them go through the stress tests.
describe.each([
  ["Redis", openRedis],
  ["Postgres", openPostgres],
  ["PGlite", openPglite],
])("what models say comes back to them as it was: %s", (_name, open) => {
  it("through restarts, windows, summaries, handoffs, browsers and imports", async () => {
    const backend = await open();
    const played = await Promise.all(plans.map((plan) => play(plan, { backend })));
    await backend.close();
    expect(faultsIn(played)).toEqual(NO_FAULTS);
    expect(played.every(({ given, whole }) => given > 0 && whole > 0)).toBe(true);
    expect(played.some(({ summaries }) => summaries > 0)).toBe(true);
  }, 120_000); // PGlite alone takes seconds to begin.
});

it("a few conversations go through all of it", () => {
  for (const [event, count] of Object.entries(eventsIn(madeUp)))
    expect([event, count > 0]).toEqual([event, true]);
});

const store = createInMemoryProvider();
const backend = {
  connect: async () => ({ provider: store, close: async () => {} }),
  close: async () => {},
};

describe("a model whose thinking is bound to all that came before it", () => {
  it("refuses what is left of a conversation", async () => {
    const { refused } = faultsIn([await play(inWindow("boundClaude"), { backend })]);
    expect(refused).toEqual([expect.stringContaining("bound to a different conversation")]);
  });

  it("takes it where it is told to drop that thinking", async () => {
    const played = ["claude", "directClaude"].map((agent) => play(inWindow(agent), { backend }));
    expect(faultsIn(await Promise.all(played))).toEqual(NO_FAULTS);
  });
});

it("a model that wants a turn of tools to begin with its own thinking takes over one that another began", async () => {
  const handovers = [
    handedOver("gpt", "olderClaude"),
    handedOver("olderClaude", "claude"),
    handedOver("gpt", "directOlder"),
    handedOver("directOlder", "directClaude"),
    handedOver("directClaude", "directOlder"),
  ];
  const played = handovers.map((plan) => play(plan, { backend }));
  expect(faultsIn(await Promise.all(played))).toEqual(NO_FAULTS);
});

describe("is noticed", () => {
  it("nothing, where nothing happens", async () => {
    const played = await play(fourServices, { backend, between: changing((message) => message) });
    expect(faultsIn([played])).toEqual(NO_FAULTS);
    expect(played.whole).toBe(13);
  });

  it.each(SABOTAGES)("$what", async ({ change, expected }) => {
    const faults = faultsIn([await play(fourServices, { backend, between: changing(change) })]);
    const found = Object.entries(faults).flatMap(([fault, items]) => (items.length > 0 ? [fault] : []));
    expect(found).toEqual(expected);
  });
});
