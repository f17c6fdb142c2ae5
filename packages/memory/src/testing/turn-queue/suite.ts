import { describe, it } from "vitest";
import { cancelRules } from "./cancel-rules.ts";
import { deliveryRules } from "./delivery-rules.ts";
import { orderRules } from "./order-rules.ts";
import { refusalRules } from "./refusal-rules.ts";
import { rejectionRules } from "./rejection-rules.ts";
import { checkTurnQueueRule, type TestTurnQueue, type TurnQueueRules } from "./scenario.ts";
import { closingRules, concurrencyRules } from "./worker-rules.ts";

/** What `describeTurnQueueConformance` needs to test a queue. */
export interface TurnQueueHarness {
  /** The queue's name in the titles of the tests (e.g. `"bullmq"`). */
  readonly name: string;
  /** Creates a queue in a new, empty namespace. Several queues are in use at the same time. */
  readonly createQueue: () => Promise<TestTurnQueue>;
  /** The maximum duration of one test, in milliseconds. Default 360,000, because a queue may redeliver after a minute. */
  readonly timeoutMs?: number;
}

/** A queue delivers within a minute at the latest. The rest is for a slow machine. */
const PATIENCE_MS = 75_000;

const SUBJECTS: Readonly<Record<string, TurnQueueRules>> = {
  delivery: deliveryRules,
  order: orderRules,
  canceling: cancelRules,
  concurrency: concurrencyRules,
  closing: closingRules,
  rejections: rejectionRules,
  refusals: refusalRules,
};

/** Subjects of which each rule waits for a time to pass. Their rules wait together. */
const WAITING: ReadonlySet<string> = new Set(["order", "rejections"]);

/**
 * Declares the tests that check whether a `TurnQueue` follows its rules. Call this function at the top level of a vitest
 * file.
 *
 * @example
 * ```ts
 * import type { TurnQueue } from "@jaf/memory/adapter";
 * import { describeTurnQueueConformance } from "@jaf/memory/testing";
 *
 * declare function createMyQueue(options: { readonly name: string }): TurnQueue;
 *
 * describeTurnQueueConformance({
 *   name: "my queue",
 *   createQueue: async () => {
 *     const name = crypto.randomUUID();
 *     const queue = createMyQueue({ name });
 *     const others: TurnQueue[] = [];
 *     return {
 *       queue,
 *       connect: async () => {
 *         const other = createMyQueue({ name });
 *         others.push(other);
 *         return other;
 *       },
 *       dispose: async () => {
 *         await Promise.all([queue, ...others].map((each) => each.close()));
 *       },
 *     };
 *   },
 * });
 * ```
 */
export function describeTurnQueueConformance(harness: TurnQueueHarness): void {
  const { name, createQueue, timeoutMs = 360_000 } = harness;
  describe(`TurnQueue: ${name}`, () => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, { concurrent: WAITING.has(subject) }, () => {
        for (const [title, rule] of Object.entries(rules))
          it(title, { timeout: timeoutMs }, async () =>
            checkTurnQueueRule(await createQueue(), rule, PATIENCE_MS),
          );
      });
    }
  });
}
