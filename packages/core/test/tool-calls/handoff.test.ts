import { createInMemoryProvider } from "@jaf/memory";
import { isReplayable } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Agent, createTool, handoffTool, run, type ToolResult } from "../../src/index.ts";
import { createScriptedModel, type ScriptedCall } from "../../src/testing/index.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

const agentNamed = (name: string, more: Partial<Agent<unknown, unknown>> = {}): Agent<unknown, unknown> => ({
  name,
  instructions: () => `You are ${name}.`,
  ...more,
});

const to = (agentName: string, more: object = {}): ScriptedCall => ({
  name: "handoff",
  arguments: { agentName, ...more },
});

const echo = createTool({
  name: "echo",
  description: "",
  parameters: z.object({}),
  execute: () => "echoed",
});

function handingOff(toolCalls: readonly ScriptedCall[], more: readonly string[] = []) {
  const model = createScriptedModel([{ toolCalls }, ...more]);
  const { config, events } = setup({
    model,
    tools: [handoffTool, echo],
    agent: { handoffs: ["billing", "support", "ghost"] },
    otherAgents: [agentNamed("billing"), agentNamed("support"), agentNamed("secret")],
  });
  return { model, config, events };
}

const contentsOf = (messages: readonly { readonly role: string; readonly content: string }[]): ToolResult[] =>
  messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.parse(content));

