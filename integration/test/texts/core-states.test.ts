import { createRunId, createRunState, createTraceId, run } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { describe, expect, it } from "vitest";
import { BACKENDS } from "./backends.ts";
import { blockNamed } from "./blocks.ts";
import { block, runOf, TEXT, userSays } from "./core-concepts.ts";
import { spyConsole } from "./spies.ts";

describe("states", () => {
  const state = userSays("Hi", "helper");
  const said = { role: "assistant", content: "Hello" };

  it("evolve, and stay as they were", async () => {
    const { nextState } = await block("state-evolution", { state, newMessage: said });
    const { addMessage } = await block("pure-function");
    const expected = { ...state, turnCount: 1, messages: [{ role: "user", content: "Hi" }, said] };
    expect(nextState).toEqual(expected);
    expect(addMessage(state, said)).toEqual(expected);
    expect(state).toMatchObject({ turnCount: 0, messages: { length: 1 } });
  });

  it("are copied with another message, other messages or another context", async () => {
    expect(await block("immutability", { state, oldState: state, newMessage: said })).toMatchObject({
      newState: { messages: { length: 2 } },
      filteredMessages: [{ role: "user" }],
      mappedMessages: [{ processed: true }],
    });
    const context = {
      userId: "u",
      sessionId: "s",
      permissions: [],
      preferences: { language: "en", timezone: "UTC" },
    };
    const { updatedState } = await block("context-evolution", { currentState: userSays("Hi", "a", context) });
    expect(updatedState.context).toEqual({ ...context, preferences: { language: "es", timezone: "UTC" } });
  });

  it("have ids that are texts", async () => {
    expect(await block("branded-ids")).toMatchObject({ traceId: "trace-123", runId: "run-456" });
  });

  it("a trace groups runs, of which each has an id of its own", async () => {
    const [trace = "", ...runs] = blockNamed(TEXT, "trace-relationships").code.match(/(?<=Id: )\S+/g) ?? [];
    const traceId = createTraceId(trace);
    const seen: unknown[] = [];
    for (const id of runs)
      await run(createRunState({ agentName: "helper", context: {}, traceId, runId: createRunId(id) }), {
        agentRegistry: new Map([["helper", { name: "helper", instructions: "" }]]),
        modelProvider: createScriptedModel(["Done."]),
        onEvent: ({ type, data }) => type === "run_start" && seen.push(data),
      });
    expect(seen).toEqual(
      ["run-001", "run-002", "run-003"].map((runId) => ({ runId, traceId: "trace-abc123" })),
    );
  });
});

describe("messages", () => {
  it.each(Object.entries(BACKENDS))("tell of a conversation that is stored as it is %s", async (_, open) => {
    const { provider, close } = await open();
    const { messages } = await block("conversation-flow");
    await provider.storeMessages("c", messages);
    expect(await provider.getConversation("c")).toMatchObject({ data: { messages } });
    const console = spyConsole();
    await block("memory-result", { memoryProvider: provider, conversationId: "c" }, { console });
    expect(console.lines()).toEqual([expect.stringMatching(/^Messages: \[/)]);
    await close();
  });

  it("are appended to a copy; those of a run can't be changed", async () => {
    const { result } = runOf([{ name: "helper", instructions: "" }], ["Done."]);
    const { finalState } = await result;
    const given = { state: finalState, assistantMessage: { role: "assistant", content: "Hi" } };
    await expect(block("message-immutability", given)).rejects.toThrow(TypeError);
  });
});
