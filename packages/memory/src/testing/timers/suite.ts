import { describe, it } from "vitest";
import type { Timers } from "../../timers/timers.ts";
import { reportCalls } from "../kit/calls.ts";
import { advanceRules } from "./advance-rules.ts";
import { dueRules, findRules } from "./due-rules.ts";
import { erasureRules } from "./erasure-rules.ts";
import { limitRules } from "./limit-rules.ts";
import { refusalRules } from "./refusal-rules.ts";
import type { TimerRules } from "./scenario.ts";
import { setRules } from "./set-rules.ts";
import { valueRules } from "./value-rules.ts";

/** Timers for one test. There are none at first, and no other test uses them. */
export interface TestTimers {
  readonly timers: Timers;
  /**
   * Connects once more to the same storage. The result must share nothing with `timers` in this process (e.g. no
   * connection). Absent: the storage only exists in one process.
   */
  readonly connect?: () => Promise<Timers>;
  /**
   * Returns all data in the storage as one text, in which the tests look for erased data. Absent: the tests only check
   * what the methods return.
   */
  readonly contents?: () => Promise<string>;
  /** Closes all timers and removes the storage. Called after the test, even if the test has closed the timers. */
  readonly dispose: () => Promise<void>;
}

/** What `describeTimersConformance` needs to test timers. */
export interface TimersHarness {
  /** The store's name in the titles of the tests (e.g. `"mongodb"`). */
  readonly name: string;
  /** Creates timers in a new, empty namespace. Several are in use at the same time. */
  readonly createTimers: () => Promise<TestTimers>;
  /** The maximum duration of one test, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}

const SUBJECTS: Readonly<Record<string, TimerRules>> = {
  setting: setRules,
  "due timers": dueRules,
  finding: findRules,
  advancing: advanceRules,
  limits: limitRules,
  values: valueRules,
  erasure: erasureRules,
  refusals: refusalRules,
};

/**
 * Declares the tests that check whether `Timers` follow their rules. Call this function at the top level of a vitest
 * file.
 *
 * @example
 * ```ts
 * import { createInMemoryTimers } from "@jaf/memory";
 * import { describeTimersConformance } from "@jaf/memory/testing";
 *
 * describeTimersConformance({
 *   name: "in-memory",
 *   createTimers: async () => {
 *     const timers = createInMemoryTimers();
 *     return { timers, dispose: async () => void (await timers.close()) };
 *   },
 * });
 * ```
 */
export function describeTimersConformance(harness: TimersHarness): void {
  const { name, createTimers, timeoutMs = 60_000 } = harness;
  describe(`Timers: ${name}`, () => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, () => {
        for (const [title, check] of Object.entries(rules))
          it(title, { timeout: timeoutMs }, async () => checkRule(await createTimers(), check));
      });
    }
  });
}

async function checkRule(
  { timers, connect, contents, dispose }: TestTimers,
  check: TimerRules[string],
): Promise<void> {
  try {
    const other = (await connect?.()) ?? timers;
    await reportCalls((recorded) =>
      check({
        timers: recorded(timers),
        other: recorded(other, "other."),
        connect: connect ?? (async () => timers),
        contents,
      }),
    );
  } finally {
    await dispose();
  }
}
