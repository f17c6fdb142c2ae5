import type { UserMemoryOptions } from "../../options.ts";
import type { UserMemoryStore } from "../../store.ts";
import type { StoreUnderTest } from "./harness.ts";

/** What the check of a rule gets. All rules share the store, but each rule has its own users. */
export interface StoreScenario {
  readonly memory: UserMemoryStore;
  readonly backend: StoreUnderTest["backend"];
  /** `user` and `other`: two users without data. */
  readonly user: string;
  readonly other: string;
  /** Creates a store with other options, on the same storage. */
  readonly withOptions: (options: UserMemoryOptions) => UserMemoryStore;
  /** Opens another store on the same storage, as another process would. */
  readonly another: () => Promise<UserMemoryStore>;
  /** Opens an empty store for this rule alone. Use it for a rule that concerns all users. */
  readonly open: () => Promise<StoreUnderTest>;
}

/** Checks one rule. Rejects if the store breaks the rule. */
export type StoreCheck = (scenario: StoreScenario) => Promise<void>;

/** Rules about one subject, by title. The rules are data, so that the test kit itself can be tested. */
export interface StoreSpec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, StoreCheck>>;
}

/**
 * How many random tests to run and how long they are: one test for each seed, with `operations` random operations in
 * each test.
 */
export interface RandomRun {
  readonly seeds: readonly number[];
  readonly operations: number;
}
