import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Agent, createTool, handoffTool, type Middleware, run, runStream } from "../../src/index.ts";
import { countCalls, createScriptedModel } from "../../src/testing/index.ts";
import { locating, looking, paying, shop } from "../support/interrupted.ts";
import { recorder } from "../support/middleware.ts";
import { assistant, deferred, errorOf, says, setup, user } from "../support/setup.ts";
import { failAppends, storedMessages } from "../support/stores.ts";

const adding = (name: string, instructions: string): Middleware<unknown> => ({
  name,
  onStart: () => ({ instructions }),
});

const expert: Agent<unknown, unknown> = { name: "expert", instructions: () => "You are the expert." };

const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });

describe("a middleware's addition", () => {
  it("follows the agent's instructions, the run's middleware first, then the agent's", async () => {
    const model = createScriptedModel(["Hello."]);
    const { config } = setup({
      model,
      agent: { middleware: [adding("c", "From the agent."), adding("d", "And more.")] },
      config: { middleware: [adding("a", "From the run."), adding("b", "")] },
    });
    await run(says("Hi"), config);
    expect(model.requests[0]?.instructions).toBe(
      ["Help.", "From the run.", "From the agent.", "And more."].join("\n\n"),
    );
  });

  it("keeps that order, whichever hook finishes first", async () => {
    const late = deferred<void>();
    const slow: Middleware<unknown> = {
      name: "slow",
      onStart: async () => {
        await late.promise;
        return { instructions: "Slow." };
      },
    };
    const fast: Middleware<unknown> = {
      name: "fast",
      onStart: () => {
        late.resolve();
        return { instructions: "Fast." };
      },
    };
    const model = createScriptedModel(["Hello."]);
    // `slow` waits for `fast`: if they didn't begin at the same time, the run would never end.
    await run(says("Hi"), setup({ model, config: { middleware: [slow, fast] } }).config);
    expect(model.requests[0]?.instructions).toBe("Help.\n\nSlow.\n\nFast.");
  });

  it("is in every model call, also after a handoff, and is requested once", async () => {
    const model = createScriptedModel([
      { toolCalls: [{ name: "look" }] },
      { toolCalls: [{ name: "handoff", arguments: { agentName: "expert" } }] },
      "Done.",
    ]);
    const { middleware, started, finished } = recorder({ instructions: "Alice is a user." });
    const other = recorder({ instructions: "of the expert" });
    const { config } = setup({
      model,
      tools: [handoffTool, look],
      agent: { handoffs: ["expert"], middleware: [middleware] },
      otherAgents: [{ ...expert, middleware: [other.middleware] }],
    });
    const { finalState } = await run(says("Hi"), config);
    expect(model.requests.map(({ instructions }) => instructions)).toEqual([
      "Help.\n\nAlice is a user.",
      "Help.\n\nAlice is a user.",
      "You are the expert.\n\nAlice is a user.",
    ]);
    expect([started.length, finished.length]).toEqual([1, 1]);
    expect(finished[0]?.turn).toBe(started[0]);
    expect(finished[0]?.reply).toBe(finalState.messages.at(-1));
    expect(started[0]).toMatchObject({
      agentName: "helper",
      userMessages: [user("Hi")],
      isContinuation: false,
    });
    expect(other.started).toEqual([]);
  });

  it("doesn't change the agent in the registry", async () => {
    const { middleware } = recorder({ instructions: "More." });
    const { config } = setup({ model: ["Hello."], config: { middleware: [middleware] } });
    const instructions = config.agentRegistry.get("helper")?.instructions;
    await run(says("Hi"), config);
    expect(config.agentRegistry.get("helper")?.instructions).toBe(instructions);
    expect(typeof instructions === "function" && instructions(says("Hi"))).toBe("Help.");
  });

  it("is sent if the reply is streamed", async () => {
    const model = createScriptedModel(["Hello there."]);
    const { middleware, finished } = recorder({ instructions: "More." });
    const stream = runStream(says("Hi"), setup({ model, config: { middleware: [middleware] } }).config);
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(model.requests[0]?.instructions).toBe("Help.\n\nMore.");
    expect(types).toContain("llm_delta");
    expect(finished.map(({ reply }) => reply)).toEqual([assistant("Hello there.")]);
  });
});

