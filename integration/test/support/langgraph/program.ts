import { createChatHistory, createCheckpointSaver, createStore } from "@jaf/langgraph";
import type { MemoryProvider } from "@jaf/memory";
import { rankTexts } from "@jaf/user-memory";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

/** Refunds an order, once the user has agreed. */
class ScriptedModel extends BaseChatModel {
  override _llmType(): string {
    return "scripted";
  }

  override async _generate(messages: BaseMessage[]) {
    const last = messages.at(-1);
    const call = { type: "tool_call" as const, id: "call_1", name: "refund", args: { order: 17 } };
    const message =
      last?.getType() === "human"
        ? new AIMessage({ content: "", tool_calls: [call] })
        : new AIMessage(`Done: ${String(last?.content)}`);
    return { generations: [{ text: message.text, message }] };
  }
}

export interface Reply {
  /** What the graph asks the user. Absent: it is done. */
  readonly asks?: unknown;
  readonly messages: readonly unknown[];
}

/** A graph that answers in a user's conversation, asks before it acts, and remembers what it did. */
export function openProgram(provider: MemoryProvider, userId: string, onRefund = async () => {}) {
  const memory = { provider, userId };
  const history = createChatHistory({ ...memory, conversationId: `chat of ${userId}` });
  const store = createStore({ ...memory, rank: rankTexts });
  const model = new ScriptedModel({});
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", async ({ messages }) => {
      const [call] = (messages.at(-1) as AIMessage).tool_calls ?? [];
      const answer: string = interrupt(`Refund order ${call?.args["order"]}?`);
      const refunds = await store.search(["refunds"], { query: `order ${call?.args["order"]}` });
      await onRefund();
      await store.put(["refunds"], `order ${call?.args["order"]}`, {
        text: `Refunded: ${answer}.`,
        before: refunds.length,
      });
      return { messages: [new ToolMessage({ content: answer, tool_call_id: call?.id ?? "" })] };
    })
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : END,
    )
    .addEdge("tools", "agent")
    .compile({ checkpointer: createCheckpointSaver(memory), store });
  const config = { configurable: { thread_id: `thread of ${userId}` } };

  /** Runs the graph, and adds the messages of a finished run to the conversation. */
  async function run(input: Parameters<typeof graph.invoke>[0]): Promise<Reply> {
    const known = await history.getMessages();
    const result = await graph.invoke(input, config);
    const [asked] = (await graph.getState(config)).tasks.flatMap(({ interrupts }) => interrupts);
    if (asked !== undefined) return { asks: asked.value, messages: [] };
    await history.addMessages(result.messages.slice(known.length));
    return { messages: (await history.getMessages()).map(({ content }) => content) };
  }

  return {
    store,
    begin: async () => run({ messages: await history.getMessages() }),
    resume: (answer: string) => run(new Command({ resume: answer }) as never),
  };
}
