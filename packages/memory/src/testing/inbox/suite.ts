import { describe, it } from "vitest";
import type { Inbox } from "../../inbox/inbox.ts";
import { reportCalls } from "../kit/calls.ts";
import { concurrencyRules } from "./concurrency-rules.ts";
import { entryRules, removalRules } from "./entry-rules.ts";
import { erasureRules } from "./erasure-rules.ts";
import { keyRules } from "./key-rules.ts";
import { refusalRules } from "./refusal-rules.ts";
import type { InboxRules } from "./scenario.ts";
import { valueRules } from "./value-rules.ts";
import { waitingRules } from "./waiting-rules.ts";

/** An inbox for one test. It is empty at first, and no other test uses it. */
export interface TestInbox {
  readonly inbox: Inbox;
  /**
   * Connects another inbox to the same storage. It must share nothing with `inbox` in this process (e.g. no connection).
   * Absent: the storage only exists in one process.
   */
  readonly connect?: () => Promise<Inbox>;
  /**
   * Makes all stored keys older by this number of seconds, as if so much time had passed since their `put`: changes
   * their times in the storage, or sets the clock of the storage forward.
   */
  readonly age: (seconds: number) => Promise<void>;
  /**
   * Returns all data in the storage as one text, in which the tests look for erased data. Absent: the tests only check
   * what the inbox's methods return.
   */
  readonly contents?: () => Promise<string>;
  /** Closes the inboxes and removes the storage. Called after the test, even if the test has closed the inbox. */
  readonly dispose: () => Promise<void>;
}

/** What `describeInboxConformance` needs to test an inbox. */
export interface InboxHarness {
  /** The inbox's name in the titles of the tests (e.g. `"mongodb"`). */
  readonly name: string;
  /** Creates an inbox in a new, empty namespace. Several inboxes are in use at the same time. */
  readonly createInbox: () => Promise<TestInbox>;
  /** The maximum duration of one test, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}

const SUBJECTS: Readonly<Record<string, InboxRules>> = {
  entries: entryRules,
  removal: removalRules,
  keys: keyRules,
  concurrency: concurrencyRules,
  waiting: waitingRules,
  values: valueRules,
  erasure: erasureRules,
  refusals: refusalRules,
};

/**
 * Declares the tests that check whether an `Inbox` follows its rules. Call this function at the top level of a vitest
 * file.
 *
 * @example
 * ```ts
 * import { createInMemoryInbox } from "@jaf/memory";
 * import { describeInboxConformance } from "@jaf/memory/testing";
 *
 * describeInboxConformance({
 *   name: "in-memory",
 *   createInbox: async () => {
 *     let passedSeconds = 0;
 *     const inbox = createInMemoryInbox({ now: () => Date.now() + passedSeconds * 1_000 });
 *     return {
 *       inbox,
 *       age: async (seconds) => {
 *         passedSeconds += seconds;
 *       },
 *       dispose: async () => void (await inbox.close()),
 *     };
 *   },
 * });
 * ```
 */
export function describeInboxConformance(harness: InboxHarness): void {
  const { name, createInbox, timeoutMs = 60_000 } = harness;
  describe(`Inbox: ${name}`, () => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, () => {
        for (const [title, check] of Object.entries(rules))
          it(title, { timeout: timeoutMs }, async () => checkRule(await createInbox(), check));
      });
    }
  });
}

async function checkRule(
  { inbox, connect, age, contents, dispose }: TestInbox,
  check: InboxRules[string],
): Promise<void> {
  try {
    const other = (await connect?.()) ?? inbox;
    await reportCalls((recorded) =>
      check({
        inbox: recorded(inbox),
        other: recorded(other, "other."),
        connect: connect ?? (async () => inbox),
        age,
        contents,
      }),
    );
  } finally {
    await dispose();
  }
}
