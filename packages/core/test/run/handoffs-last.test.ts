import { createInMemoryProvider } from "@jaf/memory";
import { expect, it } from "vitest";
import { type Agent, createRunState, handoffTool, type RunConfig, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { user } from "../support/setup.ts";

const billing: Agent<unknown, string> = { name: "billing", instructions: "" };
const front: Agent<unknown, string> = {
  name: "front",
  instructions: "",
  tools: [handoffTool],
  handoffs: ["billing"],
};

async function secondTurn(config: Partial<RunConfig<unknown>>, agents = [front, billing]) {
  const model = createScriptedModel<unknown>(({ agent: { name }, state: { messages } }) =>
    name === "front" && messages.at(-1)?.content === "a bill"
      ? { toolCalls: [{ name: "handoff", arguments: { agentName: "billing" } }] }
      : `this is ${name}`,
  );
  const memory = { provider: createInMemoryProvider(), autoStore: true };
  const say = (text: string, registered: readonly Agent<unknown, string>[]) =>
    run(createRunState<unknown>({ agentName: "front", context: {}, messages: [user(text)] }), {
      agentRegistry: new Map(registered.map((agent) => [agent.name, agent])),
      ...{ modelProvider: model, memory, conversationId: "c", ...config },
    });
  await say("a bill", [front, billing]);
  return (await say("and another", agents)).outcome;
}

it("a handoff lasts for the turn by default, and for the conversation if that is asked for", async () => {
  expect(await secondTurn({})).toEqual({ status: "completed", output: "this is front" });
  expect(await secondTurn({ handoffsLast: "turn" })).toEqual({
    status: "completed",
    output: "this is front",
  });
  const stays = await secondTurn({ handoffsLast: "conversation" });
  expect(stays).toEqual({ status: "completed", output: "this is billing" });
});

it("an agent that isn't registered any more doesn't get the next message", async () => {
  const outcome = await secondTurn({ handoffsLast: "conversation" }, [front]);
  expect(outcome).toEqual({ status: "completed", output: "this is front" });
});
