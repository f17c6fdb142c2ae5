import { createConversationStore, createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  approve,
  createAgentClient,
  createTool,
  type MemoryConfig,
  type RunConfig,
  type RunState,
  run,
  runStream,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { MapStore } from "../support/client.ts";
import { approvalOf, interruptionsOf, locating, paying, shop } from "../support/interrupted.ts";
import { assistant, deferred, errorOf, says, setup, user } from "../support/setup.ts";
import { recordWrites, storedMessages, unversioned } from "../support/stores.ts";

const DURABILITIES = ["completed", "turn", "step"] as const;

/** A store that crashes the process after the append that ends a run, without an answer. */
function dyingAtTheEnd(inner: MemoryProvider) {
  const died = deferred();
  const provider: MemoryProvider = {
    ...inner,
    appendMessages: async (...args) => {
      const written = await inner.appendMessages(...args);
      if (args[3]?.idempotencyKey?.startsWith("run:") !== true) return written;
      died.resolve();
      return new Promise<never>(() => {});
    },
  };
  return { provider, died: died.promise };
}

type Start = (
  state: RunState<unknown>,
  config: RunConfig<unknown>,
) => Promise<{
  readonly outcome: Awaited<ReturnType<typeof run>>["outcome"];
}>;

const STARTS: readonly (readonly [string, Start])[] = [
  ["run", (state, config) => run(state, config)],
  ["runStream", (state, config) => runStream(state, config).result],
  ["the agent client", startClient],
];

/** Like an application that passes its own run ids. */
function startClient({ runId, messages }: RunState<unknown>, config: RunConfig<unknown>) {
  const { agentRegistry, modelProvider, memory, resume } = config;
  const [agent] = agentRegistry.values();
  if (agent === undefined || memory === undefined) throw new Error("there is no agent, or no memory");
  const { provider, durability = "completed" } = memory;
  const store = createConversationStore(provider);
  const client = createAgentClient(agent, { modelProvider, context: {}, store, memory: { durability } });
  return client.continue("c").prompt([...messages], {
    runId,
    ...resume,
  });
}

/** A shop that counts payments. Its processes share only the store. */
function world(memory: Partial<MemoryConfig>) {
  const inner = createInMemoryProvider();
  const { provider, writes } = recordWrites(inner);
  const keys: string[] = [];
  const pay = createTool({
    name: "pay",
    description: "",
    parameters: z.object({ amount: z.number() }),
    needsApproval: ({ amount }) => amount > 10,
    execute: ({ amount }, _context, call) => {
      keys.push(call?.idempotencyKey ?? "");
      return `paid ${amount}`;
    },
  });
  const locate = createTool({ name: "locate", description: "", parameters: z.object({}) });
  const configOf = (
    steps: readonly ScriptedStep<unknown>[],
    config: Partial<RunConfig<unknown>> = {},
    store: MemoryProvider = provider,
  ) =>
    setup({
      model: createScriptedModel(steps),
      tools: [pay, locate],
      config: { memory: { provider: store, autoStore: true, ...memory }, conversationId: "c", ...config },
    }).config;
  const crash = async (
    start: Start,
    state: RunState<unknown>,
    [steps, config]: [readonly ScriptedStep<unknown>[], Partial<RunConfig<unknown>>?],
  ) => {
    const dying = dyingAtTheEnd(inner);
    void start(state, configOf(steps, config, dying.provider));
    await dying.died;
  };
  return { inner, provider, writes, keys, configOf, crash };
}

describe.each(DURABILITIES)("in durability %s, the same run again", (durability) => {
  describe.each(STARTS)("by %s, after a crash following the last append,", (_name, start) => {
    async function begun() {
      const shop = world({ durability });
      // The agent client goes on with a conversation that exists.
      await shop.inner.storeMessages("c", [user("Hi"), assistant("Hello.")]);
      return shop;
    }

    it("returns the stored reply: one payment, under one key", async () => {
      const { crash, configOf, keys, inner, writes } = await begun();
      const state = says("Pay 5");
      await crash(start, state, [[{ toolCalls: [paying(5)] }, "Paid."]]);
      const before = await storedMessages(inner);
      const { outcome } = await start(state, configOf([]));
      expect(outcome).toEqual({ status: "completed", output: "Paid." });
      expect(keys).toHaveLength(1);
      expect(writes).toEqual([]);
      expect(await storedMessages(inner)).toEqual(before);
    });

    it("waits for the same approval, and then pays once", async () => {
      const { crash, configOf, keys, writes, inner } = await begun();
      const state = says("Pay 50");
      await crash(start, state, [[{ toolCalls: [paying(50)] }]]);
      const again = await run(state, configOf([]));
      const approvals = [approve(approvalOf(again))];
      expect(writes).toEqual([]);
      await crash(start, says(), [["Paid."], { resume: { approvals } }]).catch(() => {});
      expect(keys).toHaveLength(1);
      expect((await storedMessages(inner)).at(-1)).toEqual(assistant("Paid."));
    });

    it("with an approval returns the stored reply", async () => {
      const { crash, configOf, keys } = await begun();
      const asked = await run(says("Pay 50"), configOf([{ toolCalls: [paying(50)] }]));
      const approvals = [approve(approvalOf(asked))];
      const state = says();
      await crash(start, state, [["Paid."], { resume: { approvals } }]);
      const { outcome } = await start(state, configOf([], { resume: { approvals } }));
      expect(outcome).toEqual({ status: "completed", output: "Paid." });
      expect(keys).toHaveLength(1);
    });

    it("with a client's result waits for the same approval", async () => {
      const { crash, configOf, keys, writes } = await begun();
      await run(says("Where?"), configOf([{ toolCalls: [locating] }]));
      const toolResults = [{ toolCallId: "w", result: "here" }];
      const state = says();
      await crash(start, state, [[{ toolCalls: [paying(50)] }], { resume: { toolResults } }]);
      const count = writes.length;
      const { outcome } = await start(state, configOf([], { resume: { toolResults } }));
      expect(outcome).toMatchObject({
        status: "interrupted",
        interruptions: [{ type: "approval", toolCallId: "p" }],
      });
      expect(writes).toHaveLength(count);
      expect(keys).toEqual([]);
    });

    it("returns its own reply even after another turn", async () => {
      const { crash, configOf, keys, inner } = await begun();
      const state = says("Pay 5");
      await crash(start, state, [[{ toolCalls: [paying(5)] }, "Paid."]]);
      await run(says("And now?"), configOf(["Now this."]));
      const before = await storedMessages(inner);
      const { outcome } = await start(state, configOf([]));
      expect(outcome).toEqual({ status: "completed", output: "Paid." });
      expect(keys).toHaveLength(1);
      expect(await storedMessages(inner)).toEqual(before);
    });
  });

  it("is a conflict if its calls were decided since", async () => {
    const { process, configOf, executed } = shop({ memory: { durability } });
    const state = says("Pay");
    const asked = await run(state, configOf([{ toolCalls: [paying(50)] }]));
    await process(["Paid."], [], { resume: { approvals: [approve(approvalOf(asked))] } });
    expect(errorOf(await run(state, configOf([])))).toMatchObject({
      error: { _tag: "MemoryConflictError", reason: "version" },
    });
    expect(executed).toEqual(["pay 50"]);
  });

  it("returns the messages at its end, checked by the codec and the guardrails", async () => {
    const { configOf } = world({ durability });
    const state = says("1");
    const first = await run(state, configOf(["one"]));
    await run(says("2"), configOf(["two"]));
    const again = await run(state, configOf([]));
    expect(again.finalState.messages).toEqual(first.finalState.messages);
    const finalOutputGuardrails = [() => ({ isValid: false as const, errorMessage: "no longer" })];
    expect(errorOf(await run(state, configOf([], { finalOutputGuardrails })))).toEqual({
      _tag: "OutputGuardrailTripwire",
      reason: "no longer",
    });
  });

  it("is an error if the store has dropped the reply since", async () => {
    const { configOf, inner } = world({ durability, maxMessages: 2 });
    const state = says("1");
    await run(state, configOf(["one"]));
    await run(says("2"), configOf(["two"]));
    expect(errorOf(await run(state, configOf([])))).toMatchObject({
      error: { _tag: "MemoryStorageError", message: expect.stringContaining("has dropped its reply") },
    });
    expect(await storedMessages(inner)).toEqual([user("2"), assistant("two")]);
  });

  it("doesn't return a reply that replaced its own", async () => {
    const { configOf, inner } = world({ durability });
    const state = says("1");
    await run(state, configOf(["one"]));
    await inner.appendMessages("c", [user("else"), assistant("another")], {}, { dropLast: 2 });
    expect(errorOf(await run(state, configOf([])))).toMatchObject({
      error: { _tag: "MemoryConflictError", reason: "version" },
    });
  });

  it.each<[string, (state: RunState<unknown>) => RunState<unknown>]>([
    ["another run id", () => says("Pay 5")],
    ["other words", (state) => ({ ...state, messages: [user("Pay 5, please")] })],
    ["another agent", (state) => ({ ...state, currentAgentName: "second" })],
  ])("is another turn with %s", async (_what, change) => {
    const { configOf, keys } = world({ durability });
    const state = says("Pay 5");
    const steps = [{ toolCalls: [paying(5)] }, "Paid."];
    await run(state, configOf(steps));
    const config = configOf(steps);
    const [helper] = config.agentRegistry.values();
    const agentRegistry = new Map([...config.agentRegistry, ["second", helper as never] as const]);
    expect((await run(change(state), { ...config, agentRegistry })).outcome.status).toBe("completed");
    expect(keys).toHaveLength(2);
  });

  it("is the same run with any order of fields in its messages", async () => {
    const { configOf, keys } = world({ durability });
    const state = says("Pay 5");
    await run(state, configOf([{ toolCalls: [paying(5)] }, "Paid."]));
    const reordered = { ...state, messages: [{ content: "Pay 5", role: "user" as const }] };
    expect((await run(reordered, configOf([]))).outcome).toEqual({ status: "completed", output: "Paid." });
    expect(keys).toHaveLength(1);
  });

  it("needs no lease, and returns its reply while another run holds it", async () => {
    const { configOf } = world({ durability });
    const state = says("1");
    await run(state, configOf(["one"]));
    const asked = deferred();
    const answer = deferred();
    const slow: ScriptedStep<unknown> = async () => {
      asked.resolve();
      await answer.promise;
      return "two";
    };
    const other = run(says("2"), configOf([slow]));
    await asked.promise;
    expect((await run(state, configOf([]))).outcome).toEqual({ status: "completed", output: "one" });
    answer.resolve();
    expect((await other).outcome.status).toBe("completed");
  });

  it("stores one reply if both run at the same time, and both return it", async () => {
    const { configOf, inner } = world({ durability });
    const state = says("Hi");
    const asked = deferred();
    const answer = deferred();
    const slow: ScriptedStep<unknown> = async () => {
      asked.resolve();
      await answer.promise;
      return "slow";
    };
    const first = run(state, configOf([slow]));
    await asked.promise;
    const second = await run(state, configOf(["fast"]));
    answer.resolve();
    const { outcome } = await first;
    if (durability === "completed") {
      expect(outcome).toEqual({ status: "completed", output: "fast" });
      expect(second.outcome).toEqual(outcome);
    } else {
      expect(errorOf(second)).toMatchObject({ error: { reason: "lease" } });
      expect(outcome).toEqual({ status: "completed", output: "slow" });
    }
    expect(await storedMessages(inner)).toHaveLength(2);
  });
});

describe("a store without receipts", () => {
  it.each(DURABILITIES)("takes the same run for a new turn, as it always did: %s", async (durability) => {
    const provider = unversioned(createInMemoryProvider());
    const memory = { provider, autoStore: true, durability };
    const state = says("Hi");
    for (const reply of ["a", "b"]) {
      const { config } = setup({ model: [reply], config: { memory, conversationId: "c" } });
      expect((await run(state, config)).outcome).toEqual({ status: "completed", output: reply });
    }
    expect(await storedMessages(provider)).toEqual([user("Hi"), assistant("a"), user("Hi"), assistant("b")]);
  });

  it.each(DURABILITIES)("waits for approvals and runs approved calls: %s", async (durability) => {
    const provider = unversioned(createInMemoryProvider());
    const { process, executed } = shop({ provider, memory: { durability } });
    const asked = await process([{ toolCalls: [paying(50)] }], ["Pay"]);
    expect(interruptionsOf(asked)).toHaveLength(1);
    const paid = await process(["Paid."], [], { resume: { approvals: [approve(approvalOf(asked))] } });
    expect(paid.outcome).toEqual({ status: "completed", output: "Paid." });
    expect(executed).toEqual(["pay 50"]);
  });
});

describe("a store of five methods", () => {
  it.each(DURABILITIES)(
    "returns the outcome of the same run until the process ends: %s",
    async (durability) => {
      const store = new MapStore();
      const id = await store.create();
      const { runId, messages } = says("Hi");
      const start = async (steps: readonly ScriptedStep<unknown>[], kept: MapStore) => {
        const agent = { name: "helper", instructions: () => "Help." };
        const modelProvider = createScriptedModel<unknown>(steps);
        const config = { modelProvider, context: {}, store: kept, memory: { durability } };
        return (
          await createAgentClient(agent, config)
            .continue(id)
            .prompt([...messages], { runId })
        ).text;
      };
      expect(await start(["Hello."], store)).toBe("Hello.");
      expect(await start([], store)).toBe("Hello.");
      expect(await store.load(id)).toEqual([user("Hi"), assistant("Hello.")]);

      const afterRestart = Object.assign(new MapStore(), { rows: store.rows });
      expect(await start(["Again."], afterRestart)).toBe("Again.");
      expect(await store.load(id)).toHaveLength(4);
    },
  );
});
