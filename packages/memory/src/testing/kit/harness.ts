import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type { ProviderProcess } from "./provider-process.ts";

/**
 * What a rule of the conformance kit tests:
 *
 * - `contract`: each method and each option on its own.
 * - `isolation`: users, conversations and stores don't see each other's data, and share no state.
 * - `limits`: malicious ids, very large values and wrong types.
 * - `ttl`: conversations expire.
 * - `concurrency`: many writers and several connections work at the same time.
 * - `crash`: a write that was confirmed survives the end of the process.
 */
export const levels = ["contract", "isolation", "limits", "ttl", "concurrency", "crash"] as const;

/** The name of what a rule tests: one of {@link levels}. */
export type Level = (typeof levels)[number];

/** A store for one test. It is empty at first, and no other test uses it. */
export interface TestStore {
  readonly provider: VersionedMemoryProvider;
  /**
   * Connects another provider to the same storage. It must share nothing with `provider` in this process: it has its
   * own connection, pool and caches. Absent: the storage only exists in one process.
   */
  readonly connect?: () => Promise<VersionedMemoryProvider>;
  /**
   * Simulates a crash: ends the storage, or all connections to it, abruptly while calls are running. Returns a new
   * provider on the data that is left. May be called several times. Absent: the rules about crashes are skipped.
   *
   * How to simulate a crash depends on the storage:
   *
   * - A server of the test: kill the server with `SIGKILL`.
   * - A shared server: destroy the sockets of all connections.
   * - A store in the test's own process: separate the store from its disk.
   *
   * Don't close the provider first. After the crash, the earlier providers must not reach the storage, except with data
   * that they had already sent.
   */
  readonly crash?: () => Promise<VersionedMemoryProvider>;
  /**
   * How to open a provider on the same storage in another process. If present, most rules about concurrency run twice:
   * in one process, and with clients in two processes. Absent: all rules only run in one process.
   */
  readonly process?: ProviderProcess;
  /**
   * Makes the storage permanently unreachable for every provider of this store (e.g. stops the server). Absent: the
   * rules about an unreachable store are skipped.
   */
  readonly stop?: () => Promise<void>;
  /**
   * Changes a stored conversation without the provider, by direct access to the storage, as an attacker could. Absent:
   * the rules about such changes are skipped.
   */
  readonly tamper?: (conversationId: string, tampering: Tampering) => Promise<void>;
  /** Removes the storage. Called after every test, even if the test has called `stop` or closed the provider. */
  readonly dispose: () => Promise<void>;
}

/** A change of stored messages without the provider. `index` is the index of the changed message. */
export interface Tampering {
  /**
   * What is done to the message:
   *
   * - `change`: one character of its text is replaced.
   * - `remove`: it is removed.
   * - `double`: it is stored twice.
   * - `swap`: it and the next message are exchanged.
   */
  readonly kind: "change" | "remove" | "double" | "swap";
  readonly index: number;
}

/**
 * `true` if the backend has the ability. Otherwise `unsupported` says why not (e.g. `"no expiry"`). The titles of
 * skipped tests contain this text.
 */
export type Capability = true | { readonly unsupported: string };

/** Abilities that some backends don't have. The rules that need a missing ability are skipped. */
export interface MemoryCapabilities {
  /** Conversations can expire (`WriteOptions.ttlSeconds`). */
  readonly ttl: Capability;
  /**
   * Several providers can use the same storage at the same time. The tests of this ability call `TestStore.connect`.
   */
  readonly multipleConnections: Capability;
  /** A write that was confirmed survives the end of the process. The tests of this ability call `TestStore.crash`. */
  readonly durability: Capability;
  /** The store keeps a digest with each message (`MemoryBackend.history`). */
  readonly digests: Capability;
}

/** What `describeMemoryProvider` and `checkMemoryProvider` need to test a provider. */
export interface MemoryProviderHarness {
  /** The provider's name in the titles of the tests (e.g. `"postgres"`). */
  readonly name: string;
  /** Runs once before all tests (e.g. to start a server). */
  readonly setUp?: () => Promise<void>;
  /** Runs once after all tests, even if `setUp` failed. */
  readonly tearDown?: () => Promise<void>;
  /**
   * Creates a store in a new, empty namespace (e.g. a key prefix, a schema or a folder). Several stores may be in use
   * at the same time.
   */
  readonly createStore: () => Promise<TestStore>;
  /** The abilities of the backend. Default: it has all of them. */
  readonly capabilities?: Partial<MemoryCapabilities>;
  /**
   * The levels whose rules run (e.g. `["contract"]` while you develop a backend). The rules of all other levels are
   * skipped. Default: all levels.
   */
  readonly levels?: readonly Level[];
  /**
   * Which rules run. Default `"all"`. `"smoke"` runs about forty rules, which use each method and each option once, and
   * ignores `seeds`. Use `"smoke"` if a backend already passes all rules, and you test it with another client library
   * or connection mode.
   */
  readonly rules?: "all" | "smoke";
  /** The seeds of the random tests. There is one test for each seed. Default 1, 2 and 3. */
  readonly seeds?: readonly number[];
  /**
   * How many rounds of random operations run for each seed. Default 25, which takes a fraction of a second. The
   * duration grows with the square of `rounds`. For a long test, add seeds instead of many rounds.
   */
  readonly rounds?: number;
  /**
   * The maximum duration of one test, in milliseconds. Default 30,000, which is enough for a slow server on a busy
   * machine.
   */
  readonly timeoutMs?: number;
  /** The time in milliseconds after which a call counts as one that never settles. Default: a third of `timeoutMs`. */
  readonly callTimeoutMs?: number;
}
