import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MemoryProviderHarness } from "@jaf/memory/testing";
import { createMyStoreProvider } from "../src/index.ts";

/** How the conformance kit makes stores. The guide explains each field under "The conformance kit". */
export const harness: MemoryProviderHarness = {
  name: "my-store",
  // If there is a server, start it in `setUp` and stop it in `tearDown`.
  createStore: async () => {
    // A new, empty store for each rule. On a server, that is a schema or a prefix of its own.
    const location = await mkdtemp(join(tmpdir(), "jaf-my-store-"));
    const open = () => createMyStoreProvider({ location });
    const provider = await open();
    return {
      provider,
      // A second connection to the same storage, and one from another process. Remove what the storage can't have.
      connect: open,
      process: { module: new URL("./provider-process.ts", import.meta.url), argument: location },
      // 10. Add `stop`, which makes the storage unreachable, and `crash`, which cuts off all connections while calls
      //     are running. Without them, the kit skips the rules about a store out of reach and about crashes.
      dispose: async () => {
        try {
          await provider.close();
        } finally {
          await rm(location, { recursive: true, force: true });
        }
      },
    };
  },
  // What the storage can't do at all, and why: `ttl`, `multipleConnections`, `durability` or `digests`.
  capabilities: {
    digests: { unsupported: "it stores no digests yet" },
  },
};
