import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import type { ProviderProcess } from "./provider-process.ts";

/**
 * What a rule guards. `contract`: each method and option by itself. `isolation`: users, conversations and stores see
 * nothing of each other, and no state is shared. `limits`: hostile ids, huge values and wrong types. `ttl`:
 * conversations expire. `concurrency`: many writers and several connections at once. `crash`: what was acknowledged
 * outlives the process.
 */
export const levels = ["contract", "isolation", "limits", "ttl", "concurrency", "crash"] as const;

export type Level = (typeof levels)[number];

/** A store of one test: empty at first, and seen by no other test. */
export interface TestStore {
  readonly provider: VersionedMemoryProvider;
  /**
   * One more provider on the same storage, as independent of `provider` as if another process had made it: with a
   * connection, a pool and caches of its own. Absent for a store that lives in one process.
   */
  readonly connect?: () => Promise<VersionedMemoryProvider>;
  /**
   * Ends the storage, or every connection to it, abruptly and while calls are in progress; then gives a new provider on
   * what is left. What counts: killing the server or the process that holds the store (`SIGKILL`, no shutdown);
   * destroying the sockets of all connections, where a server is shared; cutting a store that lives in the test's own
   * process off from its disk. Closing the provider first doesn't count. Afterwards the providers from before must
   * reach the storage no more, save with what they had sent already. May be called several times. Absent: the rules
   * about crashes are skipped.
   */
  readonly crash?: () => Promise<VersionedMemoryProvider>;
  /**
   * How to get a provider on the same storage in another process. With it, the rules about concurrency are tried with
   * clients in two processes too, which finds locks, caches and counters that only one process sees. Absent: skipped.
   */
  readonly process?: ProviderProcess;
  /**
   * Puts the storage out of reach for every provider of this store, and leaves it so: stopping the server, or cutting
   * the connections and having new ones refused. Absent: the rules about a store out of reach are skipped.
   */
  readonly stop?: () => Promise<void>;
  /**
   * Changes what is stored of a conversation, past the provider: by the storage's own means, as somebody with access to the
   * database could. Absent: the rules about what is found then are skipped.
   */
  readonly tamper?: (conversationId: string, tampering: Tampering) => Promise<void>;
  /**
   * Removes the storage, whether or not `stop` was called. Called when the test is over, whether or not it closed the
   * provider.
   */
  readonly dispose: () => Promise<void>;
}

/** What is done to the stored messages. `index` counts from the first that is there. */
export interface Tampering {
  /** `change`: a character of its text. `double`: behind itself. `swap`: with the next one. */
  readonly kind: "change" | "remove" | "double" | "swap";
  readonly index: number;
}

/** `true`, or why the backend can't: the reason shows in the title of each test that is skipped for it. */
export type Capability = true | { readonly unsupported: string };

/** What some backends can't do at all. Everything else in the contract holds for every backend. */
export interface MemoryCapabilities {
  /** Conversations expire (`WriteOptions.ttlSeconds`). */
  readonly ttl: Capability;
  /** Several providers work on the same storage at the same time. Tested with `TestStore.connect`. */
  readonly multipleConnections: Capability;
  /** What was acknowledged outlives the process. Tested with `TestStore.crash`. */
  readonly durability: Capability;
  /** Digests of the messages are kept beside them (`MemoryBackend.history`). */
  readonly digests: Capability;
}

/** What an adapter's test hands to `describeMemoryProvider` or `checkMemoryProvider`. */
export interface MemoryProviderHarness {
  /** Shown in the test titles, e.g. `"postgres"`. */
  readonly name: string;
  /** Runs once before all tests, e.g. to start a server. */
  readonly setUp?: () => Promise<void>;
  /** Runs once after all tests, also when `setUp` failed. */
  readonly tearDown?: () => Promise<void>;
  /** A fresh, empty namespace (a key prefix, a schema, a folder). Several may be in use at once. */
  readonly createStore: () => Promise<TestStore>;
  /** Absent or left out: supported. */
  readonly capabilities?: Partial<MemoryCapabilities>;
  /** Only these levels, while a backend is being developed; the others are skipped. Default: all. */
  readonly levels?: readonly Level[];
  /**
   * `"smoke"`: about forty rules that try each method and option once. For another client or connection mode of a backend
   * that the whole kit is run on; by itself it proves no conformance, and the titles say so. `seeds` has no
   * effect on it. Default: `"all"`.
   */
  readonly rules?: "all" | "smoke";
  /** Seeds of the random tests; each is a test of its own. Default 1, 2 and 3. */
  readonly seeds?: readonly number[];
  /**
   * How many rounds of random operations per seed. Default 25, which takes a fraction of a second; the cost grows with
   * the square, so for a long run name more seeds as well.
   */
  readonly rounds?: number;
  /** Milliseconds that one test may take. Default 30,000, which a slow server on a busy machine needs. */
  readonly timeoutMs?: number;
  /** Milliseconds after which a call counts as one that never settles. Default: a third of `timeoutMs`. */
  readonly callTimeoutMs?: number;
}
