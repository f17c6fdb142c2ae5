import type { TurnLog } from "../../turn-log/turn-log.ts";

/** A turn log of one test: empty at first, and seen by no other test. */
export interface TestTurnLog {
  readonly log: TurnLog;
  /** One more on the same storage, as independent as another process. Absent for one that lives in one process. */
  readonly connect?: () => Promise<TurnLog>;
  /** All that the storage holds, as text: what is erased must not be in it. Absent: only what can be read is tested. */
  readonly contents?: () => Promise<string>;
  /** Closes the logs and removes the storage. Called when the test is over. */
  readonly dispose: () => Promise<void>;
}

/** What a backend's test hands to `describeTurnLogConformance`. */
export interface TurnLogHarness {
  /** Shown in the test titles, e.g. `"redis"`. */
  readonly name: string;
  /** A fresh, empty namespace. Several are in use at once. */
  readonly createLog: () => Promise<TestTurnLog>;
  /** Of each test, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}
