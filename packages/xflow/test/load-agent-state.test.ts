// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of a state
import { createInMemoryProvider } from "@jaf/memory";
import { loadAgentState } from "@jaf/xflow";
import { describe, expect, it } from "vitest";
import { issuesOf, loadScripted, stateWith, yamlWith } from "./support/states.ts";

describe("loadAgentState", () => {
  it("accepts YAML, JSON, an object and a list with one", async () => {
    for (const given of [
      yamlWith(),
      JSON.stringify(stateWith()),
      stateWith(),
      [stateWith()],
      JSON.stringify([stateWith()]),
    ]) {
      const { state } = await loadScripted(given);
      expect(state).toMatchObject({ name: "Ask", agentName: "Helper", aiModel: "small", transitions: [] });
      expect(await state.run({ question: "Is it?" })).toMatchObject({
        status: "completed",
        returnValues: "Yes.",
      });
    }
  });

  it("lists all problems in the order of the text, with line, column and field", async () => {
    const text = yamlWith(
      "maxToolExecutions: -1",
      "memoryy: {}",
      "tools:",
      "  - name: SEARCH",
      '    description: "Searches."',
      "    parameters: []",
    );
    expect(await issuesOf(text)).toEqual([
      { field: "maxToolExecutions", line: 7, column: 1, message: expect.stringContaining(">=0") },
      { field: "memoryy", line: 8, column: 1, message: "an agent state has no such field" },
      { field: "tools[0].parameters", line: 12, column: 5, message: expect.stringContaining("record") },
    ]);
    await expect(loadScripted(yamlWith("type: x"))).rejects.toThrow(
      /^Invalid agent state, one problem:\n {2}line 7/,
    );
  });

  it("reports missing models and tools, and expressions that don't compile", async () => {
    const text = yamlWith(
      "memory: { memoryId: m, maxMessages: 2 }",
      "tools: [{ name: toString, description: d }]",
      "agentOutcomes:",
      "  - { condition: 'true', transition: A }",
      "  - { condition: '${ . | }', transition: A }",
      "  - { condition: '${ $nothing }', transition: A }",
      "  - { condition: '${ nothing(1) }', transition: A }",
      "  - { condition: '${ .a', transition: A }",
    ).replace("aiModel: small", "aiModel: constructor");
    const issues = await issuesOf(text);
    expect(issues.map(({ field, line }) => `${line} ${field}`)).toEqual([
      "4 aiModel",
      "7 memory",
      "8 tools[0].name",
      ...[0, 1, 2, 3, 4].map((index) => `${10 + index} agentOutcomes[${index}].condition`),
    ]);
    expect(issues[0]?.message).toBe("expected one of options.models, which are: small");
    expect(issues[5]?.message).toContain("nothing");
  });

  it("refuses invalid options", async () => {
    const given = (options: object) => loadAgentState(stateWith(), options as never);
    await expect(given({})).rejects.toThrow("models");
    await expect(given({ models: { small: {} } })).rejects.toThrow("expected a model provider");
    await expect(given({ models: {}, tools: { a: 1 } })).rejects.toThrow("expected a function");
    await expect(given({ models: {}, limits: { jq: { timeMs: 0 } } })).rejects.toThrow("timeMs");
    await expect(given({ models: {}, runConfig: { conversationId: "c" } })).rejects.toThrow("memoryId");
  });
});

describe("templates", () => {
  it.each([
    ["plain", "plain"],
    ["${ .question }", "Is it?"],
    ["Q: ${ .question } (${.n})", "Q: Is it? (2)"],
    ['${ {"a": "}"} }', '{"a":"}"}'],
    ['${ "x\\(.n + 1)}y" }', "x3}y"],
    ["${ .n # } a comment\n }", "2"],
    ["costs $5 {a}", "costs $5 {a}"],
    ['${ "${" }', "${"],
    ["${ [.n, null] }", "[2,null]"],
  ])("%s gives %s", async (userMessage, text) => {
    const { state, model } = await loadScripted(stateWith({ userMessage }));
    expect(await state.run({ question: "Is it?", n: 2 })).toMatchObject({ status: "completed" });
    expect(model.requests[0]?.state.messages).toMatchObject([{ role: "user", content: text }]);
  });

  it.each([
    ["${ .missing }", "got null"],
    ["${ empty }", "got 0"],
    ["${ 1, 2 }", "got 2"],
    ['${ "" }', "isn't empty"],
  ])("%s is an error", async (userMessage, message) => {
    const { state } = await loadScripted(stateWith({ userMessage }));
    expect(await state.run({})).toMatchObject({
      status: "error",
      error: {
        _tag: "TemplateError",
        field: "userMessage",
        message: expect.stringContaining(message),
        retryable: false,
      },
    });
  });

  it("require JSON as input", async () => {
    const { state } = await loadScripted(stateWith());
    for (const input of [undefined, 1n, () => 1]) {
      expect(await state.run(input)).toMatchObject({ status: "error", error: { field: "input" } });
    }
  });

  it("are evaluated any number of times, also with a reply of megabytes", {
    timeout: 120_000,
  }, async () => {
    const agentOutcomes = [
      { condition: "${ $agentOutcome.returnValues | length > 1000000 }", transition: "Long" },
    ];
    const replies = Array.from({ length: 260 }, (_, index) =>
      index === 100 ? "x".repeat(2_000_000) : "Yes.",
    );
    const limits = { jq: { timeMs: 20_000 } };
    const { state } = await loadScripted(stateWith({ agentOutcomes }), replies, { limits });
    const ended = [];
    for (const index of replies.keys()) ended.push(await state.run({ question: `${index}` }));
    const transitions = ended.map((result) => result.status === "completed" && result.transition);
    expect(transitions).toEqual(replies.map((_, index) => (index === 100 ? "Long" : undefined)));
  });

  it("can be in the memory's id and the system message", async () => {
    const memory = { memoryId: "of-${ .user }", maxMessages: 5 };
    const provider = createInMemoryProvider();
    const given = stateWith({ memory, systemMessage: "Speak ${ .language }." });
    const { state, model } = await loadScripted(given, ["Yes."], { provider });
    const input = { question: "Is it?", user: "ada", language: "Dutch" };
    expect(await state.run(input, { userId: "ada" })).toMatchObject({ conversationId: "of-ada" });
    expect(model.requests[0]?.instructions).toBe("Speak Dutch.");
    expect((await provider.getConversation("of-ada")).success).toBe(true);
  });
});

