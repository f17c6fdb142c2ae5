import {
  createInMemoryBackend,
  defineMemoryProvider,
  type MemoryBackend,
  mapMessages,
} from "@jaf/memory/adapter";
import { describeMemoryProvider } from "@jaf/memory/testing";

/** Keeps every message the wrong way round. */
function reversed(backend: MemoryBackend): MemoryBackend {
  const reverse = (text: string) => [...text].toReversed().join("");
  return mapMessages(backend, { encode: reverse, decode: reverse });
}

describeMemoryProvider({
  name: "in-memory, behind a wrapper that reverses every text",
  createStore: async () => {
    const backend = createInMemoryBackend({ maxMessagesPerConversation: 10_000 });
    const provider = defineMemoryProvider(reversed(backend));
    return { provider, dispose: async () => void (await provider.close()) };
  },
});
