import { describeMemoryProvider } from "@jaf/memory/testing";
import {
  createInMemoryProvider,
  MemoryPerformanceMonitor,
  monitorProvider,
  type VersionedMemoryProvider,
  withFallback,
  withRetry,
} from "../../src/index.ts";

const wrap = (provider: VersionedMemoryProvider): VersionedMemoryProvider =>
  monitorProvider(
    withFallback(withRetry(provider), createInMemoryProvider()),
    new MemoryPerformanceMonitor(),
  );

// All wrappers together: none may change the behaviour of an available provider.
describeMemoryProvider({
  name: "in-memory, with retry, fallback and monitor",
  createStore: async () => {
    const provider = wrap(createInMemoryProvider({ maxMessagesPerConversation: 10_000 }));
    return { provider, dispose: async () => void (await provider.close()) };
  },
});