describe("tools", () => {
  const tool = {
    name: "ADD",
    description: "Adds.",
    parameters: {
      type: "object",
      properties: { a: { type: "integer" } },
      required: ["a"],
      additionalProperties: false,
    },
    output: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] },
  };
  const call = (args: unknown) => ({ toolCalls: [{ name: "ADD", arguments: args }] });

  it("send the JSON Schema unchanged, check arguments and results, and let the model repair a call", async () => {
    const script = [call({ a: "1" }), call({ a: 1 }), call({ a: 2 }), "Done."];
    const ADD = ({ a }: { a: number }) => (a === 1 ? { sum: a + 1 } : { total: 3 });
    const { state, model } = await loadScripted(stateWith({ tools: [tool] }), script, { tools: { ADD } });
    expect(await state.run({ question: "?" })).toMatchObject({ status: "completed" });
    const results = model.requests.at(-1)?.state.messages.filter(({ role }) => role === "tool");
    expect(results?.map(({ content }) => content)).toEqual([
      expect.stringContaining("must be integer"),
      '{"sum":2}',
      expect.stringContaining("INVALID_OUTPUT"),
    ]);
    const schema = model.requests[0]?.agent.tools?.[0]?.schema.parameters;
    expect(schema?.toJSONSchema()).toMatchObject(tool.parameters);
  });

  it("pass on errors of functions, and can't be called at a limit of 0", async () => {
    const ADD = () => {
      throw new Error("no numbers today");
    };
    const { state, model } = await loadScripted(stateWith({ tools: [tool] }), [call({ a: 1 }), "Done."], {
      tools: { ADD },
    });
    await state.run({ question: "?" });
    expect(model.requests[1]?.state.messages.at(-1)?.content).toContain("no numbers today");
    const none = stateWith({ tools: [tool], maxToolExecutions: 0 });
    const { state: without, model: asked } = await loadScripted(none, ["Done."], { tools: { ADD } });
    await without.run({ question: "?" });
    expect(asked.requests[0]?.agent.modelConfig?.toolChoice).toBe("none");
  });
});

describe("outcomes", () => {
  const outcome = (condition: string, transition: string) => ({
    condition: `\${ ${condition} }`,
    transition,
  });

  it("are evaluated in order; without a match there is no transition", async () => {
    const agentOutcomes = [
      outcome('$agentOutcome.returnValues == "Yes."', "Yes"),
      outcome(".question != null", "Other"),
    ];
    const { state } = await loadScripted(stateWith({ agentOutcomes }), ["Yes.", "No.", "No."]);
    expect(await state.run({ question: "?" })).toMatchObject({ transition: "Yes", reason: { index: 0 } });
    expect(await state.run({ question: "?" })).toMatchObject({ transition: "Other", reason: { index: 1 } });
    const { state: never } = await loadScripted(stateWith({ agentOutcomes: [outcome("false", "No")] }));
    const ended = await never.run({ question: "?" });
    expect(ended).toMatchObject({ status: "completed", transition: undefined, reason: undefined });
  });

  it("that aren't true or false cause an error with the result of the run", async () => {
    const { state } = await loadScripted(stateWith({ agentOutcomes: [outcome(".question", "A")] }));
    expect(await state.run({ question: "?" })).toMatchObject({
      status: "error",
      error: { _tag: "TemplateError", field: "agentOutcomes[0].condition" },
      result: { outcome: { status: "completed" } },
    });
  });

  it("aren't evaluated if the run failed", async () => {
    const { state } = await loadScripted(
      stateWith({ agentOutcomes: [outcome("true", "A")] }),
      [new Error("down")],
      {
        runConfig: { modelRetry: { maxAttempts: 1 } },
      },
    );
    expect(await state.run({ question: "?" })).toMatchObject({
      status: "error",
      error: { _tag: "ModelCallError" },
    });
  });
});
