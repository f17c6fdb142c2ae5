import { describe, expect, it } from "vitest";
import { describeFailed, playMany } from "../support/steering/many.ts";
import { WORLDS } from "../support/steering/worlds.ts";

const PROGRAMS = Number(process.env["STEERING_PROGRAMS"] ?? (process.env["CI"] ? 40 : 1_000));
const FIRST_SEED = Number(process.env["STEERING_SEED"] ?? 1);
const MOST_DESCRIBED = 5;

describe.each([
  ["memory", "step", 40],
  ["memory", "turn", 40],
  ["memory", "completed", 40],
  ["Redis", "step", 30],
  ["Postgres", "step", 20],
] as const)(
  "A user who steers turns of two processes, on %s, with durability %s",
  (name, durability, atOnce) => {
    it(`${PROGRAMS} programs of messages, stops, decisions, timers and crashes break no promise`, async () => {
      const beganAt = performance.now();
      const failed = await playMany({
        openWorld: WORLDS[name],
        ...{ durability, firstSeed: FIRST_SEED, count: PROGRAMS, atOnce },
      });
      const seconds = Math.round((performance.now() - beganAt) / 1_000);
      process.stdout.write(
        `${name}, ${durability}: ${PROGRAMS} programs, ${failed.length} failed, ${seconds} s\n`,
      );
      for (const { seed, broken } of failed) process.stdout.write(`seed ${seed}: ${broken.join("; ")}\n`);
      const described = failed.toSorted((one, other) => one.seed - other.seed).map(describeFailed);
      expect(described.slice(0, MOST_DESCRIBED).join("\n")).toBe("");
    }, 900_000);
  },
);
