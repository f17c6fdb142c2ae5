import { describeMemoryProvider } from "@jaf/memory/testing";
import { mediaEverywhere } from "../../../../test/media/everywhere.ts";
import { createInMemoryBlobStore, createInMemoryProvider } from "../../src/index.ts";

describeMemoryProvider({
  name: "in-memory, every message of it in a blob store",
  createStore: async () => {
    const store = createInMemoryProvider({ maxMessagesPerConversation: 10_000 });
    const provider = mediaEverywhere(store, createInMemoryBlobStore());
    return { provider, dispose: async () => void (await provider.close()) };
  },
});
