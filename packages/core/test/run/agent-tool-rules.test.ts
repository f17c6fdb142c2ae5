import { createInMemoryProvider, type Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  approve,
  asTool,
  createAgentClient,
  createRunState,
  createTool,
  type RunConfig,
  run,
  type Tool,
  type ToolCallInfo,
  type TraceEvent,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedFunction } from "../../src/testing/index.ts";
import { MapStore } from "../support/client.ts";
import { errorOf, eventsOfType, user } from "../support/setup.ts";

interface Given {
  readonly inner?: Partial<Agent<unknown, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
  readonly ask?: (inner: Agent<unknown, unknown>) => Tool<any, unknown>;
  /** The arguments of the outer agent's calls, one reply each. */
  readonly calls?: readonly (readonly unknown[])[];
  readonly answer?: ScriptedFunction<unknown>;
  readonly config?: Partial<RunConfig<unknown>>;
}

/** An outer agent that calls its tool `inner` as told, and then says what it got. */
function setup({ inner = {}, ask, calls = [[{ task: "Do it" }]], answer, config }: Given) {
  const innerAgent: Agent<unknown, unknown> = { name: "inner", instructions: "", ...inner };
  const tool = ask?.(innerAgent) ?? asTool(innerAgent, { description: "Asks the inner agent" });
  const outer: Agent<unknown, string> = { name: "outer", instructions: "", tools: [tool] };
  const events: TraceEvent[] = [];
  const asked: (readonly Message[])[] = [];
  let next = 0;
  const model = createScriptedModel<unknown>((request) => {
    const { agent, state } = request;
    if (agent.name !== "outer") {
      asked.push(state.messages);
      return answer?.(request) ?? `answer to ${messageText(state.messages.at(-1) as Message)}`;
    }
    const due = calls[next++];
    if (due !== undefined) return { toolCalls: due.map((args) => ({ name: "inner", arguments: args })) };
    const start = state.messages.findLastIndex(({ role }) => role === "assistant") + 1;
    return state.messages.slice(start).map(messageText).join("; ");
  });
  const provider = createInMemoryProvider();
  const runConfig: RunConfig<unknown> = {
    agentRegistry: new Map([["outer", outer]]),
    modelProvider: model,
    modelRetry: { baseDelayMs: 0 },
    memory: { provider, autoStore: true, userId: "ada", durability: "step" },
    conversationId: "c",
    onEvent: (event) => events.push(event),
    ...config,
  };
  const say = (...texts: readonly string[]) => {
    next = texts.length > 0 ? 0 : next;
    const messages = texts.map(user);
    return run(createRunState<unknown>({ agentName: "outer", context: {}, messages }), runConfig);
  };
  return { say, asked, events, provider, model, config: runConfig };
}

const outputOf = async (ended: ReturnType<ReturnType<typeof setup>["say"]>): Promise<unknown> => {
  const { outcome } = await ended;
  return outcome.status === "completed" ? outcome.output : outcome;
};

describe("what an agent as a tool remembers", () => {
  const lines = (asked: readonly (readonly Message[])[]) =>
    asked.map((messages) => messages.map(messageText).join(" | "));

  it("is nothing by default: each call is a conversation of its own", async () => {
    const { say, asked } = setup({ calls: [[{ task: "a" }, { task: "b" }]] });
    expect(await outputOf(say("go"))).toBe("answer to a; answer to b");
    await say("go");
    expect(lines(asked)).toEqual(["a", "b", "a", "b"]);
  });

  it("is what it was asked in the conversation, one call after the other, if that is asked for", async () => {
    const { say, asked } = setup({
      calls: [[{ task: "a" }, { task: "b" }]],
      ask: (inner) => asTool(inner, { description: "", memory: "conversation" }),
    });
    await say("go");
    await say("go");
    expect(lines(asked).map((line) => line.replaceAll("answer to ", "="))).toEqual([
      "a",
      "a | =a | b",
      "a | =a | b | =b | a",
      "a | =a | b | =b | a | =a | b",
    ]);
  });

  it("is divided by the key, and by the outer conversation", async () => {
    const memory = "conversation";
    const { say, asked, config } = setup({
      calls: [[{ about: "x" }, { about: "y" }, { about: "x" }]],
      ask: (inner) =>
        asTool(inner, {
          description: "",
          parameters: z.object({ about: z.string() }),
          input: ({ about }) => about,
          key: ({ about }) => about,
          memory,
        }),
    });
    await say("go");
    expect(lines(asked).toSorted()).toEqual(["x", "x | answer to x | x", "y"]);
    // Another conversation of the same user doesn't share it.
    const elsewhere = { ...config, conversationId: "other" };
    asked.length = 0;
    await run(
      createRunState<unknown>({ agentName: "outer", context: {}, messages: [user("go")] }),
      elsewhere,
    );
    expect(asked.flat().filter(({ role }) => role === "assistant")).toEqual([]);
  });

  it("fails the call if the key throws", async () => {
    const { say, asked } = setup({
      ask: (inner) =>
        asTool(inner, {
          description: "",
          memory: "conversation",
          key: () => {
            throw new Error("no key");
          },
        }),
    });
    expect(await outputOf(say("go"))).toContain("no key");
    expect(asked).toEqual([]);
  });
});

