import { describeCacheAdapterConformance } from "@jaf/memory/testing";
import { createInProcessStore } from "../src/cache-registry.ts";

describeCacheAdapterConformance({
  name: "of one process",
  createCache: async () => ({ cache: createInProcessStore(), dispose: async () => {} }),
});
