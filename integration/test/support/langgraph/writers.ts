import { createChatHistory, createCheckpointSaver, createStore } from "@jaf/langgraph";
import type { MemoryProvider } from "@jaf/memory";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";

export const WRITERS = 20;

/** Writes with twenty writers at once to one thread, one conversation and one namespace. */
export async function writeAtOnce(provider: MemoryProvider, writer: string): Promise<void> {
  const memory = { provider, userId: "ada" };
  const saver = createCheckpointSaver(memory);
  const history = createChatHistory({ ...memory, conversationId: "shared" });
  const store = createStore(memory);
  const config = { configurable: { thread_id: "shared", checkpoint_ns: "" } };
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, n) => {
      await saver.getTuple(config);
      const checkpoint = {
        ...emptyCheckpoint(),
        id: uuid6(n),
        channel_values: { n },
        channel_versions: { n: 1 },
      };
      const stored = await saver.put(config, checkpoint, { source: "loop", step: n, parents: {} }, { n: 1 });
      await saver.putWrites(stored, [["n", writer]], `task ${n}`);
      await history.addMessages([new HumanMessage(`${writer} ${n}`)]);
      await store.put(["shared"], `${writer} ${n}`, { n });
      // All replace the same document: the last one wins.
      await store.put(["shared"], "last", { by: `${writer} ${n}` });
    }),
  );
}