describe("a handoff", () => {
  it("continues with the named agent and the whole conversation", async () => {
    const { model, config, events } = handingOff([to("billing", { message: "Invoice 7" })], ["Paid."]);
    const { outcome, finalState } = await run(says("Pay my invoice"), config);
    expect(outcome).toEqual({ status: "completed", output: "Paid." });
    expect(finalState.currentAgentName).toBe("billing");
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(["Help.", "You are billing."]);
    expect(model.requests[1]?.state.messages).toHaveLength(3);
    expect(eventsOfType(events, "handoff")).toEqual([{ from: "helper", to: "billing" }]);
    expect(isReplayable(finalState.messages)).toBe(true);
    expect(contentsOf(finalState.messages)).toEqual([{ status: "success", data: { agentName: "billing" } }]);
  });

  it("uses the output codec of the last agent", async () => {
    const { config } = setup({
      model: [{ toolCalls: [to("counter")] }, "42"],
      tools: [handoffTool],
      agent: { handoffs: ["counter"] },
      otherAgents: [agentNamed("counter", { outputCodec: z.number() })],
    });
    expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: 42 });
  });

  it("can go back", async () => {
    const { config, events } = setup({
      model: [{ toolCalls: [to("billing")] }, { toolCalls: [to("helper")] }, "Done."],
      tools: [handoffTool],
      agent: { handoffs: ["billing"] },
      otherAgents: [agentNamed("billing", { tools: [handoffTool], handoffs: ["helper"] })],
    });
    const { finalState } = await run(says("Hi"), config);
    expect(finalState.currentAgentName).toBe("helper");
    expect(eventsOfType(events, "handoff")).toHaveLength(2);
  });

  it("works under another name, and the engine runs the tool of that name", async () => {
    const transfer = { ...handoffTool, schema: { ...handoffTool.schema, name: "transfer" } };
    const { config } = setup({
      model: [{ toolCalls: [{ name: "transfer", arguments: { agentName: "billing" } }] }, "Done."],
      tools: [transfer],
      agent: { handoffs: ["billing"] },
      otherAgents: [agentNamed("billing")],
    });
    expect((await run(says("Hi"), config)).finalState.currentAgentName).toBe("billing");
  });

  it("doesn't affect an application's tool named handoff", async () => {
    const own = createTool({
      name: "handoff",
      description: "",
      parameters: z.object({}),
      execute: () => "my own",
    });
    const { config } = setup({ model: [{ toolCalls: [{ name: "handoff" }] }, "Done."], tools: [own] });
    const { finalState } = await run(says("Hi"), config);
    expect(finalState.messages[2]?.content).toBe("my own");
  });

  it("runs other tools of the same reply, in call order", async () => {
    const { config } = handingOff([{ name: "echo" }, to("billing"), { name: "echo" }], ["Done."]);
    const { finalState } = await run(says("Hi"), config);
    expect(finalState.currentAgentName).toBe("billing");
    const results = finalState.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect([results[0], results[2]]).toEqual(["echoed", "echoed"]);
    expect(results[1]).toContain("billing");
  });

  it("uses the first handoff of a reply, and answers the second with an error", async () => {
    const { config, events } = handingOff([to("billing"), to("support")], ["Done."]);
    const { finalState } = await run(says("Hi"), config);
    expect(finalState.currentAgentName).toBe("billing");
    expect(contentsOf(finalState.messages).map(({ status }) => status)).toEqual(["success", "error"]);
    expect(eventsOfType(events, "handoff")).toEqual([{ from: "helper", to: "billing" }]);
    expect(eventsOfType(events, "handoff_denied")).toEqual([
      { from: "helper", to: "support", reason: "already_handed_off" },
    ]);
  });

  it("uses the first handoff of a reply, also to the agent itself", async () => {
    const { config } = setup({
      model: [{ toolCalls: [to("helper"), to("billing")] }, "Done."],
      tools: [handoffTool],
      agent: { handoffs: ["helper", "billing"] },
      otherAgents: [agentNamed("billing")],
    });
    expect((await run(says("Hi"), config)).finalState.currentAgentName).toBe("helper");
  });

  it("is answered with the issues if its arguments are invalid, and a later valid one is used", async () => {
    const { config } = handingOff(
      [{ name: "handoff", arguments: { agent: "billing" } }, to("support")],
      ["Done."],
    );
    const { finalState } = await run(says("Hi"), config);
    expect(finalState.currentAgentName).toBe("support");
    expect(contentsOf(finalState.messages)[0]).toMatchObject({ error: { code: "INVALID_INPUT" } });
  });

  it("ends the run with HandoffError if it isn't allowed, with its call answered", async () => {
    const { config, events } = handingOff([{ name: "echo" }, to("secret")]);
    const ended = await run(says("Hi"), config);
    expect(errorOf(ended)).toEqual({
      _tag: "HandoffError",
      detail: 'agent "helper" can\'t hand off to "secret"',
    });
    expect(ended.finalState.currentAgentName).toBe("helper");
    expect(ended.finalState.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
    expect(isReplayable(ended.finalState.messages)).toBe(true);
    expect(eventsOfType(events, "handoff")).toEqual([]);
    expect(eventsOfType(events, "handoff_denied")).toEqual([
      { from: "helper", to: "secret", reason: "not_allowed" },
    ]);
  });

  it("isn't allowed by an agent without handoffs", async () => {
    const { config } = setup({ model: [{ toolCalls: [to("helper")] }], tools: [handoffTool] });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({ _tag: "HandoffError" });
  });

  it("ends the run with AgentNotFound if the agent is allowed but not registered", async () => {
    const { config, events } = handingOff([to("ghost")]);
    expect(errorOf(await run(says("Hi"), config))).toEqual({ _tag: "AgentNotFound", agentName: "ghost" });
    expect(eventsOfType(events, "handoff_denied")).toMatchObject([{ reason: "not_registered" }]);
  });

  it("does nothing outside a run", async () => {
    expect(await handoffTool.execute({ agentName: "billing" }, {})).toMatchObject({ status: "error" });
  });

  it("is stored after all other calls of the reply: until then its agent has the conversation", async () => {
    const inner = createInMemoryProvider();
    const writes: [content: string | undefined, agentName: unknown][] = [];
    const provider: typeof inner = {
      ...inner,
      appendMessages: (...args) => {
        const [, messages, metadata] = args;
        writes.push([messages[0]?.content, metadata?.["jaf"]?.agentName]);
        return inner.appendMessages(...args);
      },
    };
    const { config } = handingOff([to("billing"), { name: "echo" }], ["Done."]);
    await run(says("Hi"), {
      ...config,
      memory: { provider, autoStore: true, durability: "step" },
      conversationId: "c",
    });
    expect(writes).toEqual([
      ["Hi", "helper"],
      ["", "helper"],
      // No effect: a late result must not take the conversation back.
      ["echoed", undefined],
      [expect.stringContaining("billing"), "billing"],
      ["Done.", "billing"],
    ]);
  });
});
