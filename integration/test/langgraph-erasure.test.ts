import { setTimeout as delay } from "node:timers/promises";
import { createCheckpointSaver } from "@jaf/langgraph";
import { createInMemoryProvider, type VersionedMemoryProvider } from "@jaf/memory";
import { AIMessage } from "@langchain/core/messages";
import { Command, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, vi } from "vitest";

const DURABILITIES = ["async", "sync", "exit"] as const;
const config = { configurable: { thread_id: "t" } };

/** Returns a provider whose appends take longer than the nodes of a graph. */
function slow(): VersionedMemoryProvider {
  const provider = createInMemoryProvider({ maxConversations: 10_000 });
  const appendMessages: typeof provider.appendMessages = async (...given) => {
    await delay(5);
    return provider.appendMessages(...given);
  };
  return { ...provider, appendMessages };
}

/** What LangGraph passes to a node: the checkpoints of the graphs around it, by namespace. */
interface Configurable {
  readonly checkpoint_map: Readonly<Record<string, string>>;
}

/** A graph with two nodes and a subgraph that asks, if `asks`. `during` runs in its first node. */
function graphWith(
  checkpointer: BaseCheckpointSaver,
  asks: boolean,
  during: (started: string) => Promise<unknown>,
) {
  const sub = new StateGraph(MessagesAnnotation)
    .addNode("asker", async () => ({
      messages: [new AIMessage(asks ? String(interrupt("Go on?")) : "nothing asked")],
    }))
    .addEdge(START, "asker")
    .compile();
  return new StateGraph(MessagesAnnotation)
    .addNode("first", async () => ({ messages: [new AIMessage("first")] }))
    .addNode("second", async (state, { configurable }) => {
      await during((configurable as unknown as Configurable).checkpoint_map[""] ?? "");
      return sub.invoke(state);
    })
    .addEdge(START, "first")
    .addEdge("first", "second")
    .compile({ checkpointer });
}

/** Fills what the checkpointer knows with checkpoints of other threads. */
async function evict(saver: BaseCheckpointSaver): Promise<void> {
  for (let n = 0; n < 1_001; n++) await saver.getTuple({ configurable: { thread_id: `other ${n}` } });
}

/** Waits until the thread has the checkpoint. */
const isStored = (provider: VersionedMemoryProvider, checkpoint_id: string) =>
  vi.waitFor(async () => {
    const saver = createCheckpointSaver({ provider, userId: "ann" });
    const found = await saver.getTuple({ configurable: { ...config.configurable, checkpoint_id } });
    expect(found).toBeDefined();
  }, 10_000);

describe.each(DURABILITIES)("with durability %s", (durability) => {
  it("a subgraph of a new thread asks and goes on, also if appends are slower than the nodes", async () => {
    for (const isForgotten of [false, true]) {
      const provider = slow();
      const saver = createCheckpointSaver({ provider, userId: "ann" });
      const during = () => (isForgotten ? evict(saver) : Promise.resolve());
      await graphWith(saver, true, during).invoke({ messages: ["Hello"] }, { ...config, durability });
      const other = createCheckpointSaver({ provider, userId: "ann" });
      const resumed = await graphWith(other, true, async () => {}).invoke(new Command({ resume: "yes" }), {
        ...config,
        durability,
      });
      expect(resumed.messages.map(({ content }) => content)).toEqual(["Hello", "first", "yes"]);
    }
  });

  const erasures: Record<
    string,
    (saver: BaseCheckpointSaver, provider: VersionedMemoryProvider) => Promise<unknown>
  > = {
    "by the same checkpointer": (saver) => saver.deleteThread("t"),
    "with its user": (_, provider) => provider.clearUserConversations("ann"),
    "while other threads are busy": async (saver, provider) => {
      await provider.clearUserConversations("ann");
      await evict(saver);
    },
    "and read by the id of its checkpoint": async (saver, provider) => {
      const newest = await saver.getTuple(config);
      await provider.clearUserConversations("ann");
      await saver.getTuple(newest?.config ?? config);
    },
    "and read again": async (saver, provider) => {
      await provider.clearUserConversations("ann");
      await saver.getTuple(config);
    },
  };
  it.each(Object.entries(erasures))(
    "a thread that is erased during a run stays erased: %s",
    async (_, erase) => {
      const provider = slow();
      const saver = createCheckpointSaver({ provider, userId: "ann" });
      const ask = (during: (started: string) => Promise<unknown>) =>
        graphWith(saver, false, during).invoke({ messages: ["secret"] }, { ...config, durability });
      await ask(async () => {});
      const during = async (started: string) => {
        // As during a call of a model, which takes longer than a put.
        if (durability !== "exit") await isStored(provider, started);
        await erase(saver, provider);
      };
      await expect(ask(during)).rejects.toMatchObject({
        memoryError: { _tag: "MemoryConflictError", reason: "incarnation" },
      });
      const left = await provider.findConversations({ userId: "ann" });
      const children = await provider.findConversations({ childrenOf: "langgraph:t" });
      expect([left, children]).toMatchObject([{ data: [] }, { data: [] }]);
    },
  );
});
