import type { UserMemoryOptions } from "../../options.ts";
import type { UserMemoryStore } from "../../store.ts";
import type { StoreUnderTest } from "./harness.ts";

/** What a rule works with. The store is shared with other rules; the users are not. */
export interface StoreScenario {
  readonly memory: UserMemoryStore;
  readonly backend: StoreUnderTest["backend"];
  /** Two users of whom nothing is known. */
  readonly user: string;
  readonly other: string;
  /** A store with other options on the same storage. */
  readonly withOptions: (options: UserMemoryOptions) => UserMemoryStore;
  /** One more store on the same storage, as another process has it. */
  readonly another: () => Promise<UserMemoryStore>;
  /** An empty store of the rule's own, for what concerns all users. */
  readonly open: () => Promise<StoreUnderTest>;
}

/** Proves one rule; rejects where it is broken. */
export type StoreCheck = (scenario: StoreScenario) => Promise<void>;

/** Rules about one subject, by title. They are data, so that the kit itself can be tested. */
export interface StoreSpec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, StoreCheck>>;
}

/** How far random rules go. */
export interface RandomRun {
  readonly seeds: readonly number[];
  readonly operations: number;
}
