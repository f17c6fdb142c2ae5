import { describe, it } from "vitest";
import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type { TurnLog } from "../../turn-log/turn-log.ts";
import { reportCalls } from "../kit/calls.ts";
import { endingRules, expiryRules } from "./ending-rules.ts";
import { erasureRules } from "./erasure-rules.ts";
import { eventRules } from "./event-rules.ts";
import { findingRules, refusalRules } from "./finding-rules.ts";
import { writeRules } from "./write-rules.ts";
import { beginningRules, writerRules } from "./writer-rules.ts";

/** A turn log for one test. It is empty at first, and no other test uses it. */
export interface TestTurnLog {
  readonly log: TurnLog;
  /**
   * Connects another log to the same storage. It must share nothing with `log` in this process (e.g. no connection).
   * Absent: the storage only exists in one process.
   */
  readonly connect?: () => Promise<TurnLog>;
  /**
   * A provider with the client and the storage of the log, whose writes can begin turns. Absent: the rules about such
   * writes are skipped.
   */
  readonly provider?: VersionedMemoryProvider;
  /**
   * Returns all data in the storage as one text, in which the tests look for erased data. Absent: the tests only check
   * what the log's methods return.
   */
  readonly contents?: () => Promise<string>;
  /** Closes the logs and removes the storage. Called after the test. */
  readonly dispose: () => Promise<void>;
}

/** What `describeTurnLogConformance` needs to test a turn log. */
export interface TurnLogHarness {
  /** The log's name in the titles of the tests (e.g. `"redis"`). */
  readonly name: string;
  /** Creates a log in a new, empty namespace. Several logs are in use at the same time. */
  readonly createLog: () => Promise<TestTurnLog>;
  /** The maximum duration of one test, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}

const SUBJECTS = {
  beginnings: beginningRules,
  writes: writeRules,
  events: eventRules,
  writers: writerRules,
  endings: endingRules,
  expiry: expiryRules,
  finding: findingRules,
  erasure: erasureRules,
  refusals: refusalRules,
};

/**
 * Declares the tests that check whether a `TurnLog` follows its rules. Call this function at the top level of a vitest
 * file.
 *
 * @example
 * ```ts
 * import type { TurnLog } from "@jaf/memory";
 * import { describeTurnLogConformance } from "@jaf/memory/testing";
 *
 * declare function createMyTurnLog(options: { prefix: string }): TurnLog;
 *
 * describeTurnLogConformance({
 *   name: "my turn log",
 *   createLog: async () => {
 *     const log = createMyTurnLog({ prefix: crypto.randomUUID() });
 *     return { log, dispose: async () => void (await log.close()) };
 *   },
 * });
 * ```
 */
export function describeTurnLogConformance(harness: TurnLogHarness): void {
  const { name, createLog, timeoutMs = 60_000 } = harness;
  describe(`TurnLog: ${name}`, () => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, () => {
        for (const [title, check] of Object.entries(rules)) {
          it(title, { timeout: timeoutMs, concurrent: true }, async ({ skip }) => {
            const { log, connect, provider, contents, dispose } = await createLog();
            try {
              skip(subject === "writes" && provider === undefined, "no provider shares the storage");
              const other = (await connect?.()) ?? log;
              await reportCalls((recorded) =>
                check({ log: recorded(log), other: recorded(other, "other."), provider, contents }),
              );
            } finally {
              await dispose();
            }
          });
        }
      });
    }
  });
}
