import { createTool, reject, run, ToolResponse } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import {
  customCall,
  fakeResponses,
  functionCall,
  inputOf,
  message,
  output,
  responsesOf,
} from "../support/responses.ts";
import { type AnyAgent, configOf, fakeChat, providerOf, rich, says } from "../support/setup.ts";

const toolOf = (name: string, execute: () => unknown = () => "done") =>
  createTool({
    name,
    description: "d",
    parameters: z.looseObject({}),
    execute: async () => execute() as string,
  });

const serviceTools = (...tools: readonly JsonObject[]) => ({
  modelConfig: { providerOptions: { openai: { tools } } },
});

/** Runs an agent with one reply of these items. */
async function answers(items: readonly JsonObject[], agent: Partial<AnyAgent>) {
  const fake = await fakeResponses([output(...items), "Bye."]);
  const result = await run<unknown, unknown>(says("Hi"), configOf(responsesOf(fake), agent).config);
  expect(fake.refusals).toEqual([]);
  return { body: fake.requests[0], result, answers: inputOf(fake, 1).slice(1 + items.length) };
}

const computerCall = {
  id: "cu_1",
  type: "computer_call",
  status: "completed",
  call_id: "call_1",
  action: { type: "screenshot" },
  pending_safety_checks: [],
};

const shellCall = (action: JsonObject, further: JsonObject = {}) => ({
  id: "sh_1",
  type: "shell_call",
  status: "completed",
  call_id: "call_1",
  action: { commands: ["ls"], ...action },
  ...further,
});

describe("a tool of OpenAI's that the application runs", () => {
  it("can be chosen by its name", async () => {
    const agent = { tools: [toolOf("shell")], modelConfig: { toolChoice: { tool: "shell" } } };
    const providerOptions = { openai: { tools: [{ type: "shell" }] } };
    const { body } = await answers([shellCall({})], {
      ...agent,
      modelConfig: { ...agent.modelConfig, providerOptions },
    });
    expect(body).toMatchObject({ tools: [{ type: "shell" }], tool_choice: { type: "shell" } });
  });

  it("is offered beside a hosted tool of that name", async () => {
    const environment = { type: "container_auto" };
    const { body, answers: sent } = await answers([functionCall("call_1", "shell", {})], {
      tools: [toolOf("shell")],
      ...serviceTools({ type: "shell", environment }),
    });
    expect(body?.["tools"]).toMatchObject([
      { type: "function", name: "shell" },
      { type: "shell", environment },
    ]);
    expect(sent).toMatchObject([{ type: "function_call_output", output: "done" }]);
  });

  it("gets the output of each command, also in an object and without its other fields", async () => {
    const outcome = { type: "timeout" };
    const shell = toolOf("shell", () => ToolResponse.success({ output: [{ stdout: "a", outcome }] }));
    const { answers: sent } = await answers([shellCall({})], {
      tools: [shell],
      ...serviceTools({ type: "shell" }),
    });
    expect(sent).toEqual([
      { type: "shell_call_output", call_id: "call_1", output: [{ stdout: "a", stderr: "", outcome }] },
    ]);
  });

  it("shows a blank screen and says why if it fails", async () => {
    const computer = toolOf("computer", () => ToolResponse.error("NO_SCREEN", "There is no screen."));
    const { answers: sent } = await answers([computerCall], {
      tools: [computer],
      ...serviceTools({ type: "computer" }),
    });
    expect(sent).toEqual([
      {
        type: "computer_call_output",
        call_id: "call_1",
        output: { type: "computer_screenshot", image_url: expect.stringMatching(/^data:image\/png;base64,/) },
      },
      { role: "user", content: "The computer failed: There is no screen." },
    ]);
  });

  it("acknowledges the safety checks that its result names", async () => {
    const checks = [{ id: "sc_1" }, { id: "sc_2" }];
    const computer = toolOf("computer", () => ({
      image_url: "https://a.example/b.png",
      acknowledged_safety_checks: [{ id: "sc_1" }],
    }));
    const { answers: sent } = await answers([{ ...computerCall, pending_safety_checks: checks }], {
      // A user isn't asked about harmless pages.
      tools: [{ ...computer, needsApproval: () => false }],
      ...serviceTools({ type: "computer" }),
    });
    expect(sent).toMatchObject([
      {
        output: { image_url: "https://a.example/b.png" },
        acknowledged_safety_checks: [{ id: "sc_1" }],
      },
    ]);
  });

  it("is a function for another model", async () => {
    const fake = await fakeResponses([output(shellCall({})), "Bye."]);
    const set = configOf(responsesOf(fake), { tools: [toolOf("shell")], ...serviceTools({ type: "shell" }) });
    const { finalState } = await run<unknown, unknown>(says("Hi"), set.config);
    const chat = await fakeChat(["Ok."]);
    const other = configOf(providerOf(chat), { tools: [toolOf("shell")] }).config;
    const messages = [...finalState.messages, { role: "user" as const, content: "And?" }];
    await run({ ...says("And?"), messages }, other);
    expect(chat.refusals).toEqual([]);
    expect(chat.requests[0]?.messages.slice(2, 4)).toMatchObject([
      { tool_calls: [{ function: { name: "shell", arguments: '{"action":{"commands":["ls"]}}' } }] },
      { role: "tool", content: "done" },
    ]);
  });
});

