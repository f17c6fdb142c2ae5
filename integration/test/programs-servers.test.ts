import { it } from "vitest";
import { expectSoundInProcesses } from "./support/programs/on-servers.ts";

/** More than a busy machine takes. */
const MOST_MS = 180_000;

it.each(["redis", "postgres"] as const)(
  "24 programs of three processes, one of which is killed, break no promise on %s",
  (backend) => expectSoundInProcesses({ backend, firstSeed: 0, count: 24, atOnce: 24, killEvery: 1 }),
  MOST_MS,
);
