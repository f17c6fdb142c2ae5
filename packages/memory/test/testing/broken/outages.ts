import {
  createFailure,
  createMemoryConnectionError,
  createMemoryStorageError,
  createSuccess,
  type VersionedMemoryProvider,
} from "../../../src/index.ts";
import type { TestStore } from "../../../src/testing/index.ts";
import { openIntact } from "./broken.ts";
import type { BrokenStore } from "./crashes.ts";

type Operation = Exclude<keyof VersionedMemoryProvider, "close" | "healthCheck">;

const operations: readonly Operation[] = [
  "storeMessages",
  "getConversation",
  "appendMessages",
  "findConversations",
  "getRecentMessages",
  "deleteConversation",
  "clearUserConversations",
  "getStats",
  "readConversation",
  "exportConversation",
  "importConversation",
];

/** A provider's answers while its store can't be reached. */
interface Outage {
  readonly healthCheck: VersionedMemoryProvider["healthCheck"];
  readonly fail: (operation: Operation) => unknown;
}

const honest: Outage = {
  healthCheck: async () => createSuccess({ healthy: false, error: "connection refused" }),
  fail: (operation) =>
    createFailure(createMemoryConnectionError("stoppable", "connection refused", { operation })),
};

/** Opens a store with a storage that can become unreachable. */
export async function openStoppable(outage: Partial<Outage> = {}): Promise<TestStore> {
  const intact = openIntact();
  const { healthCheck, fail } = { ...honest, ...outage };
  let stopped = false;
  const reach =
    (operation: Operation) =>
    async (...given: readonly unknown[]) =>
      stopped ? fail(operation) : Reflect.apply(intact[operation], intact, given);
  const provider = {
    ...Object.fromEntries(operations.map((operation) => [operation, reach(operation)])),
    healthCheck: () => (stopped ? healthCheck() : intact.healthCheck()),
    close: intact.close,
  } as unknown as VersionedMemoryProvider;
  const stop = async () => {
    stopped = true;
  };
  return { provider, stop, dispose: async () => void (await intact.close()) };
}

const broken = (caughtBy: string, outage: Partial<Outage>): BrokenStore => ({
  caughtBy,
  createStore: () => openStoppable(outage),
});

const UNHEALTHY = "a store out of reach: is not healthy, and healthCheck returns the reason";
const FAILING = "a store out of reach: fails every other call with a retryable connection error";

/** Stores with one plausible mistake each that shows when their storage can't be reached. */
export const brokenOutages: Readonly<Record<string, BrokenStore>> = {
  "is healthy without asking the store": broken(UNHEALTHY, {
    healthCheck: async () => createSuccess({ healthy: true, latencyMs: 0 }),
  }),

  "fails its health check instead of answering it": broken(UNHEALTHY, {
    healthCheck: async () =>
      createFailure(createMemoryConnectionError("stoppable", "refused", { operation: "healthCheck" })),
  }),

  "waits for the store for ever": broken(UNHEALTHY, { healthCheck: () => new Promise<never>(() => {}) }),

  "treats an unreachable store as empty": broken(FAILING, {
    fail: (operation) => (operation === "getConversation" ? createSuccess(null) : honest.fail(operation)),
  }),

  "treats a lost connection as a broken store": broken(FAILING, {
    fail: (operation) => createFailure(createMemoryStorageError(operation, "connection refused")),
  }),

  "discourages a retry that would help": broken(FAILING, {
    fail: (operation) =>
      createFailure(
        createMemoryConnectionError("stoppable", "connection refused", { operation, retryable: false }),
      ),
  }),
};
