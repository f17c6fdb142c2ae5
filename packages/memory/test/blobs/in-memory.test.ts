import { describeBlobStoreConformance } from "@jaf/memory/testing";
import { createInMemoryBlobStore } from "../../src/index.ts";

describeBlobStoreConformance({
  name: "in-memory",
  createStore: async () => {
    const store = createInMemoryBlobStore();
    return { store, dispose: async () => void (await store.close()) };
  },
});
