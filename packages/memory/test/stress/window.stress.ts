import fc from "fast-check";
import { expect, it } from "vitest";
import {
  anyHistories,
  droppedCounts,
  windowFaults,
  windowOptions,
} from "../history/window/window-histories.ts";

const HISTORIES = 100_000;

it(`keeps ${HISTORIES} random histories replayable with the sanitizer, within the limit, and idempotent`, () => {
  fc.assert(
    fc.property(anyHistories, windowOptions, droppedCounts, (history, options, dropped) => {
      const faults = windowFaults(history, options, dropped);
      if (faults.length > 0) expect.fail(faults.join("; "));
    }),
    { numRuns: HISTORIES },
  );
}, 300_000);
