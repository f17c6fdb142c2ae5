import { describeMemoryProvider } from "@jaf/memory/testing";
import { createInMemoryProvider } from "../../src/index.ts";

describeMemoryProvider({
  name: "in-memory",
  createStore: async () => {
    const provider = createInMemoryProvider({ maxMessagesPerConversation: 10_000 });
    return { provider, dispose: async () => void (await provider.close()) };
  },
  capabilities: {
    multipleConnections: { unsupported: "it lives in one process" },
    durability: { unsupported: "it lives in one process" },
  },
});
