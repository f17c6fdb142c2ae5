import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { openPostgres, openRedis } from "./support/lossless/backends.ts";
import { changing, fourServices, handedOver, inWindow, SABOTAGES } from "./support/lossless/by-hand.ts";
import { describeFew, fewMadeUp } from "./support/lossless/few.ts";
import { eventsIn, faultsIn, NO_FAULTS } from "./support/lossless/figures.ts";
import { play } from "./support/lossless/play.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

// The stress tests play all conversations, and also these on PGlite.
describeFew("Redis", openRedis);
describeFew("Postgres", openPostgres);

it("a few conversations include every event", () => {
  for (const [event, count] of Object.entries(eventsIn(fewMadeUp)))
    expect([event, count > 0]).toEqual([event, true]);
});

const store = createInMemoryProvider();
const backend = {
  connect: async () => ({ provider: store, close: async () => {} }),
  close: async () => {},
};

describe("a model whose thinking is bound to all earlier content", () => {
  it("refuses a part of a conversation", async () => {
    const { refused } = faultsIn([await play(inWindow("boundClaude"), { backend })]);
    expect(refused).toEqual([expect.stringContaining("bound to a different conversation")]);
  });

  it("accepts it if the request drops that thinking", async () => {
    const played = ["claude", "directClaude"].map((agent) => play(inWindow(agent), { backend }));
    expect(faultsIn(await Promise.all(played))).toEqual(NO_FAULTS);
  });
});

it("a model that requires its own thinking at the start of a tool turn continues another model's turn", async () => {
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

describe("the test notices", () => {
  it("nothing if nothing is changed", async () => {
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
