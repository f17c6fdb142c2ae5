import { describe, expect, it } from "vitest";
import { approve, handoffTool, type Middleware, reject } from "../../src/index.ts";
import { approvalOf, interruptionsOf, shop } from "../support/interrupted.ts";
import { assistant, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const call = {
  id: "mcpr_1",
  type: "function",
  function: { name: "shop.order", arguments: '{"item":"tea"}' },
  providerExecuted: true,
  providerMetadata: { openai: { item: { type: "mcp_approval_request", server_label: "shop" } } },
};
const asks = { fields: { tool_calls: [call] } };
const asked = { role: "assistant", content: "", tool_calls: [call] };
const resultOf = (content: string) => ({ role: "tool", tool_call_id: "mcpr_1", content });

describe("a call that the model provider runs after an approval", () => {
  it("waits for the approval, although the agent has no such tool", async () => {
    const { process, provider } = shop();
    expect(interruptionsOf(await process([asks], ["Order tea."]))).toMatchObject([
      { type: "approval", toolCallId: "mcpr_1", toolName: "shop.order", args: { item: "tea" } },
    ]);
    expect(await storedMessages(provider)).toEqual([user("Order tea."), asked]);
  });

  it("gets a result that says that it was approved, and runs nothing", async () => {
    const { process, provider, executed } = shop();
    const waiting = await process([asks], ["Order tea."]);
    const done = await process(["Ordered."], [], { resume: { approvals: [approve(approvalOf(waiting))] } });
    expect(done.outcome).toEqual({ status: "completed", output: "Ordered." });
    expect(await storedMessages(provider)).toEqual([
      user("Order tea."),
      asked,
      resultOf('{"status":"success","data":{"approved":true}}'),
      assistant("Ordered."),
    ]);
    expect(executed).toEqual([]);
  });

  it("gets the usual result of a rejection", async () => {
    const { process, provider } = shop();
    const waiting = await process([asks], ["Order tea."]);
    const no = reject(approvalOf(waiting), "No tea.");
    await process(["Fine."], [], { resume: { approvals: [no] } });
    const result = (await storedMessages(provider))[2];
    expect(JSON.parse(result?.content ?? "")).toMatchObject({
      status: "permission_denied",
      error: { message: "The call was not approved: No tea." },
    });
  });

  it("waits although the agent has a tool with its name", async () => {
    const named = { ...call, function: { name: "locate", arguments: "{}" } };
    const waiting = await shop().process([{ fields: { tool_calls: [named] } }], ["Where?"]);
    expect(interruptionsOf(waiting)).toMatchObject([{ type: "approval", toolName: "locate" }]);
  });

  it("isn't approved if a hook changed its arguments, because the model provider has the others", async () => {
    const wrapToolCall: Middleware<unknown>["wrapToolCall"] = (_, next) => next({ args: { item: "coffee" } });
    const { process, provider } = shop({ agent: { middleware: [{ name: "barista", wrapToolCall }] } });
    const waiting = await process([asks], ["Order tea."]);
    await process(["Hm."], [], { resume: { approvals: [approve(approvalOf(waiting))] } });
    const result = (await storedMessages(provider))[2];
    expect(JSON.parse(result?.content ?? "")).toMatchObject({
      status: "permission_denied",
      error: { message: expect.stringContaining("arguments") },
    });
  });

  it("keeps the conversation at its agent, whose model provider runs it", async () => {
    const named = { name: "handoff", arguments: '{"agentName":"other"}' };
    const calls = [call, { id: "w", type: "function", function: { name: "locate", arguments: "{}" } }];
    const handoff = { id: "h", type: "function", function: named };
    const world = shop({ tools: [handoffTool], agent: { handoffs: ["other"] } });
    const waiting = await world.process([{ fields: { tool_calls: [...calls, handoff] } }], ["Order tea."]);
    const yes = interruptionsOf(waiting).flatMap((each) => (each.type === "approval" ? [approve(each)] : []));
    // The handoff is answered in a run to which the approved call is no news.
    await world.process([], [], { resume: { approvals: yes } });
    const toolResults = [{ toolCallId: "w", result: "Pune" }];
    const done = await world.process(["Ordered."], [], { resume: { toolResults } });
    expect(done.finalState.currentAgentName).toBe("helper");
    const result = (await storedMessages(world.provider)).find(({ tool_call_id: id }) => id === "h");
    expect(result?.content).toMatch(/other call first/);
  });
});
