import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type { ProviderProcess } from "./provider-process.ts";

/**
 * What a rule tests.
 *
 * - `contract`: each method and option separately.
 * - `isolation`: users, conversations and stores don't see each other, and share no state.
 * - `limits`: hostile ids, huge values and wrong types.
 * - `ttl`: conversations expire.
 * - `concurrency`: many writers and several connections at the same time.
 * - `crash`: acknowledged writes survive the end of the process.
 */
export const levels = ["contract", "isolation", "limits", "ttl", "concurrency", "crash"] as const;

/** A level of the conformance kit: see {@link levels}. */
export type Level = (typeof levels)[number];

/** A store for one test: empty at first, and used by no other test. */
export interface TestStore {
  readonly provider: VersionedMemoryProvider;
  /**
   * Connects another provider to the same storage, as independent of `provider` as one in another process: with its own
   * connection, pool and caches. Absent if the storage exists in one process only.
   */
  readonly connect?: () => Promise<VersionedMemoryProvider>;
  /**
   * Ends the storage or every connection to it abruptly, during calls, then returns a new provider on the remaining
   * data. These count as a crash: killing the server or the process of the store (`SIGKILL`, no shutdown); destroying
   * the sockets of all connections if a server is shared; cutting off a store in the test's own process from its disk.
   * Closing the provider first doesn't count. Afterwards the earlier providers must not reach the storage, except with
   * data that they had already sent. May be called several times. Absent: the crash rules are skipped.
   */
  readonly crash?: () => Promise<VersionedMemoryProvider>;
  /**
   * Describes how to get a provider on the same storage in another process. The concurrency rules then also run with
   * clients in two processes, which finds locks, caches and counters that exist in only one process. Absent: skipped.
   */
  readonly process?: ProviderProcess;
  /**
   * Makes the storage unreachable for every provider of this store, permanently: stops the server, or cuts the
   * connections and refuses new ones. Absent: the rules about an unreachable store are skipped.
   */
  readonly stop?: () => Promise<void>;
  /**
   * Changes a stored conversation without the provider, with the storage's own means, like an attacker with access to
   * the database. Absent: the rules about tampering are skipped.
   */
  readonly tamper?: (conversationId: string, tampering: Tampering) => Promise<void>;
  /** Removes the storage, even if `stop` was called. Called after the test, whether or not it closed the provider. */
  readonly dispose: () => Promise<void>;
}

/** A change of the stored messages. `index` counts from the first stored message. */
export interface Tampering {
  /** `change` changes a character of its text, `double` stores it twice, `swap` swaps it with the next one. */
  readonly kind: "change" | "remove" | "double" | "swap";
  readonly index: number;
}

/** `true`, or the reason why the backend can't: it appears in the title of each skipped test. */
export type Capability = true | { readonly unsupported: string };

/** Capabilities that some backends lack. All other rules of the contract apply to every backend. */
export interface MemoryCapabilities {
  /** Conversations expire (`WriteOptions.ttlSeconds`). */
  readonly ttl: Capability;
  /** Several providers use the same storage at the same time. Tested with `TestStore.connect`. */
  readonly multipleConnections: Capability;
  /** Acknowledged writes survive the end of the process. Tested with `TestStore.crash`. */
  readonly durability: Capability;
  /** Message digests are stored with the messages (`MemoryBackend.history`). */
  readonly digests: Capability;
}

/** The harness of `describeMemoryProvider` and `checkMemoryProvider`. */
export interface MemoryProviderHarness {
  /** The name in test titles, e.g. `"postgres"`. */
  readonly name: string;
  /** Runs once before all tests, e.g. to start a server. */
  readonly setUp?: () => Promise<void>;
  /** Runs once after all tests, even if `setUp` failed. */
  readonly tearDown?: () => Promise<void>;
  /**
   * Creates a store in a fresh, empty namespace (a key prefix, a schema, a folder). Several may be in use at the same
   * time.
   */
  readonly createStore: () => Promise<TestStore>;
  /** Default: all are supported. */
  readonly capabilities?: Partial<MemoryCapabilities>;
  /** The levels to run, while you develop a backend; the others are skipped. Default: all. */
  readonly levels?: readonly Level[];
  /**
   * `"smoke"` runs about forty rules that use each method and option once. Use it for another client or connection mode
   * of a backend that passes the whole kit. A smoke alone proves no conformance, and the titles say so. It ignores
   * `seeds`. Default `"all"`.
   */
  readonly rules?: "all" | "smoke";
  /** Seeds of the random tests; each is a separate test. Default 1, 2 and 3. */
  readonly seeds?: readonly number[];
  /**
   * The number of rounds of random operations per seed. Default 25, which takes a fraction of a second. The cost is
   * quadratic, so for a long run also add seeds.
   */
  readonly rounds?: number;
  /** The timeout of one test, in milliseconds. Default 30,000, enough for a slow server on a busy machine. */
  readonly timeoutMs?: number;
  /** The time after which a call counts as never settling, in milliseconds. Default: a third of `timeoutMs`. */
  readonly callTimeoutMs?: number;
}