describe("a run with middleware", () => {
  it("calls onFinish after its reply is stored, and waits for it", async () => {
    const provider = createInMemoryProvider();
    const order: string[] = [];
    const middleware: Middleware<unknown> = {
      name: "last",
      onFinish: async (_turn, reply) => {
        order.push(`stored ${(await storedMessages(provider)).length}: ${reply.content}`);
      },
    };
    const { config } = setup({
      model: ["Hello."],
      config: {
        middleware: [middleware],
        memory: { provider, autoStore: true },
        conversationId: "c",
        onEvent: ({ type }) => type === "run_end" && order.push(type),
      },
    });
    await run(says("Hi"), config);
    expect(order).toEqual(["stored 2: Hello.", "run_end"]);
  });

  it("lets the next run of its conversation begin before onFinish", async () => {
    const memory = { provider: createInMemoryProvider(), autoStore: true, concurrency: "queue" } as const;
    const { config } = setup({ model: ["One.", "Two."], config: { memory, conversationId: "c" } });
    const outcomes: unknown[] = [];
    const nested: Middleware<unknown> = {
      name: "nested",
      onFinish: async () => {
        outcomes.push((await run(says("And?"), config)).outcome);
      },
    };
    outcomes.push((await run(says("Hi"), { ...config, middleware: [nested] })).outcome);
    expect(outcomes).toEqual([
      { status: "completed", output: "Two." },
      { status: "completed", output: "One." },
    ]);
  });

  it.each([
    ["a guardrail blocks what is said", { initialInputGuardrails: [() => no] }, [], 0],
    ["the model fails", {}, [new Error("down")], 1],
    ["a guardrail blocks the reply", { finalOutputGuardrails: [() => no] }, ["Hello."], 1],
    ["it has had all its steps", { maxTurns: 0 }, [], 1],
    ["its reply can't be stored", { store: 1 }, ["Hello."], 1],
  ] as const)(
    "doesn't call onFinish if %s",
    async (_case, { store, ...more }: Record<string, unknown>, steps, starts) => {
      const { middleware, started, finished } = recorder();
      const inner = createInMemoryProvider();
      const { config } = setup({
        model: steps,
        config: {
          modelRetry: { maxAttempts: 1 },
          middleware: [middleware],
          memory: { provider: store === 1 ? failAppends(inner, 1) : inner, autoStore: true },
          conversationId: "c",
          ...more,
        },
      });
      errorOf(await run(says("Hi"), config));
      expect([started.length, finished.length]).toEqual([starts, 0]);
    },
  );

  it("doesn't call onFinish if it is interrupted, and is a continuation after a decision", async () => {
    const { middleware, started, finished } = recorder({ instructions: "More." });
    const { process } = shop();
    const asked = await process([{ toolCalls: [paying(20), looking] }], ["Pay"], {
      middleware: [middleware],
    });
    if (asked.outcome.status !== "interrupted") throw new Error("it isn't");
    const [waiting] = asked.outcome.interruptions;
    if (waiting?.type !== "approval") throw new Error("no approval");
    expect([started.length, finished.length]).toEqual([1, 0]);

    const { approvalId, toolCallId } = waiting;
    const approvals = [{ approvalId, toolCallId, approved: true }];
    await process(["Paid."], [], { middleware: [middleware], resume: { approvals } });
    expect([started.length, finished.length]).toEqual([2, 1]);
    expect(started.map(({ isContinuation }) => isContinuation)).toEqual([false, true]);
    expect(started.map(({ userMessages: said, position }) => ({ said, position }))).toEqual([
      { said: [user("Pay")], position: 0 },
      { said: [user("Pay")], position: 0 },
    ]);
  });

  it("is a continuation only with results of a client's tools", async () => {
    const { middleware, started } = recorder();
    const { process } = shop();
    const more = { middleware: [middleware], resume: { approvals: [], toolResults: [] } };
    await process([{ toolCalls: [locating] }], ["Where?"], more);
    const toolResults = [{ toolCallId: locating.id, result: "Rome" }];
    await process(["Here."], [], { ...more, resume: { toolResults } });
    expect(started.map(({ isContinuation }) => isContinuation)).toEqual([false, true]);
  });

  it("fills the turn without a store", async () => {
    const { middleware, started } = recorder();
    const before = Date.now();
    const { config } = setup({ model: ["Hello."], config: { middleware: [middleware] } });
    const state = says("Hi", assistant("Hello?"), "I am Alice.", "From Rome.");
    await run(state, config);
    const [turn] = started;
    expect(turn?.state.messages).toEqual(state.messages);
    expect(turn?.userMessages).toEqual([user("I am Alice."), user("From Rome.")]);
    expect(turn).toMatchObject({ position: undefined, conversationId: undefined, signal: undefined });
    expect(turn?.startedAt).toBeGreaterThanOrEqual(before);
    expect(turn?.startedAt).toBeLessThanOrEqual(Date.now());
  });
});

const no = { isValid: false, errorMessage: "no" } as const;

describe("a run without middleware", () => {
  it("passes the registry's agent to the model provider unchanged", async () => {
    const model = createScriptedModel(["Hello."]);
    const { config } = setup({ model });
    await run(says("Hi"), config);
    expect(model.requests[0]?.instructions).toBe("Help.");
    expect(model.requests[0]?.agent).toMatchObject({ name: "helper", tools: [] });
  });

  it.each([[[]], [undefined]])("reaches the store as often as one with: %j", async (middleware) => {
    const callsOf = async (list: readonly Middleware<unknown>[] | undefined) => {
      const provider = countCalls(createInMemoryProvider());
      const { config } = setup({
        model: ["Hello."],
        config: {
          memory: { provider, autoStore: true },
          conversationId: "c",
          ...(list && { middleware: list }),
        },
      });
      await run(says("Hi"), config);
      return provider.calls;
    };
    expect(await callsOf(middleware)).toEqual({ readConversation: 1, appendMessages: 1 });
    expect(await callsOf([recorder({ instructions: "More." }).middleware])).toEqual(
      await callsOf(middleware),
    );
  });

  it("awaits nothing for it", async () => {
    const ticksOf = async (more: object) => {
      let ticks = 0;
      let isOver = false;
      const { config } = setup({ model: ["Hello."], ...more });
      const ended = run(says("Hi"), config).then(() => {
        isOver = true;
      });
      while (!isOver) {
        ticks += 1;
        await undefined;
      }
      await ended;
      return ticks;
    };
    const without = await ticksOf({});
    // Without a user memory, a declaration has no effect.
    expect(await ticksOf({ agent: { remembers: { user: "alice" } } })).toBe(without);
    expect(await ticksOf({ config: { middleware: [recorder().middleware] } })).toBeGreaterThan(without);
  });
});
