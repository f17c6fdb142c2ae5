import { describeCacheAdapterConformance } from "@jaf/memory/testing";
import { createInProcessStore } from "../src/cache/in-process-store.ts";

describeCacheAdapterConformance({
  name: "of one process",
  createCache: async () => ({ cache: createInProcessStore(), dispose: async () => {} }),
});