describe("the run of an agent as a tool", () => {
  it("gets the parsed arguments as text, and its decoded output is the result", async () => {
    const { say, asked } = setup({
      inner: { outputCodec: z.object({ n: z.number() }) },
      calls: [[{ a: 1 }]],
      ask: (inner) =>
        asTool(inner, { description: "", parameters: z.object({ a: z.number(), b: z.number().default(2) }) }),
      answer: () => '{"n": 3}',
    });
    expect(await outputOf(say("go"))).toBe('{"n":3}');
    expect(asked[0]?.map(messageText)).toEqual(['{"a":1,"b":2}']);
  });

  it("tells its events with depth and path, before the end of its call", async () => {
    const { say, events } = setup({});
    await say("go");
    const inner = eventsOfType(events, "inner_event");
    expect(inner.map(({ depth, path }) => [depth, ...path])).toEqual(
      inner.map(() => [1, expect.any(String)]),
    );
    const types = inner.map(({ event }) => event.type);
    expect([types[0], types.at(-1)]).toEqual(["run_start", "run_end"]);
    const all = events.map(({ type }) => type);
    expect(all.lastIndexOf("inner_event")).toBeLessThan(all.indexOf("tool_call_end"));
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index));
    expect(new Set(inner.map(({ event }) => event.conversationId)).size).toBe(1);
  });

  it("tells the model of the outer agent if it fails, and ends the outer run if asked to", async () => {
    const answer = () => new Error("the model is gone");
    expect(await outputOf(setup({ answer }).say("go"))).toContain('The agent \\"inner\\" failed');
    const { say } = setup({ answer, config: { onToolError: "fail" } });
    expect(errorOf(await say("go"))._tag).toBe("ToolCallError");
  });

  it("shares the budget of the outer run, which ends with it and goes on later", async () => {
    const usage = { inputTokens: 600, outputTokens: 0 };
    const { say, asked, config } = setup({
      calls: [[{ task: "a" }]],
      answer: () => ({ text: "done", usage }),
      config: { budget: { run: { maxTokens: 500 } } },
    });
    const ended = await say("go");
    expect(errorOf(ended)).toMatchObject({ _tag: "BudgetExceeded", of: "run" });
    expect(ended.spent?.run.usage.inputTokens).toBeGreaterThanOrEqual(600);
    const { budget: _, ...unlimited } = config;
    const again = await run(createRunState<unknown>({ agentName: "outer", context: {} }), unlimited);
    expect(again.outcome).toMatchObject({ status: "completed" });
    expect(asked).toHaveLength(1);
  });

  it("stops at the depth that is allowed", async () => {
    const { say, asked } = setup({ config: { maxAgentDepth: 0 } });
    expect(await outputOf(say("go"))).toContain("more than 0 levels deep");
    expect(asked).toEqual([]);
  });

  it("gives its tools the user's words, not those of the model", async () => {
    let turn: ToolCallInfo["turn"] | undefined;
    const look = createTool({
      name: "look",
      description: "",
      parameters: z.object({}),
      execute: (_args, _context, call) => {
        turn = call?.turn;
        return "seen";
      },
    });
    const { say } = setup({
      inner: { tools: [look] },
      answer: ({ state }) =>
        state.messages.at(-1)?.role === "user" ? { toolCalls: [{ name: "look" }] } : "done",
    });
    await say("my words");
    expect(turn).toMatchObject({ userMessages: [user("my words")], position: 0, conversationId: "c" });
    expect(turn?.messages.map(messageText)).toEqual(["Do it"]);
  });

  it("doesn't store facts of what a model wrote", async () => {
    const seen: unknown[] = [];
    const userMemory = {
      middlewareFor: (spec: unknown) => {
        seen.push(spec);
        return [];
      },
    };
    const remembers = { user: "ada", extract: "auto" as const };
    await setup({ inner: { remembers }, config: { userMemory } }).say("go");
    await setup({ inner: { remembers: () => remembers }, config: { userMemory } }).say("go");
    expect(seen.map((spec) => spec)).toEqual([
      { user: "ada", extract: false },
      { user: "ada", extract: false },
    ]);
  });

  it("is aborted with the outer run, and resumed with it", async () => {
    const stop = new AbortController();
    let answers = 0;
    const { say, config, provider } = setup({
      answer: () => {
        answers += 1;
        if (answers === 1) stop.abort();
        return "late";
      },
      config: { signal: stop.signal },
    });
    expect(errorOf(await say("go"))._tag).toBe("RunAborted");
    const { signal: _, ...living } = config;
    const again = await run(createRunState<unknown>({ agentName: "outer", context: {} }), living);
    expect(again.outcome).toEqual({ status: "completed", output: "late" });
    const children = await provider.findConversations({ childrenOf: "c" });
    expect(children.success && children.data).toHaveLength(1);
  });

  it("stores nothing more if the outer conversation is erased meanwhile", async () => {
    const provider = createInMemoryProvider();
    const { say } = setup({
      answer: async () => {
        await provider.deleteConversation("c");
        return "late";
      },
      config: { memory: { provider, autoStore: true, userId: "ada", durability: "step" } },
    });
    expect(errorOf(await say("go"))).toMatchObject({ _tag: "MemoryError", error: { reason: "incarnation" } });
    expect(await provider.getStats()).toMatchObject({ data: { totalConversations: 0 } });
    const children = await provider.findConversations({ childrenOf: "c" });
    expect(children).toEqual({ success: true, data: [] });
  });

  it("works without a store, where an approval that it needs is an error result", async () => {
    const pay = createTool({
      name: "pay",
      description: "",
      parameters: z.object({}),
      needsApproval: true,
      execute: () => "paid",
    });
    const answer: ScriptedFunction<unknown> = ({ state }) =>
      state.messages.at(-1)?.role === "user" ? { toolCalls: [{ name: "pay" }] } : "done";
    const { config } = setup({ answer });
    const { memory: _, conversationId: __, ...unstored } = config;
    const state = createRunState<unknown>({ agentName: "outer", context: {}, messages: [user("go")] });
    expect((await run(state, unstored)).outcome).toMatchObject({ status: "completed" });
    const asking = setup({ answer, inner: { tools: [pay] } }).config;
    const { memory: ___, conversationId: ____, ...nothing } = asking;
    expect((await run(state, nothing)).outcome).toMatchObject({
      status: "completed",
      output: expect.stringContaining("needs memory.autoStore"),
    });
  });

  it("works over a conversation store of five methods, which holds no children", async () => {
    const store = new MapStore();
    const { config, asked } = setup({ calls: [[{ task: "a" }]] });
    const { memory: _, conversationId: __, agentRegistry, ...settings } = config;
    const outer = agentRegistry.get("outer");
    if (outer === undefined) throw new Error("no agent");
    const client = createAgentClient(outer, {
      ...settings,
      store,
      context: {},
      memory: { durability: "step" },
    });
    const { text } = await client.prompt("go", { conversation: { user: "ada" } });
    expect(text).toBe("answer to a");
    expect(asked).toHaveLength(1);
    expect(await store.list("ada")).toHaveLength(1);
  });

  it("needs an approval of its own if the tool says so, before it begins", async () => {
    const { say, asked, config } = setup({
      ask: (inner) => asTool(inner, { description: "", needsApproval: true }),
    });
    const { outcome } = await say("go");
    if (outcome.status !== "interrupted") throw new Error("not interrupted");
    expect(asked).toEqual([]);
    const approvals = outcome.interruptions.flatMap((each) =>
      each.type === "approval" ? [approve(each)] : [],
    );
    const state = createRunState<unknown>({ agentName: "outer", context: {} });
    const ended = await run(state, { ...config, resume: { approvals } });
    expect(ended.outcome).toEqual({ status: "completed", output: "answer to Do it" });
  });
});

it("refuses invalid options", () => {
  const agent: Agent<unknown, string> = { name: "inner", instructions: "" };
  expect(() => asTool(agent, { description: "", memory: "always" as never })).toThrow(
    /options of asTool\(\)/,
  );
  expect(() => asTool(agent, { description: "", oops: 1 } as never)).toThrow(/oops/);
});
