import { inMemoryConfigSchema } from "../in-memory/config.ts";
import { createInMemoryProvider } from "../in-memory/provider.ts";
import type { MemoryAdapter } from "./adapter.ts";

export const inMemoryAdapter: MemoryAdapter = {
  type: "memory",
  configSchema: inMemoryConfigSchema,
  environment: {
    JAF_MEMORY_MAX_CONVERSATIONS: { field: "maxConversations", format: "number" },
    JAF_MEMORY_MAX_MESSAGES: { field: "maxMessagesPerConversation", format: "number" },
  },
  create: (config) => createInMemoryProvider(config),
};
