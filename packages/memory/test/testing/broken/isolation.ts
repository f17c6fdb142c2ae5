import { createSuccess, type VersionedMemoryProvider } from "../../../src/index.ts";
import { openIntact } from "./broken.ts";
import type { BrokenStore } from "./crashes.ts";

const prefixed = (provider: VersionedMemoryProvider, prefix: string): VersionedMemoryProvider => ({
  ...provider,
  appendMessages: (id, ...rest) => provider.appendMessages(`${prefix}${id}`, ...rest),
});

/** Stores that share one storage, separated by `open` or not at all. */
function sharing(
  caughtBy: string,
  open: (shared: VersionedMemoryProvider, count: number) => VersionedMemoryProvider,
): BrokenStore {
  let shared: VersionedMemoryProvider | undefined;
  let count = 0;
  const createStore = async () => {
    shared ??= openIntact();
    count += 1;
    return { provider: open(shared, count), dispose: async () => {} };
  };
  return { caughtBy, createStore };
}

/** Stores with one plausible mistake each that shows next to another store. */
export const brokenIsolation: Readonly<Record<string, BrokenStore>> = {
  "ignores its prefix": sharing("other stores: show nothing of another store", (shared) => shared),

  "knows keys and versions of another store": sharing(
    "other stores: have their own owners, versions and keys",
    (shared) => shared,
  ),

  "clears without its prefix": sharing(
    "other stores: are not cleared, deleted or closed with another",
    (shared, count) =>
      count === 1
        ? { ...shared, close: async () => createSuccess(undefined) }
        : { ...prefixed(shared, ""), close: async () => createSuccess(undefined) },
  ),
};