describe("a call of a remote MCP server that needs an approval", () => {
  const request = {
    id: "mcpr_1",
    type: "mcp_approval_request",
    server_label: "dice",
    name: "roll",
    arguments: '{"dice":"2d4"}',
  };

  it("is rejected with a reason, and left out for another model", async () => {
    const fake = await fakeResponses([output(request), "Then not."]);
    const { config } = configOf(responsesOf(fake), {});
    const first = await run<unknown, unknown>(says("Hi"), config);
    if (first.outcome.status !== "interrupted") throw new Error(first.outcome.status);
    const approvals = first.outcome.interruptions.flatMap((each) =>
      each.type === "approval" ? [reject(each, "Too risky")] : [],
    );
    const second = await run<unknown, unknown>(first.finalState, { ...config, resume: { approvals } });
    expect(second.outcome).toEqual({ status: "completed", output: "Then not." });
    expect(fake.refusals).toEqual([]);
    expect(inputOf(fake, 1).slice(1)).toEqual([
      request,
      {
        type: "mcp_approval_response",
        approval_request_id: "mcpr_1",
        approve: false,
        reason: expect.stringContaining("Too risky"),
      },
    ]);
    const chat = await fakeChat(["Ok."]);
    const messages = [...second.finalState.messages, { role: "user" as const, content: "And?" }];
    await run({ ...says("And?"), messages }, configOf(providerOf(chat)).config);
    expect(chat.refusals).toEqual([]);
    expect(chat.requests[0]?.messages.map(({ role }) => role)).toEqual([
      ...["system", "user", "assistant", "user"],
    ]);
  });
});

describe("a call with a name that the agent doesn't know", () => {
  it("is the agent's if nothing follows it", async () => {
    const fake = await fakeResponses([output(functionCall("call_1", "nothing", {})), "I see."]);
    const { config } = configOf(responsesOf(fake, { dialect: "compatible" }));
    const result = await run<unknown, unknown>(says("Hi"), config);
    expect(rich(result)[2]).toMatchObject({
      role: "tool",
      content: expect.stringContaining("TOOL_NOT_FOUND"),
    });
  });

  it("is OpenAI's to answer only in the same reply", async () => {
    const { answers: sent } = await answers(
      [customCall("call_1", "nothing", "a"), message("Hm.", { id: "msg_1" })],
      {},
    );
    expect(sent).toMatchObject([
      { type: "custom_tool_call_output", output: expect.stringContaining("TOOL_NOT_FOUND") },
    ]);
  });
});
