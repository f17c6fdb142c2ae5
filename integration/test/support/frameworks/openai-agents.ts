import { createSession } from "@jaf/openai-agents";
import { Agent, type AgentInputItem, run, setTracingDisabled } from "@openai/agents-core";
import { assistantMessage, modelResponder, ScriptedModel } from "@openai/agents-core/testing";
import { type Framework, SAID } from "./framework.ts";

setTracingDisabled(true);

const conversation: AgentInputItem[] = [
  {
    type: "message",
    role: "user",
    content: [
      { type: "input_text", text: SAID.question },
      { type: "input_image", image: `data:image/png;base64,${SAID.photo}` },
    ],
  },
  {
    type: "reasoning",
    id: "rs_1",
    content: [{ type: "input_text", text: SAID.reasoning }],
    providerData: { encrypted_content: SAID.signature },
  },
  {
    type: "function_call",
    id: "fc_1",
    callId: SAID.callId,
    name: "look",
    status: "completed",
    arguments: JSON.stringify(SAID.arguments),
  },
  {
    type: "function_call_result",
    callId: SAID.callId,
    name: "look",
    status: "completed",
    output: SAID.result,
  },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: SAID.answer }],
  },
];

export const openaiAgents: Framework = {
  name: "OpenAI Agents",
  begin: (place) => createSession(place).addItems(conversation),
  ask: async (place, text, reply) => {
    let given: unknown;
    const model = new ScriptedModel([
      modelResponder(({ request }) => {
        given = request.input;
        return [assistantMessage(reply)];
      }),
    ]);
    await run(new Agent({ name: "Assistant", model }), text, { session: createSession(place) });
    return given;
  },
  load: (place) => createSession(place).getItems(),
};
