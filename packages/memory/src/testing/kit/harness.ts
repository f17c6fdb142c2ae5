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
   * Connects another provider to the same storage. It must be as independent of `provider` as one in another process:
   * with its own connection, pool and caches. Absent if the storage only exists in one process.
   */
  readonly connect?: () => Promise<VersionedMemoryProvider>;
  /**
   * Ends the storage abruptly, or all connections to the storage, while calls are running. Returns a new provider on
   * the data that is left. These count as a crash: killing the server or the store's process (`SIGKILL`, no shutdown),
   * destroying the sockets of all connections if the server is shared, or separating a store in the test's own process
   * from its disk. Closing the provider first doesn't count. Afterwards the earlier providers must not reach the
   * storage, except with data that they had already sent. May be called several times. Absent: the rules about crashes
   * are skipped.
   */
  readonly crash?: () => Promise<VersionedMemoryProvider>;
  /**
   * Describes how to open a provider on the same storage in another process. With it, the rules about concurrency also
   * run with clients in two processes. This finds locks, caches and counters that only exist in one process. Absent:
   * these additional rules are skipped.
   */
  readonly process?: ProviderProcess;
  /**
   * Makes the storage permanently unreachable for every provider of this store: stops the server, or ends the
   * connections and refuses new ones. Absent: the rules about an unreachable store are skipped.
   */
  readonly stop?: () => Promise<void>;
  /**
   * Changes a stored conversation without the provider, by direct access to the storage, as an attacker could. Absent:
   * the rules about such changes are skipped.
   */
  readonly tamper?: (conversationId: string, tampering: Tampering) => Promise<void>;
  /** Removes the storage. Called after the test, even if `stop` was called or the test has closed the provider. */
  readonly dispose: () => Promise<void>;
}

/**
 * A change of stored messages without the provider. `index` is the index of the changed message among the stored
 * messages.
 */
export interface Tampering {
  /**
   * What is done to the message. `change`: one character of its text is changed. `remove`: it is removed. `double`: it
   * is stored twice. `swap`: it changes places with the next message.
   */
  readonly kind: "change" | "remove" | "double" | "swap";
  readonly index: number;
}

/**
 * `true` if the backend has the ability. Otherwise `unsupported` says why not; the titles of skipped tests contain this
 * text.
 */
export type Capability = true | { readonly unsupported: string };

/** Abilities that some backends don't have. All other rules of the contract apply to every backend. */
export interface MemoryCapabilities {
  /** Conversations can expire (`WriteOptions.ttlSeconds`). */
  readonly ttl: Capability;
  /** Several providers can use the same storage at the same time. The tests call `TestStore.connect`. */
  readonly multipleConnections: Capability;
  /** A write that was confirmed survives the end of the process. The tests call `TestStore.crash`. */
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
   * The levels whose rules run; the rules of all other levels are skipped. Useful while you develop a backend. Default:
   * all levels.
   */
  readonly levels?: readonly Level[];
  /**
   * Which rules run. `"smoke"`: about forty rules that use each method and each option once. It is meant for another
   * client or connection mode of a backend that passes all rules. These few rules alone don't prove that a backend
   * works, and the titles of the tests say so. `seeds` is ignored then. Default `"all"`.
   */
  readonly rules?: "all" | "smoke";
  /** The seeds of the random tests. There is one test for each seed. Default 1, 2 and 3. */
  readonly seeds?: readonly number[];
  /**
   * How many rounds of random operations run for each seed. Default 25, which takes a fraction of a second. The
   * duration grows with the square of this number. So add seeds, too, for a long test.
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
