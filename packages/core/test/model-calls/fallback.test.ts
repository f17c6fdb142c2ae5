import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  createAgentClient,
  createTool,
  type ModelProvider,
  type RunConfig,
  run,
  runStream,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

const failing = (status: number) => Object.assign(new Error("busy"), { status });
const once = { maxAttempts: 1 };
const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });

interface World {
  readonly steps: readonly ScriptedStep<unknown>[];
  readonly fallback?: RunConfig<unknown>["modelFallback"];
  readonly config?: Partial<RunConfig<unknown>>;
}

function falling({ steps, fallback = { models: ["second", "third"] }, config = {} }: World) {
  const model = createScriptedModel(steps);
  const agent = { modelConfig: { name: "first", temperature: 0.5 } };
  const world = setup({
    model,
    agent,
    tools: [look],
    config: { modelRetry: once, modelFallback: fallback, ...config },
  });
  const asked = () =>
    model.requests.map(({ config: given, agent: by }) => given.modelOverride ?? by.modelConfig?.name);
  return { ...world, model, asked };
}

describe("a model that fails for good", () => {
  it("is replaced by the next model, with the agent's settings and events", async () => {
    const { config, events, asked, model } = falling({ steps: [failing(503), failing(500), "Hello."] });
    expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Hello." });
    expect(asked()).toEqual(["first", "second", "third"]);
    expect(model.requests[2]?.agent.modelConfig).toMatchObject({ temperature: 0.5 });
    expect(eventsOfType(events, "llm_fallback")).toMatchObject([
      { agentName: "helper", from: "first", to: "second", discardText: false },
      { from: "second", to: "third", reason: expect.stringContaining("500") },
    ]);
    expect(eventsOfType(events, "llm_call_end")).toMatchObject([
      { model: "first", status: "error" },
      { model: "second", status: "error" },
      { model: "third", status: "success" },
    ]);
  });

  it("is retried by the policy first, and so is the next model", async () => {
    const { config, asked } = falling({
      steps: [failing(503), failing(503), failing(503), "Hello."],
      config: { modelRetry: { maxAttempts: 2, baseDelayMs: 0 } },
    });
    await run(says("Hi"), config);
    expect(asked()).toEqual(["first", "first", "second", "second"]);
  });

  it("is replaced by a model of another provider if one is named", async () => {
    const other = createScriptedModel(["Hello from afar."]);
    const { config, asked } = falling({
      steps: [failing(529)],
      fallback: { models: [{ model: "far", modelProvider: other }] },
    });
    expect((await run(says("Hi"), config)).outcome).toMatchObject({ output: "Hello from afar." });
    expect(asked()).toEqual(["first"]);
    expect(other.requests[0]?.config.modelOverride).toBe("far");
  });

  it("isn't called first again in the run, so the other model gets its reasoning back", async () => {
    const { config, asked } = falling({
      steps: [failing(503), { toolCalls: [{ name: "look" }] }, { toolCalls: [{ name: "look" }] }, "Done."],
    });
    await run(says("Hi"), config);
    expect(asked()).toEqual(["first", "second", "second", "second"]);
    const { config: next, asked: askedNext } = falling({ steps: ["Hello."] });
    await run(says("Hi"), next);
    expect(askedNext()).toEqual(["first"]);
  });

  it("is called again after the fallback models failed", async () => {
    const { config, asked } = falling({
      steps: [failing(503), { toolCalls: [{ name: "look" }] }, failing(503), failing(503), "Done."],
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(asked()).toEqual(["first", "second", "second", "third", "first"]);
  });

  it.each([
    ["a status that won't pass", failing(401), 1],
    ["an error of the program", new TypeError("a bug"), 1],
  ])("with %s ends the run", async (_what, thrown, calls) => {
    const { config, asked } = falling({ steps: [thrown] });
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("ModelCallError");
    expect(asked()).toHaveLength(calls);
  });

  it.each<[string, ScriptedStep<unknown>]>([
    ["a status that is named", failing(401)],
    ["a reply that holds nothing", ""],
  ])("is replaced by the next model after %s", async (_what, step) => {
    const { config, asked } = falling({
      steps: [step, "Hello."],
      fallback: { models: ["second"], statuses: [401] },
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(asked()).toEqual(["first", "second"]);
  });

  it("is replaced if the account has no credit, unless other statuses are set", async () => {
    const spent = Object.assign(failing(429), { isRetryable: false });
    const { config, asked } = falling({ steps: [spent, failing(402), "Hello."] });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(asked()).toEqual(["first", "second", "third"]);
    const strict = falling({ steps: [spent], fallback: { models: ["second"], statuses: [] } });
    expect(errorOf(await run(says("Hi"), strict.config))).toMatchObject({ status: 429 });
  });

  it("ends the run with the last error and all attempts if all models fail", async () => {
    const { config, asked } = falling({ steps: [failing(503), failing(503), failing(429)] });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "ModelCallError",
      status: 429,
      attempts: 3,
    });
    expect(asked()).toHaveLength(3);
  });

  it("isn't replaced when the run is aborted", async () => {
    const controller = new AbortController();
    const step = () => {
      controller.abort(new Error("enough"));
      return failing(503);
    };
    const { config, asked } = falling({ steps: [step], config: { signal: controller.signal } });
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("RunAborted");
    expect(asked()).toEqual(["first"]);
  });

  it("has its streamed text discarded", async () => {
    let calls = 0;
    const modelProvider: ModelProvider<unknown> = {
      getCompletion: async () => ({}),
      getCompletionStream: async function* () {
        calls += 1;
        yield { type: "text_delta", text: `try ${calls}` };
        if (calls === 1) throw failing(503);
        yield { type: "done", origin: { provider: "p", api: "a", model: "second" } };
      },
    };
    const { config } = falling({ steps: [] });
    const provider = createInMemoryProvider();
    const stream = runStream(says("Hi"), {
      ...config,
      modelProvider,
      memory: { provider, autoStore: true },
      conversationId: "c",
    });
    let text = "";
    for await (const event of stream) {
      if (event.type === "llm_delta") text += event.data.text;
      if (event.type === "llm_fallback" && event.data.discardText) text = "";
    }
    expect(text).toBe("try 2");
    const stored = await provider.getConversation("c");
    expect(stored.success && stored.data?.messages.at(-1)).toMatchObject({
      content: "try 2",
      origin: { model: "second" },
    });
  });

  it("is replaced inside the middleware, which can choose its own model", async () => {
    const { config, asked } = falling({ steps: [failing(503), failing(503), "Hello."] });
    const middleware = [
      {
        name: "chooses",
        wrapModelCall: async (_request: unknown, next: (changes: object) => Promise<object>) =>
          next({ model: "chosen" }),
      },
    ];
    expect((await run(says("Hi"), { ...config, middleware })).outcome.status).toBe("completed");
    expect(asked()).toEqual(["chosen", "second", "third"]);
  });

  it("is replaced in a client's prompts, too", async () => {
    const model = createScriptedModel([failing(503), "Hello."]);
    const agent = { name: "helper", instructions: "Help." };
    const client = createAgentClient(agent, {
      modelProvider: model,
      context: {},
      modelRetry: once,
      modelFallback: { models: ["second"] },
    });
    expect((await client.prompt("Hi")).text).toBe("Hello.");
  });

  it.each([
    [{ models: "second" }],
    [{ models: [7] }],
    [{ models: [{ modelProvider: createScriptedModel([]) }] }],
    [{ models: [{ model: "far", modelProvider: {} }] }],
    [{ models: [], statuses: ["401"] }],
    [["second"]],
  ])("can't be replaced by %j", async (fallback) => {
    const { config } = falling({ steps: [], fallback: fallback as never });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringContaining("modelFallback"),
    });
    const agent = { name: "helper", instructions: "" };
    const client = { modelProvider: createScriptedModel([]), context: {}, modelFallback: fallback as never };
    expect(() => createAgentClient(agent, client)).toThrow("modelFallback");
  });
});
