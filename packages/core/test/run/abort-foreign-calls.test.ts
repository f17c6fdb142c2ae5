import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  createAgentClient,
  createTool,
  handoffTool,
  type RunConfig,
  run,
  runStream,
  type Tool,
} from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { assistant, deferred, errorOf, says, setup, user } from "../support/setup.ts";
import { seed } from "../support/stores.ts";

interface World {
  readonly steps?: readonly ScriptedStep<unknown>[];
  readonly agent?: Partial<Agent<unknown, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly tools?: readonly Tool<any, unknown>[];
  readonly config?: Partial<RunConfig<unknown>>;
  /** What is stored before; absent: nothing is stored at all. */
  readonly history?: Parameters<typeof seed>[1];
}

type Hang = () => Promise<never>;

const calling = (name: string) => ({ toolCalls: [{ name, id: "c" }] });
const schema = (hang: Hang) => z.object({}).refine(hang);
const tool = (parts: object) =>
  createTool({ name: "t", description: "", parameters: z.object({}), execute: () => "", ...parts });
/** A stored conversation of three messages with a due summary. */
const long = [user("1"), assistant("2"), user("3"), assistant("4")];

/** Application functions that a run waits for. None of them ever answers. */
const foreign: Readonly<Record<string, (hang: Hang) => World>> = {
  "the model": (hang) => ({ steps: [hang] }),
  "a tool": (hang) => ({ steps: [calling("t")], tools: [tool({ execute: hang })] }),
  "a tool's schema": (hang) => ({ steps: [calling("t")], tools: [tool({ parameters: schema(hang) })] }),
  "a tool's needsApproval": (hang) => ({ steps: [calling("t")], tools: [tool({ needsApproval: hang })] }),
  "the schema of a tool that runs at the client": (hang) => ({
    steps: [calling("t")],
    tools: [tool({ parameters: schema(hang), execute: undefined })],
  }),
  "the schema of a handoff": (hang) => {
    const parameters = handoffTool.schema.parameters.refine(hang);
    const handoff = { ...handoffTool, schema: { ...handoffTool.schema, parameters } };
    const call = { name: "handoff", arguments: { agentName: "x" } };
    return { steps: [{ toolCalls: [call] }], tools: [handoff], agent: { handoffs: ["x"] } };
  },
  "an input guardrail": (hang) => ({ config: { initialInputGuardrails: [hang] } }),
  "an output guardrail": (hang) => ({ steps: ["Hello."], config: { finalOutputGuardrails: [hang] } }),
  "an output codec": (hang) => ({ steps: ["Hello."], agent: { outputCodec: z.string().refine(hang) } }),
  "onStart of a middleware": (hang) => ({ config: { middleware: [{ name: "m", onStart: hang }] } }),
  "a function remembers": (hang) => ({
    config: { remembers: hang, userMemory: { middlewareFor: () => [] } },
  }),
  "a user memory": (hang) => ({
    config: { remembers: { user: "u" }, userMemory: { middlewareFor: hang as never } },
  }),
  summarize: (hang) => ({
    history: long,
    config: {
      memory: { provider: createInMemoryProvider(), compressionThreshold: 2, summary: { summarize: hang } },
    },
  }),
  "the model, asked for a summary": (hang) => ({
    steps: [hang],
    history: long,
    config: { memory: { provider: createInMemoryProvider(), compressionThreshold: 2 } },
  }),
  validate: (hang) => ({
    history: long,
    config: { validate: hang, resume: { messages: [...long, user("5")] } },
  }),
};

const parts = Object.entries(foreign);
const modes = ["run", "runStream"] as const;

describe("an aborted run waits no longer for", () => {
  it.each(modes.flatMap((mode) => parts.map(([name, make]) => [name, mode, make] as const)))(
    "%s (%s)",
    async (_name, mode, make) => {
      const { signal, abort } = abortable();
      const reached = deferred();
      const hang: Hang = () => {
        reached.resolve();
        return new Promise<never>(() => undefined);
      };
      const { steps = [], agent = {}, tools = [], config = {}, history } = make(hang);
      const provider = config.memory?.provider ?? createInMemoryProvider();
      if (history !== undefined) await seed(provider, history);
      const memory = { ...config.memory, provider, autoStore: true };
      const stored = history === undefined ? {} : { memory, conversationId: "c" };
      const world = setup({ model: steps, agent, tools, config: { ...config, ...stored, signal } });
      const state = config.resume === undefined ? says("Hi") : says();
      const running = mode === "run" ? run(state, world.config) : runStream(state, world.config).result;
      await reached.promise;
      abort();
      expect(errorOf(await running)).toEqual(aborted);
    },
  );

  it("onFinish of a middleware: the run has already completed", async () => {
    const { signal, abort } = abortable();
    const reached = deferred();
    const onFinish = () => {
      reached.resolve();
      return new Promise<never>(() => undefined);
    };
    const { config } = setup({
      model: ["Hello."],
      config: { signal, middleware: [{ name: "m", onFinish }] },
    });
    const running = run(says("Hi"), config);
    await reached.promise;
    abort();
    expect((await running).outcome).toEqual({ status: "completed", output: "Hello." });
  });

  it.each(["context", "conversational"] as const)("%s of an agent client", async (field) => {
    const { signal, abort } = abortable();
    const reached = deferred();
    const hang = () => {
      reached.resolve();
      return new Promise<never>(() => undefined);
    };
    const agent = {
      name: "helper",
      instructions: () => "",
      ...(field === "context" ? {} : { [field]: hang }),
    };
    const { config } = setup({ model: ["Hello."] });
    const { modelProvider } = config;
    const client = createAgentClient(agent, { modelProvider, context: field === "context" ? hang : {} });
    const prompting = client.prompt("Hi", { signal });
    await reached.promise;
    abort();
    expect((await prompting).outcome).toEqual({ status: "error", error: aborted });
  });
});
