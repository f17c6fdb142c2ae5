import {
  createInMemoryBackend,
  defineMemoryProvider,
  type MemoryBackend,
  mapMessages,
} from "@jaf/memory/adapter";
import { describeMemoryProvider } from "@jaf/memory/testing";

/** Stores every message reversed. */
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

// By UTF-16 units, to split surrogate pairs.
const torn = (text: string): string => text.split("").reverse().join("");

describeMemoryProvider({
  name: "in-memory, with each message reversed by UTF-16 units",
  createStore: async () => {
    const limits = { maxMessagesPerConversation: 10_000 };
    const backend = mapMessages(createInMemoryBackend(limits), {
      encode: torn,
      decode: async (text) => torn(text),
    });
    const provider = defineMemoryProvider(backend);
    return { provider, dispose: async () => void (await provider.close()) };
  },
});
