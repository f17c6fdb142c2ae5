import { createInMemoryProvider, type RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approve, createTool, handoffTool, reject, run } from "../../src/index.ts";
import { eventsOfType, says, setup } from "../support/setup.ts";
import { type AnyTool, answersTo } from "../support/tool-answers.ts";

const asked = { name: "sql", input: ' select "a"\n' };

const sql = (more: object = {}): AnyTool =>
  createTool({
    name: "sql",
    description: "",
    parameters: z.string().min(3),
    execute: (query) => `ran ${query}`,
    ...more,
  });

describe("a custom call", () => {
  it("runs the tool of its name with its text, and the events show it", async () => {
    const { contents, events } = await answersTo([asked], [sql()]);
    expect(contents).toEqual([`ran ${asked.input}`]);
    expect(eventsOfType(events, "tool_call_start")).toEqual([
      { toolName: "sql", args: asked.input, toolCallId: "call_1" },
    ]);
    expect(eventsOfType(events, "tool_call_end")).toMatchObject([{ toolName: "sql", status: "success" }]);
  });

  it.each([
    ["the schema refuses its text", "ab", sql()],
    ["the tool takes JSON", '{"a":1}', sql({ parameters: z.object({ a: z.number() }) })],
    [
      "it names the tool of handoffs",
      '{"agentName":"other"}',
      { ...handoffTool, schema: { ...handoffTool.schema, name: "sql" } },
    ],
  ])("is answered with an error if %s", async (_when, input, tool) => {
    const { contents } = await answersTo([{ name: "sql", input }], [tool]);
    expect(JSON.parse(contents[0] ?? "")).toMatchObject({
      status: "error",
      error: { code: "INVALID_INPUT" },
    });
  });

  it("is answered with an error if there is no such tool", async () => {
    const { contents } = await answersTo([asked], []);
    expect(JSON.parse(contents[0] ?? "")).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });

  it("hands off if the handoff tool takes text", async () => {
    const parameters = z.string().transform((agentName) => ({ agentName }));
    const transfer: AnyTool = { ...handoffTool, schema: { ...handoffTool.schema, parameters } };
    const { config } = setup({
      model: [{ toolCalls: [{ name: "handoff", input: "other" }] }, "I'm the other."],
      tools: [transfer],
      agent: { handoffs: ["other"] },
      otherAgents: [{ name: "other", instructions: () => "" }],
    });
    expect((await run(says("Hi"), config)).finalState.currentAgentName).toBe("other");
  });
});

describe("a custom call that waits", () => {
  const world = (tool: AnyTool) => {
    const memory = { provider: createInMemoryProvider(), autoStore: true } as const;
    // Each run stands for a new process, which shares only the store.
    return (steps: readonly (string | object)[], config = {}, ...messages: readonly string[]) =>
      run(
        says(...messages),
        setup({ model: steps as never, tools: [tool], config: { memory, conversationId: "c", ...config } })
          .config,
      );
  };
  const waitingOf = async (process: ReturnType<typeof world>) => {
    const { outcome } = await process([{ toolCalls: [asked] }], {}, "Hi");
    if (outcome.status !== "interrupted") throw new Error(JSON.stringify(outcome));
    const [waiting] = outcome.interruptions;
    if (waiting === undefined) throw new Error("nothing waits");
    return waiting;
  };

  it("is shown with its text, and runs once it is approved", async () => {
    const process = world(sql({ needsApproval: (query: string) => query.includes("select") }));
    const waiting = await waitingOf(process);
    expect(waiting).toMatchObject({
      type: "approval",
      toolName: "sql",
      args: asked.input,
      arguments: asked.input,
    });
    if (waiting.type !== "approval") throw new Error("no approval");
    const { finalState } = await process(["Done."], { resume: { approvals: [approve(waiting)] } });
    expect(finalState.messages.map(({ content }) => content)).toEqual([
      "Hi",
      "",
      `ran ${asked.input}`,
      "Done.",
    ]);
    const calling: RichMessage | undefined = finalState.messages[1];
    expect(calling?.tool_calls).toEqual([{ id: "call_1", type: "custom", custom: asked }]);
  });

  it("never runs after a rejection, and its approval doesn't match another text", async () => {
    const process = world(sql({ needsApproval: true }));
    const waiting = await waitingOf(process);
    if (waiting.type !== "approval") throw new Error("no approval");
    const other = world(sql({ needsApproval: true }));
    await other([{ toolCalls: [{ ...asked, input: "drop table a" }] }], {}, "Hi");
    const stolen = await other([], { resume: { approvals: [approve(waiting)] } });
    expect(stolen.outcome).toMatchObject({ error: { _tag: "ContinuationRejected" } });
    const { finalState } = await process(["Done."], { resume: { approvals: [reject(waiting, "no")] } });
    expect(finalState.messages[2]?.content).toContain("permission_denied");
  });

  it("runs at the client if its tool is a client tool", async () => {
    const process = world(sql({ execute: undefined }));
    const waiting = await waitingOf(process);
    expect(waiting).toMatchObject({ type: "client_tool", args: asked.input });
    const toolResults = [{ toolCallId: waiting.toolCallId, result: "3 rows" }];
    const { finalState } = await process(["Done."], { resume: { toolResults } });
    expect(finalState.messages[2]).toEqual({ role: "tool", content: "3 rows", tool_call_id: "call_1" });
  });
});
