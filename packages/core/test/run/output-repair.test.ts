import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createAgentClient, createTool, run, runStream } from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { assistant, errorOf, eventsOfType, says, setup, user } from "../support/setup.ts";

const outputCodec = z.object({ n: z.number(), to: z.object({ city: z.string() }) });
const good = '{"n":1,"to":{"city":"Pune"}}';
const bad = '{"n":"one","to":{}}';

function repairing(steps: readonly ScriptedStep<unknown>[], config: object = {}) {
  const model = createScriptedModel(steps);
  const tools = [
    createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" }),
  ];
  return { model, ...setup({ model, tools, agent: { outputCodec }, config }) };
}

describe("a final reply that doesn't match the codec", () => {
  it("is sent to the model with its faults, and corrected", async () => {
    const { model, config, events } = repairing([bad, good]);
    const { outcome, finalState } = await run(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output: JSON.parse(good) });
    const [hi, reply, request] = model.requests[1]?.state.messages ?? [];
    expect([hi, reply]).toEqual([user("Hi"), assistant(bad)]);
    expect(request?.role).toBe("user");
    expect(request?.content).toMatch(/n: .*expected number.*\n- to\.city: .*expected string/);
    expect(request?.content).not.toContain("no JSON");
    expect(finalState.messages).toEqual([user("Hi"), assistant(good)]);
    expect(finalState.turnCount).toBe(1);
    expect(eventsOfType(events, "output_repair")).toEqual([
      { agentName: "helper", repair: 1, issueCount: 2 },
    ]);
    model.assertDone();
  });

  it("says that the reply is not JSON", async () => {
    const { model, config } = repairing(["one", good]);
    await run(says("Hi"), config);
    expect(model.requests[1]?.state.messages.at(-1)?.content).toContain("it is no JSON");
  });

  it("is never stored, nor is the correction request", async () => {
    const provider = createInMemoryProvider();
    const { config } = repairing([bad, good], {
      memory: { provider, autoStore: true, durability: "step" },
      conversationId: "c",
    });
    await run(says("Hi"), config);
    const stored = await provider.getConversation("c");
    expect(stored.success && stored.data?.messages).toEqual([user("Hi"), assistant(good)]);
  });

  it("ends the run with the next reply's faults if that doesn't match either", async () => {
    const { model, config } = repairing([bad, '{"n":1,"to":{}}']);
    const ended = await run(says("Hi"), config);
    expect(errorOf(ended)).toMatchObject({ _tag: "DecodeError", errors: [{ path: ["to", "city"] }] });
    expect(ended.finalState.messages).toEqual([user("Hi")]);
    model.assertDone();
  });

  it("is corrected up to outputRepairs times", async () => {
    const never = repairing([bad], { outputRepairs: 0 });
    expect(errorOf(await run(says("Hi"), never.config))._tag).toBe("DecodeError");
    never.model.assertDone();
    const twice = repairing([bad, "two", good], { outputRepairs: 2 });
    expect((await run(says("Hi"), twice.config)).outcome.status).toBe("completed");
    expect(twice.model.requests[2]?.state.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  });

  it.each([[-1], [1.5], ["one"]])("can't be corrected %j times", async (outputRepairs) => {
    const { config } = repairing([], { outputRepairs });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringContaining("outputRepairs"),
    });
  });

  it("can be followed by tool calls, which run as usual", async () => {
    const { config } = repairing([bad, { toolCalls: [{ name: "look" }] }, good]);
    const { outcome, finalState } = await run(says("Hi"), config);
    expect(outcome.status).toBe("completed");
    expect(finalState.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(JSON.stringify(finalState.messages)).not.toContain("one");
  });

  it("ends the run like the failed correction call", async () => {
    const { config } = repairing([bad, Object.assign(new Error("gone"), { status: 404 })]);
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({ _tag: "ModelCallError", status: 404 });
  });

  it("is retracted if it was streamed", async () => {
    const { config } = repairing([bad, good]);
    let text = "";
    for await (const event of runStream(says("Hi"), config)) {
      if (event.type === "llm_delta") text += event.data.text;
      if (event.type === "llm_retract") text = "";
    }
    expect(text).toBe(good);
  });

  it("counts in a prompt's usage, but isn't among its messages", async () => {
    const usage = { inputTokens: 5 };
    const model = createScriptedModel([
      { text: bad, usage },
      { text: good, usage },
    ]);
    const agent = { name: "helper", instructions: "Help.", outputCodec };
    const client = createAgentClient(agent, { modelProvider: model, context: {} });
    const result = await client.prompt("Hi");
    expect(result.output).toEqual(JSON.parse(good));
    expect(result.usage).toEqual({ inputTokens: 10 });
    expect(result.messages).toEqual([user("Hi"), assistant(good)]);
    const strict = createAgentClient(agent, {
      modelProvider: createScriptedModel([bad]),
      context: {},
      outputRepairs: 0,
    });
    expect((await strict.prompt("Hi")).outcome.status).toBe("error");
  });

  it("isn't corrected if the codec itself fails", async () => {
    const throwing = z.string().transform((): string => {
      throw new Error("a bug");
    });
    const model = createScriptedModel(["x"]);
    const { config } = setup({ model, agent: { outputCodec: throwing } });
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("DecodeError");
    model.assertDone();
  });
});

describe("a code fence around JSON", () => {
  const decoded = async (reply: string, codec: z.ZodType = z.object({ a: z.string() })) => {
    const { config } = setup({ model: [reply], agent: { outputCodec: codec }, config: { outputRepairs: 0 } });
    const { outcome } = await run(says("Hi"), config);
    return outcome.status === "completed" ? outcome.output : outcome.status;
  };

  it.each([
    ["with its language", '```json\n{"a":"b"}\n```'],
    ["without", '```\n{"a":"b"}\n```'],
    ["on one line", '```json {"a":"b"} ```'],
    ["with other line ends", '```json\r\n{"a":"b"}\r\n```\r\n'],
    ["with text around", 'Here it is:\n\n```json\n{"a":"b"}\n```\nAnything else?'],
  ])("is taken off, %s", async (_how, reply) => {
    expect(await decoded(reply)).toEqual({ a: "b" });
  });

  it("can surround JSON with fences in its strings", async () => {
    expect(await decoded('```json\n{"a":"```js\\nx\\n```"}\n```')).toEqual({ a: "```js\nx\n```" });
  });

  it.each([
    ["there are two of them", '```json\n{"a":"b"}\n```\nor\n```json\n{"a":"c"}\n```'],
    ["what is in it is no JSON", "```js\nlet a;\n```"],
    ["it is never closed", '```json\n{"a":"b"}'],
  ])("isn't decoded if %s", async (_why, reply) => {
    expect(await decoded(reply)).toBe("error");
  });

  it("stays in a text output", async () => {
    expect(await decoded('```json\n{"a":"b"}\n```', z.string())).toBe('```json\n{"a":"b"}\n```');
  });
});
