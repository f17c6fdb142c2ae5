import { it } from "vitest";
import { expectSoundInProcesses } from "../support/programs/on-servers.ts";

it(
  "10 programs of three processes, one of which is killed, break no promise",
  () => expectSoundInProcesses({ backend: "redis", firstSeed: 0, count: 10, atOnce: 10, killEvery: 1 }),
  120_000, // More than a busy machine needs.
);
