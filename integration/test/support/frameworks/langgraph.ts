import { createChatHistory, createCheckpointSaver } from "@jaf/langgraph";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { type Framework, SAID } from "./framework.ts";

const conversation: BaseMessage[] = [
  new HumanMessage({
    id: "lc-1",
    content: [
      { type: "text", text: SAID.question },
      { type: "image_url", image_url: { url: `data:image/png;base64,${SAID.photo}` } },
    ],
  }),
  new AIMessage({
    id: "lc-2",
    content: [{ type: "thinking", thinking: SAID.reasoning, signature: SAID.signature }],
    tool_calls: [{ type: "tool_call", id: SAID.callId, name: "look", args: SAID.arguments }],
  }),
  new ToolMessage({ tool_call_id: SAID.callId, content: SAID.result, artifact: { place: "Eckmühl" } }),
  new AIMessage({ id: "lc-3", content: SAID.answer, response_metadata: { model: "claude" } }),
];

export const langgraph: Framework = {
  name: "LangGraph",
  begin: (place) => createChatHistory(place).addMessages(conversation),
  ask: async (place, text, reply) => {
    let given: readonly BaseMessage[] = [];
    const history = createChatHistory(place);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => {
        given = messages;
        return { messages: [new AIMessage(reply)] };
      })
      .addEdge(START, "model")
      .compile({ checkpointer: createCheckpointSaver(place) });
    const before = await history.getMessages();
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    const { messages } = await graph.invoke({ messages: [...before, new HumanMessage(text)] }, config);
    await history.addMessages(messages.slice(before.length));
    return given.map((message) => message.toDict());
  },
  load: async (place) => (await createChatHistory(place).getMessages()).map((message) => message.toDict()),
};
