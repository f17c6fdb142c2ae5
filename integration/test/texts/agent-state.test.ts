// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of a state
import { createScriptedModel, type ScriptedModel } from "@jaf/core/testing";
import type { MemoryProvider } from "@jaf/memory";
import { loadAgentState } from "@jaf/xflow";
import { describe, expect, it } from "vitest";
import { BACKENDS } from "./backends.ts";
import { blockNamed } from "./blocks.ts";

const { code } = blockNamed("2-xflow-chat-memory", "whole-state");

const input = { request: { question: "What is a lease?" } };
const answer = '{"response":"A lock that ends by itself."}';
const search = { name: "SEARCH_DOCUMENTS", arguments: { query: "lease" } };

const messagesSent = ({ requests }: ScriptedModel<unknown>) => requests.map(({ state }) => state.messages);

/** The example as it stands, with what an application gives it. */
async function load(model: ScriptedModel<unknown>, provider: MemoryProvider) {
  const queries: string[] = [];
  const state = await loadAgentState(code, {
    models: { "gpt-4o": model },
    tools: {
      SEARCH_DOCUMENTS: async ({ query }: { query: string }) => {
        queries.push(query);
        return { documents: ["https://example.com/lease"] };
      },
    },
    provider,
  });
  return { state, queries };
}

describe.each(Object.entries(BACKENDS))("the second text's agent state, %s", (_, open) => {
  it("goes to SuccessState with a response, and to ErrorState where the output stays invalid", async () => {
    const { provider, close } = await open();
    const model = createScriptedModel([answer, "no JSON", "{}"]);
    const { state } = await load(model, provider);
    expect(state.transitions).toEqual(["SuccessState", "ErrorState"]);

    expect(await state.run(input)).toMatchObject({
      status: "completed",
      transition: "SuccessState",
      reason: { index: 0, condition: "${ $agentOutcome.returnValues.response != null }" },
      returnValues: { response: "A lock that ends by itself." },
      conversationId: "session123",
    });
    expect(model.requests[0]).toMatchObject({
      instructions: "You are an assistant designed to provide accurate answers.",
      state: { messages: [{ role: "user", content: "User: What is a lease?" }] },
      agent: { modelConfig: { name: "gpt-4o" } },
    });

    expect(await state.run(input)).toMatchObject({
      status: "completed",
      transition: "ErrorState",
      reason: { index: 1 },
      returnValues: null,
    });
    expect(model.requests).toHaveLength(3);
    await close();
  });

  it("sends the model ten messages at most over twenty turns, and keeps all", async () => {
    const { provider, close } = await open();
    const model = createScriptedModel(Array.from({ length: 20 }, () => answer));
    const { state } = await load(model, provider);
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await state.run({ request: { question: `${turn}` } })).toMatchObject({
        transition: "SuccessState",
      });
    }
    const sent = messagesSent(model).map(({ length }) => length);
    // Ten would begin with a reply; a window begins with what the user said.
    expect(sent).toEqual([1, 3, 5, 7, ...Array.from({ length: 16 }, () => 9)]);
    expect(messagesSent(model).at(-1)?.at(-1)).toMatchObject({ content: "User: 19" });
    const stored = await provider.getConversation("session123");
    expect(stored.success && stored.data?.messages).toHaveLength(40);
    await close();
  });

  it("executes the tool five times, then has the model answer without tools", async () => {
    const { provider, close } = await open();
    const twice = { toolCalls: [search, search] };
    const model = createScriptedModel([twice, twice, twice, answer]);
    const { state, queries } = await load(model, provider);
    expect(await state.run(input)).toMatchObject({ status: "completed", transition: "SuccessState" });
    expect(queries).toHaveLength(5);
    const choices = model.requests.map(({ agent }) => agent.modelConfig?.toolChoice);
    expect(choices).toEqual([undefined, undefined, undefined, "none"]);
    expect(model.requests.map(({ agent }) => agent.tools?.length)).toEqual([1, 1, 1, 1]);
    expect(messagesSent(model)[3]?.at(-1)?.content).toContain("TOOL_LIMIT");
    await close();
  });

  it("refuses another user's conversation", async () => {
    const { provider, close } = await open();
    const { state } = await load(createScriptedModel([answer, answer]), provider);
    expect(await state.run(input, { userId: "ada" })).toMatchObject({ status: "completed" });
    expect(await state.run(input, { userId: "eve" })).toMatchObject({
      status: "error",
      error: { _tag: "MemoryError", error: { _tag: "MemoryConflictError", reason: "owner" } },
    });
    await close();
  });
});
