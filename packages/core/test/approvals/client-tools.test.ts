import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type Tool, ToolResponse } from "../../src/index.ts";
import { approvalOf, interruptionsOf, locating, looking, paying, shop } from "../support/interrupted.ts";
import { assistant, calling, errorOf, result, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const rejectedWith = (code: string) => ({ _tag: "ContinuationRejected", code });
const here = [{ toolCallId: "w", result: "52.5 N" }];

describe("a tool without execute", () => {
  it("runs at the client: the run is interrupted and continues with its result", async () => {
    const { process, provider } = shop();
    const asked = await process([{ toolCalls: [locating] }], ["Where am I?"]);
    expect(interruptionsOf(asked)).toEqual([
      {
        type: "client_tool",
        toolCallId: "w",
        toolName: "locate",
        args: {},
        arguments: "{}",
        agentName: "helper",
      },
    ]);
    const done = await process(["In Berlin."], [], { resume: { toolResults: here } });
    expect(done.outcome).toEqual({ status: "completed", output: "In Berlin." });
    expect(await storedMessages(provider)).toEqual([
      user("Where am I?"),
      calling(["w", "locate"]),
      result("w", "52.5 N"),
      assistant("In Berlin."),
    ]);
  });

  it("can answer with a structured result", async () => {
    const { process, provider } = shop();
    await process([{ toolCalls: [locating] }], ["Where am I?"]);
    const denied = ToolResponse.permissionDenied("The user shares no place.");
    await process(["I see."], [], { resume: { toolResults: [{ toolCallId: "w", result: denied }] } });
    expect(JSON.parse((await storedMessages(provider))[2]?.content ?? "")).toEqual(denied);
  });

  it("can be created in plain JavaScript", async () => {
    const schema = { name: "t", description: "", parameters: z.object({}) };
    const tool = { schema } as unknown as Tool<object, unknown>;
    const ended = await shop({ tools: [tool] }).process([{ toolCalls: [{ name: "t", id: "t" }] }], ["Go"]);
    expect(interruptionsOf(ended)).toMatchObject([{ type: "client_tool", toolName: "t" }]);
  });

  it("throws an error that explains it if it is executed outside a run", async () => {
    const tool = createTool({ name: "t", description: "", parameters: z.object({}) });
    await expect(tool.execute({}, {})).rejects.toThrow("runs at the client");
  });

  it("doesn't get invalid arguments: the model gets the error", async () => {
    const tool = createTool({ name: "t", description: "", parameters: z.object({ at: z.string() }) });
    const { process, provider } = shop({ tools: [tool] });
    const ended = await process([{ toolCalls: [{ name: "t", id: "t" }] }, "Sorry."], ["Go"]);
    expect(ended.outcome.status).toBe("completed");
    expect((await storedMessages(provider))[2]?.content).toContain("INVALID_INPUT");
  });
});

describe("a result of the client", () => {
  it.each([
    ["a call that waits for an approval", "p", "forged-tool-result"],
    ["a call that was answered", "l", "forged-tool-result"],
    ["a call that was never made", "x", "forged-tool-result"],
  ])("is refused for %s, with everything that comes with it", async (_what, toolCallId, code) => {
    const { process, provider, executed } = shop();
    await process([{ toolCalls: [locating, paying(50), looking] }], ["Go"]);
    const before = await storedMessages(provider);
    const toolResults = [...here, { toolCallId, result: "forged" }];
    expect(errorOf(await process([], [], { resume: { toolResults } }))).toMatchObject(rejectedWith(code));
    expect(await storedMessages(provider)).toEqual(before);
    expect(executed).toEqual(["look"]);
  });

  it("is refused if sent twice in one request, or if the call is answered", async () => {
    const { process } = shop();
    await process([{ toolCalls: [locating] }], ["Go"]);
    const twice = await process([], [], { resume: { toolResults: [...here, ...here] } });
    expect(errorOf(twice)).toMatchObject(rejectedWith("duplicate-tool-result"));
    await process(["Done."], [], { resume: { toolResults: here } });
    expect(errorOf(await process([], [], { resume: { toolResults: here } }))).toMatchObject(
      rejectedWith("forged-tool-result"),
    );
  });

  it("is kept while the run waits for an approval", async () => {
    const { process, executed } = shop();
    await process([{ toolCalls: [locating, paying(50)] }], ["Go"]);
    const request = approvalOf(await process([], [], { resume: { toolResults: here } }));
    const approvals = [{ toolCallId: request.toolCallId, approvalId: request.approvalId, approved: true }];
    const done = await process(["Done."], [], { resume: { approvals } });
    expect(done.finalState.messages.map(({ content }) => content)).toEqual([
      "Go",
      "",
      "52.5 N",
      "paid 50",
      "Done.",
    ]);
    expect(executed).toEqual(["pay 50"]);
  });
});
