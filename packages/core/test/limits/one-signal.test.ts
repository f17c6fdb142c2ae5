import { getEventListeners } from "node:events";
import { createInMemoryProvider, MemoryConversationStore, withRetry } from "@jaf/memory";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { createAgentClient, createTool, type ModelProvider, run, runStream } from "../../src/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { deferred, errorOf, says, setup } from "../support/setup.ts";

/** A run with instructions, a tool, guardrails, middleware and a store, each of which waits a little. */
function busy(signal: AbortSignal) {
  const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
  const tool = createTool({
    name: "look",
    description: "",
    parameters: z.object({}),
    execute: async (_args, _context, call) => {
      call?.signal.addEventListener("abort", () => {});
      await tick();
      return "seen";
    },
  });
  const model: ModelProvider<unknown> = {
    getCompletion: async ({ messages }, _agent, config) => {
      config.signal?.addEventListener("abort", () => {});
      await tick();
      const isDone = messages.at(-1)?.role === "tool";
      const calls = [{ id: "l", type: "function", function: { name: "look", arguments: "{}" } }];
      return { message: isDone ? { content: "Done." } : { content: "", tool_calls: calls } };
    },
  };
  const pass = async () => {
    await tick();
    return { isValid: true } as const;
  };
  const { config } = setup({
    model,
    tools: [tool],
    agent: { instructions: () => tick().then(() => "Help.") },
    config: {
      signal,
      initialInputGuardrails: [pass],
      finalOutputGuardrails: [pass],
      middleware: [
        {
          name: "waits",
          onStart: () => tick().then(() => undefined),
          onFinish: tick,
          wrapModelCall: ({ signal: own }, next) => {
            own.addEventListener("abort", () => {});
            return tick().then(() => next());
          },
          wrapToolCall: (_request, next) => tick().then(() => next()),
        },
      ],
      memory: { provider: withRetry(createInMemoryProvider()), autoStore: true, durability: "step" },
    },
  });
  return (id: string) => ({ ...config, conversationId: id, onEvent: () => {} });
}

describe("many runs on one signal", () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  beforeEach(() => {
    warnings.length = 0;
    process.on("warning", warn);
  });
  afterEach(() => {
    process.off("warning", warn);
  });
  /** Warnings are emitted in a later tick. */
  const warned = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return warnings.filter(({ name }) => name === "MaxListenersExceededWarning");
  };
  const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

  it("share one listener if 50 run at the same time, and leave none behind", async () => {
    const { signal } = new AbortController();
    const configOf = busy(signal);
    const running = Array.from({ length: 50 }, (_, index) => run(says("Hi"), configOf(`c-${index}`)));
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, listeners(signal));
    }, 0);
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, listeners(signal));
    const ended = await Promise.all(running);
    clearInterval(watching);
    expect(new Set(ended.map(({ outcome }) => outcome.status))).toEqual(new Set(["completed"]));
    expect([most, listeners(signal), await warned()]).toEqual([1, 0, []]);
  });

  it("leave nothing behind after 1,000 consecutive runs", async () => {
    const { signal } = new AbortController();
    const configOf = busy(signal);
    const { memory, middleware, ...plain } = configOf("c");
    for (let index = 0; index < 1_000; index++) {
      const { outcome } = await run(says("Hi"), index % 20 === 0 ? configOf(`c-${index}`) : plain);
      if (outcome.status !== "completed") expect.fail(JSON.stringify(outcome));
    }
    expect([listeners(signal), await warned()]).toEqual([0, []]);
  });

  it("include streams and prompts of an agent client", async () => {
    const { signal } = new AbortController();
    const configOf = busy(signal);
    const { modelProvider, agentRegistry } = configOf("c");
    const agent = agentRegistry.get("helper");
    if (agent === undefined) throw new Error("no agent");
    const client = createAgentClient(agent, {
      modelProvider,
      context: () => new Promise<object>((resolve) => setImmediate(() => resolve({}))),
      store: new MemoryConversationStore(),
    });
    const ended = Array.from({ length: 20 }, async (_, index) => {
      const streamed = await runStream(says("Hi"), configOf(`s-${index}`)).result;
      const prompted = await client.forUser(`u-${index}`).prompt("Hi", { signal });
      const told = await client.forUser(`u-${index}`).stream("Hi", { signal }).result;
      return [streamed, prompted, told].map(({ outcome }) => outcome.status);
    });
    expect(new Set((await Promise.all(ended)).flat())).toEqual(new Set(["completed"]));
    expect([listeners(signal), await warned()]).toEqual([0, []]);
  });

  it("are all aborted by the signal", async () => {
    const { signal, abort } = abortable();
    const reached = deferred();
    let calls = 0;
    const { config } = setup({
      model: {
        getCompletion: () => {
          calls += 1;
          if (calls === 50) reached.resolve();
          return new Promise<never>(() => undefined);
        },
      },
      config: { signal },
    });
    const running = Array.from({ length: 50 }, () => run(says("Hi"), config));
    await reached.promise;
    abort();
    for (const ended of await Promise.all(running)) expect(errorOf(ended)).toEqual(aborted);
    expect([listeners(signal), await warned()]).toEqual([0, []]);
  });
});
