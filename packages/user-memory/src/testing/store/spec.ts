import type { UserMemoryOptions } from "../../options.ts";
import type { UserMemoryStore } from "../../store.ts";
import type { StoreUnderTest } from "./harness.ts";

/** The input of a rule. Rules share the store, but not the users. */
export interface StoreScenario {
  readonly memory: UserMemoryStore;
  readonly backend: StoreUnderTest["backend"];
  /** Two users without data. */
  readonly user: string;
  readonly other: string;
  /** Creates a store with other options on the same storage. */
  readonly withOptions: (options: UserMemoryOptions) => UserMemoryStore;
  /** Opens another store on the same storage, like another process. */
  readonly another: () => Promise<UserMemoryStore>;
  /** Opens an empty store for this rule alone, for rules that concern all users. */
  readonly open: () => Promise<StoreUnderTest>;
}

/** Checks one rule. Rejects if the store breaks it. */
export type StoreCheck = (scenario: StoreScenario) => Promise<void>;

/** Rules about one subject, by title. They are data, so the kit itself can be tested. */
export interface StoreSpec {
  readonly subject: string;
  readonly rules: Readonly<Record<string, StoreCheck>>;
}

/** The extent of random rules. */
export interface RandomRun {
  readonly seeds: readonly number[];
  readonly operations: number;
}
