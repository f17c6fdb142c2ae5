import { expect, it } from "vitest";
import { openPostgres, openRedis } from "../support/crash/backends.ts";
import type { Mode } from "../support/crash/conversation.ts";
import { crashAtEveryPoint } from "../support/crash/every-point.ts";
import { scenarioNamed } from "../support/crash/scenarios.ts";

const mode: Mode = { durability: "step", concurrency: "queue", repeats: false };

const names = [
  "two turns with tools",
  "an approval together with the client's result",
  "two simultaneous runs",
];

it.each([
  ["Postgres", openPostgres],
  ["Redis", openRedis],
])("a process that dies right behind any call breaks no promise: %s", async (_name, open) => {
  const backend = await open();
  try {
    for (const name of names) {
      const scenario = scenarioNamed(name);
      const { broken, struck } = await crashAtEveryPoint(backend, {
        scenario,
        mode,
        crashes: ["killed after"],
      });
      expect(broken).toEqual([]);
      expect(struck).toBeGreaterThan(10);
    }
  } finally {
    await backend.close();
  }
});
