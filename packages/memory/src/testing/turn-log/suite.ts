import { describe, it } from "vitest";
import { reportCalls } from "../calls.ts";
import { endingRules, expiryRules } from "./ending-rules.ts";
import { eventRules } from "./event-rules.ts";
import { erasureRules, findingRules, refusalRules } from "./finding-rules.ts";
import type { TurnLogHarness } from "./harness.ts";
import { beginningRules, writerRules } from "./writer-rules.ts";

const SUBJECTS = {
  beginnings: beginningRules,
  events: eventRules,
  writers: writerRules,
  endings: endingRules,
  expiry: expiryRules,
  finding: findingRules,
  erasure: erasureRules,
  refusals: refusalRules,
};

/**
 * Declares the conformance tests of a `TurnLog`. Call it at the top of a vitest file.
 *
 * ```ts
 * describeTurnLogConformance({
 *   name: "my log",
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
          it(title, { timeout: timeoutMs, concurrent: true }, async () => {
            const { log, connect, contents, dispose } = await createLog();
            try {
              const other = (await connect?.()) ?? log;
              await reportCalls((recorded) =>
                check({ log: recorded(log), other: recorded(other, "other."), contents }),
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
