import type { JAFError, RunConfig, Tool } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { type AnyAgent, block, type MyContext, runOf, userSays } from "./core-concepts.ts";
import { spyConsole } from "./spies.ts";

const tool = (name: string): Tool<object, MyContext> => ({
  schema: { name, description: name, parameters: z.object({}) },
  execute: async () => `${name} done`,
});

describe("agents", () => {
  it("have instructions that depend on the state", async () => {
    const { dynamicAgent } = await block("dynamic-agent");
    const { modelProvider, result } = runOf([dynamicAgent], ["Done."]);
    expect((await result).outcome).toEqual({ status: "completed", output: "Done." });
    expect(modelProvider.requests[0]?.instructions).toMatch(
      /^You are a helpful assistant for Ada\. \n +This conversation has 1 messages so far\.\n +Current turn: 0$/,
    );
  });

  it("have instructions that depend on the application's context", async () => {
    const context = { userId: "ada", preferences: { language: "French", timezone: "UTC" } };
    const { agent } = await block("context-types");
    expect(agent.instructions(userSays("Hi", agent.name, context))).toMatch(/ada\. \n +Respond in French/);
  });

  it("call their tools", async () => {
    const names = ["searchTool", "calculatorTool", "weatherTool"];
    const { agentWithTools } = await block(
      "agent-with-tools",
      Object.fromEntries(names.map((name) => [name, tool(name)])),
    );
    const { result } = runOf([agentWithTools], [{ toolCalls: names.map((name) => ({ name })) }, "Done."]);
    expect((await result).finalState.messages.filter(({ role }) => role === "tool")).toMatchObject(
      names.map((name) => ({ content: expect.stringContaining(`${name} done`) })),
    );
  });

  it("give outputs that their codec takes, and no others", async () => {
    const { structuredOutputAgent } = await block("structured-output");
    const output = { result: "fine", confidence: 0.5 };
    const outcomeOf = async (answer: object) =>
      (await runOf([structuredOutputAgent], [JSON.stringify(answer)], { outputRepairs: 0 }).result).outcome;
    expect(await outcomeOf(output)).toEqual({ status: "completed", output });
    expect(await outcomeOf({ ...output, confidence: 2 })).toMatchObject({ error: { _tag: "DecodeError" } });
  });

  it("hand over to those in the registry", async () => {
    const { coordinatorAgent } = await block("coordinator");
    const specialist = (name: string): AnyAgent => ({ name, instructions: name });
    const { agentRegistry } = await block("agent-registry", {
      coordinatorAgent,
      searchAgent: specialist("search-specialist"),
      calculationAgent: specialist("calculation-specialist"),
    });
    const console = spyConsole();
    const metrics = { toolCallStarted: vi.fn() };
    const { config } = await block("event-handling", { metrics, otherConfig: {} }, { console });
    const handoff = { name: "handoff", arguments: { agentName: "search-specialist" } };
    const { result } = runOf([...agentRegistry.values()], [{ toolCalls: [handoff] }, "Found."], config);
    expect((await result).finalState.currentAgentName).toBe("search-specialist");
    expect(console.lines()).toContain("Agent handoff: coordinator → search-specialist");
    expect(console.lines().at(0)).toMatch(/^\[run_start\] \{/);
  });

  it("are created of a configuration without a name", async () => {
    const { createAgent } = await block("type-safety", { generateAgentName: () => "agent-1" });
    expect(createAgent({ instructions: () => "" })).toMatchObject({ name: "agent-1" });
  });
});

describe("tools", () => {
  it("return results", async () => {
    const { searchTool } = await block("search-tool", {
      performSearch: async (query: string, limit: number) => [query, limit],
      startTime: Date.now(),
    });
    const call = { toolCalls: [{ name: "web_search", arguments: { query: "foo", limit: 3 } }] };
    const { result } = runOf([{ name: "searcher", instructions: "", tools: [searchTool] }], [call, "Done."]);
    const [answer] = (await result).finalState.messages.filter(({ role }) => role === "tool");
    expect(JSON.parse(answer?.content ?? "")).toMatchObject({ status: "success", data: ["foo", 3] });
  });

  it("return texts, results and errors", async () => {
    const { alternatives } = await block("tool-results", { searchResults: ["a", "b"] });
    expect(await Promise.all(alternatives.map((alternative: () => unknown) => alternative()))).toEqual([
      "Search completed successfully",
      { status: "success", data: ["a", "b"], metadata: { executionTimeMs: 150, resultsCount: 2 } },
      {
        status: "error",
        error: { code: "EXTERNAL_SERVICE_ERROR", message: "Search service temporarily unavailable" },
      },
    ]);
  });

  it("have their errors caught", async () => {
    const riskyOperation = vi.fn(async () => "fine").mockRejectedValueOnce(new Error("broken"));
    const { validatedTool } = await block("validated-tool", { riskyOperation });
    expect(await validatedTool({}, {})).toMatchObject({ status: "error", metadata: { toolName: "my-tool" } });
    expect(await validatedTool({}, {})).toMatchObject({ status: "success", data: "fine" });
  });

  it("are given the context", async () => {
    const { tool } = await block("context-immutability", {
      performLocalizedSearch: async (query: string, language: string) => `${query} in ${language}`,
    });
    expect(await tool.execute({ query: "foo" }, { preferences: { language: "fr" } })).toBe("foo in fr");
  });
});

describe("runs", () => {
  it("have a model provider of one's own", async () => {
    const create = vi.fn(async () => ({ choices: [{ finish_reason: "stop", message: { content: "Hi!" } }] }));
    const { openAIProvider } = await block("model-provider", {
      openai: { chat: { completions: { create } } },
      formatMessages: (messages: object) => messages,
      formatTools: () => undefined,
    });
    const { result } = runOf([{ name: "helper", instructions: "" }], [], { modelProvider: openAIProvider });
    expect((await result).outcome).toEqual({ status: "completed", output: "Hi!" });
    expect(create).toHaveBeenCalledWith(expect.objectContaining({ model: "gpt-4" }));
  });

  it("are guarded", async () => {
    const { inputGuardrails, outputGuardrails } = await block("guardrails");
    const { inputGuardrails: composed, composedValidation } = await block("composition", {
      pathValidator: ({ path }: { path: string }) =>
        path === "/" ? { isValid: true } : { isValid: false, errorMessage: "no path" },
      permissionValidator: () => ({ isValid: true }),
      contentValidator: () => ({ isValid: true }),
    });
    const { contentFilter } = await block("content-filter");
    const outcome = async (answer: string, rest: Partial<RunConfig<object>>) =>
      (await runOf([{ name: "helper", instructions: "" }], [answer], rest).result).outcome;
    const guards = { initialInputGuardrails: inputGuardrails, finalOutputGuardrails: outputGuardrails };
    expect(await outcome("Fine.", guards)).toMatchObject({ status: "completed" });
    expect(await outcome("x".repeat(10_001), guards)).toMatchObject({
      error: { _tag: "OutputGuardrailTripwire", reason: "Output too long" },
    });
    expect(await outcome("Fine.", { initialInputGuardrails: composed })).toMatchObject({
      status: "completed",
    });
    expect([composedValidation({ path: "/" }, {}), composedValidation({ path: "" }, {})]).toMatchObject([
      { isValid: true },
      { isValid: false, errorMessage: "no path" },
    ]);
    expect([contentFilter("hello"), contentFilter("my password")]).toMatchObject([
      { isValid: true },
      { isValid: false, errorMessage: "Content contains potentially sensitive information" },
    ]);
  });

  it("give an output or an error", async () => {
    const console = spyConsole();
    const given = (answer: string | Error) => ({
      initialState: userSays("Hi", "helper"),
      config: {
        agentRegistry: new Map([["helper", { name: "helper", instructions: "" }]]),
        modelProvider: createScriptedModel([answer]),
      },
    });
    await block("run-result", given("Hello."), { console });
    await block("run-result", given(new Error("down")), { console });
    expect(console.lines()).toEqual(["Success: Hello.", expect.stringMatching(/^Error: \S/)]);
  });

  it.each<readonly [JAFError, boolean]>([
    [{ _tag: "MaxTurnsExceeded", turns: 3 }, false],
    [{ _tag: "AgentNotFound", agentName: "x" }, false],
  ])("have errors that are classified: %o", async (error, canRetry) => {
    expect(await block("error-classification", { error })).toMatchObject({
      message: expect.stringMatching(/\S/),
      canRetry,
      severity: expect.stringMatching(/^(low|medium|high|critical)$/),
    });
  });

  it("errors are values", async () => {
    const riskyOperation = vi.fn(async () => "fine").mockRejectedValueOnce(new Error("broken"));
    const { safeOperation } = await block("errors-as-values", { riskyOperation });
    expect(await safeOperation()).toEqual({ success: false, error: "broken" });
    expect(await safeOperation()).toEqual({ success: true, data: "fine" });
  });
});
