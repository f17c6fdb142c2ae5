import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type ApprovalRequest,
  approve,
  createAgentClient,
  createTool,
  type Durability,
  type RunResult,
  reject,
  run,
  runStream,
  type Tool,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { approvalOf, interruptionsOf } from "../support/interrupted.ts";
import { deferred, errorOf, says, setup } from "../support/setup.ts";

// biome-ignore lint/suspicious/noExplicitAny: tools differ in their arguments
type AnyTool = Tool<any, unknown>;

const changed = { _tag: "ContinuationRejected", code: "changed-arguments", index: 0 };

/** A tool `pay` with these parameters, and its calls. */
function paying(parameters: z.ZodType, needsApproval: AnyTool["needsApproval"] = true) {
  const paid: unknown[] = [];
  const tool: AnyTool = createTool({
    name: "pay",
    description: "",
    parameters,
    needsApproval,
    execute: (args) => {
      paid.push(args);
      return "paid";
    },
  });
  return { tool, paid };
}

const call = { toolCalls: [{ name: "pay", id: "p", arguments: {} }] };

/** Each run stands for a new process, which shares only the store. */
function shop(tool: AnyTool, durability: Durability = "completed", inner?: MemoryProvider) {
  const provider = inner ?? createInMemoryProvider();
  const configOf = (steps: Parameters<typeof createScriptedModel>[0], tools: readonly AnyTool[] = [tool]) =>
    setup({
      model: steps,
      tools,
      config: { memory: { provider, autoStore: true, durability }, conversationId: "c" },
    }).config;
  return {
    provider,
    ask: () => run(says("Pay"), configOf([call])),
    decide: (approvals: readonly ReturnType<typeof approve>[], now = tool) =>
      run(says(), { ...configOf(["Done."], [now]), resume: { approvals } }),
    again: (now = tool) => run(says(), configOf([], [now])),
  };
}

/** Cents and payee from the program's state, by a default or a transform of the schema. */
function stateful(how: "default" | "transform") {
  const state = { cents: 100, to: "A" };
  const parameters =
    how === "default"
      ? z.object({ cents: z.number().default(() => state.cents), to: z.string().default(() => state.to) })
      : z.object({}).transform(async () => ({ ...state }));
  return { state, parameters };
}

describe.each(["completed", "turn", "step"] as const)("approved arguments, durability %s,", (durability) => {
  it.each(["default", "transform"] as const)(
    "are those that were shown, or nothing runs: a %s that reads state",
    async (how) => {
      const { state, parameters } = stateful(how);
      const { tool, paid } = paying(parameters);
      const { ask, decide, again } = shop(tool, durability);
      const shown = approvalOf(await ask());
      expect(shown.args).toEqual({ cents: 100, to: "A" });
      Object.assign(state, { cents: 999_999, to: "B" });
      const ended = await decide([approve(shown)]);
      expect(errorOf(ended)).toMatchObject({ ...changed, reason: expect.stringMatching(/run again/) });
      expect(paid).toEqual([]);
      const renewed = approvalOf(await again());
      expect(renewed.args).toEqual({ cents: 999_999, to: "B" });
      expect(renewed.approvalId).not.toBe(shown.approvalId);
      expect((await decide([approve(renewed)])).outcome.status).toBe("completed");
      expect(paid).toEqual([{ cents: 999_999, to: "B" }]);
    },
  );

  it("are valid again if they are as shown", async () => {
    const { state, parameters } = stateful("default");
    const { tool, paid } = paying(parameters);
    const { ask, decide } = shop(tool, durability);
    const shown = approvalOf(await ask());
    state.cents = 999_999;
    expect(errorOf(await decide([approve(shown)]))).toMatchObject(changed);
    state.cents = 100;
    expect((await decide([approve(shown)])).outcome.status).toBe("completed");
    expect(paid).toEqual([{ cents: 100, to: "A" }]);
  });

  it.each([
    ["a default", z.object({ cents: z.number().default(999_999), to: z.string().default("B") })],
    ["other names", z.object({}).transform(() => ({ amount: 100, to: "A" }))],
    ["a check", z.object({ cents: z.number().min(1).optional() }).refine(() => false)],
  ])("are void once a deployment has changed %s", async (_what, parameters) => {
    const before = paying(z.object({ cents: z.number().default(100), to: z.string().default("A") }));
    const after = paying(parameters);
    const { ask, decide } = shop(before.tool, durability);
    const shown = approvalOf(await ask());
    expect(errorOf(await decide([approve(shown)], after.tool))).toMatchObject(changed);
    expect([...before.paid, ...after.paid]).toEqual([]);
  });

  it("are invalid if the tool is gone or belongs to another agent", async () => {
    const { tool, paid } = paying(z.object({}));
    const { ask, decide } = shop(tool, durability);
    const shown = approvalOf(await ask());
    const other = { ...tool, schema: { ...tool.schema, name: "other" } };
    const outdated = { _tag: "CallOutdated", tool: "pay", reason: "gone" };
    expect(errorOf(await decide([approve(shown)], other))).toMatchObject(outdated);
    expect(paid).toEqual([]);
  });

  it("don't change after a crash that followed the approval", async () => {
    const { state, parameters } = stateful("default");
    const { tool, paid } = paying(parameters);
    const inner = createInMemoryProvider();
    const executing = deferred();
    const dying: AnyTool = {
      ...tool,
      execute: () => {
        executing.resolve();
        return new Promise(() => {});
      },
    };
    const first = shop(tool, durability, inner);
    const shown = approvalOf(await first.ask());
    const died = setup({
      model: [],
      tools: [dying],
      config: {
        memory: { provider: inner, autoStore: true, durability, leaseMs: 20 },
        conversationId: "c",
        resume: { approvals: [approve(shown)] },
      },
    });
    void run(says(), died.config);
    await executing.promise; // So the approval is stored.
    // The process has crashed: its heartbeats don't reach the next process's copy of the store.
    const exported = await inner.exportConversation("c");
    if (!exported.success || exported.data === null) throw new Error("nothing is stored");
    const copy = createInMemoryProvider();
    expect((await copy.importConversation(exported.data)).success).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 30));
    state.cents = 999_999;
    const second = shop(tool, durability, copy);
    const asked = approvalOf(await second.again());
    expect(asked.args).toEqual({ cents: 999_999, to: "A" });
    expect(paid).toEqual([]);
    state.cents = 100;
    expect((await second.decide([])).outcome.status).toBe("completed");
    expect(paid).toEqual([{ cents: 100, to: "A" }]);
  });
});

describe("without a store", () => {
  const config = (tool: AnyTool, steps: Parameters<typeof createScriptedModel>[0]) =>
    setup({ model: steps, tools: [tool] }).config;

  it("runs the shown arguments and no others", async () => {
    const { state, parameters } = stateful("transform");
    const { tool, paid } = paying(parameters);
    const asked = await run(says("Pay"), config(tool, [call]));
    const approvals = [approve(approvalOf(asked))];
    state.cents = 999_999;
    expect(
      errorOf(await run(asked.finalState, { ...config(tool, []), resume: { approvals } })),
    ).toMatchObject(changed);
    expect(paid).toEqual([]);
    state.cents = 100;
    await run(asked.finalState, { ...config(tool, ["Done."]), resume: { approvals } });
    expect(paid).toEqual([{ cents: 100, to: "A" }]);
  });
});

describe("a decision about changed arguments", () => {
  it("is refused for a rejection and with a continuation, too", async () => {
    const { state, parameters } = stateful("default");
    const { tool } = paying(parameters);
    const { ask, decide, provider } = shop(tool);
    const asked = await ask();
    const shown = approvalOf(asked);
    state.cents = 1;
    expect(errorOf(await decide([reject(shown)]))).toMatchObject(changed);
    const { config } = setup({
      model: [],
      tools: [tool],
      config: {
        memory: { provider, autoStore: true },
        conversationId: "c",
        resume: { messages: asked.finalState.messages, approvals: [approve(shown)] },
      },
    });
    expect(errorOf(await run(says(), config))).toMatchObject(changed);
    expect(errorOf(await runStream(says(), config).result)).toMatchObject(changed);
  });

  it("is an outcome in the agent client", async () => {
    const { state, parameters } = stateful("default");
    const { tool, paid } = paying(parameters);
    const client = createAgentClient(
      { name: "helper", instructions: () => "", tools: [tool] },
      { modelProvider: createScriptedModel([call, "Done."]), context: {}, store: createInMemoryProvider() },
    );
    const asked = await client.forUser("u").prompt("Pay");
    const id = asked.conversationId ?? "";
    state.cents = 1;
    const approvals = [approve(asked.interruptions[0] as ApprovalRequest)];
    const refused = await client.forUser("u").continue(id).prompt("", { approvals });
    expect(errorOf(refused as RunResult<unknown>)).toMatchObject(changed);
    const [renewed] = (await client.forUser("u").continue(id).prompt([])).interruptions;
    expect(renewed?.args).toEqual({ cents: 1, to: "A" });
    const approved = { approvals: [approve(renewed as ApprovalRequest)] };
    expect((await client.forUser("u").continue(id).prompt("", approved)).text).toBe("Done.");
    expect(paid).toEqual([{ cents: 1, to: "A" }]);
  });

  it("counts as forged if it isn't an id of the call", async () => {
    const { tool } = paying(z.object({}));
    const { ask, decide } = shop(tool);
    const shown = approvalOf(await ask());
    for (const approvalId of ["appr_x", `${shown.approvalId.slice(0, 20)}x`]) {
      const forged = { toolCallId: "p", approvalId, approved: true };
      expect(errorOf(await decide([forged]))).toMatchObject({ code: "forged-approval" });
    }
  });
});

describe("needsApproval", () => {
  it("gets the arguments that run, and can't change them", async () => {
    const judged: unknown[] = [];
    const parameters = z.object({ key: z.string().default("k"), list: z.array(z.number()).default([1]) });
    const { tool, paid } = paying(parameters, (args) => {
      judged.push(structuredClone(args));
      args.list.push(2);
      args.key = "changed";
      return true;
    });
    const { ask, decide } = shop(tool);
    const shown = approvalOf(await ask());
    await decide([approve(shown)]);
    expect(paid).toEqual([shown.args]);
    expect(new Set(judged.map((args) => JSON.stringify(args)))).toEqual(new Set([JSON.stringify(paid[0])]));
  });

  it("ends a call with an error for the model if no approval can be bound to its arguments", async () => {
    class Money {
      constructor(readonly cents: number) {}
    }
    const odd: readonly z.ZodType[] = [
      z.object({}).transform(() => ({ run: () => 1 })),
      z.object({}).transform(() => ({ money: new Money(100) })),
      z.object({}).transform(() => Symbol("s")),
      z.object({}).transform(() => {
        const self: Record<string, unknown> = {};
        self["self"] = [self, self];
        return self;
      }),
      z.object({}).transform(() => new Map([["cents", 100]])),
      z.object({}).transform(() => ({ cents: 100n })),
      z.object({}).transform(() => ({ cents: Number.NaN })),
    ];
    for (const parameters of odd) {
      const { tool, paid } = paying(parameters);
      const { config } = setup({ model: [call, "Sorry."], tools: [tool] });
      const { finalState, outcome } = await run(says("Pay"), config);
      expect(outcome).toEqual({ status: "completed", output: "Sorry." });
      expect(finalState.messages.at(-2)?.content).toMatch(/needs an approval, .* in the tool's execute/);
      expect(paid).toEqual([]);
    }
  });

  it.each([
    ["a random id", z.object({ key: z.string().default(() => crypto.randomUUID()) })],
    ["the time", z.object({ payment: z.object({ at: z.date().default(() => new Date()) }).prefault({}) })],
  ])(
    "isn't requested if the schema creates %s each time: the model gets an error",
    async (_what, parameters) => {
      const { tool, paid } = paying(parameters);
      const { config } = setup({ model: [call, "Sorry."], tools: [tool] });
      const { finalState, outcome } = await run(says("Pay"), config);
      expect(outcome).toEqual({ status: "completed", output: "Sorry." });
      expect(finalState.messages.at(-2)?.content).toMatch(
        /create random ids and times in the tool's execute/,
      );
      expect(paid).toEqual([]);
      const failing = setup({ model: [call], tools: [tool], config: { onToolError: "fail" } }).config;
      expect(errorOf(await run(says("Pay"), failing))).toMatchObject({ _tag: "ToolCallError", tool: "pay" });
    },
  );

  it("runs calls that need no approval, with any arguments", async () => {
    const { tool, paid } = paying(
      z.object({}).transform(() => ({ run: () => 1 })),
      () => false,
    );
    await run(says("Pay"), setup({ model: [call, "Done."], tools: [tool] }).config);
    expect(paid).toHaveLength(1);
  });
});

describe("the arguments in an interruption", () => {
  it("can't be changed, and don't affect the call", async () => {
    const shared = { list: [1] };
    const { tool, paid } = paying(z.object({}).transform(() => ({ shared, when: new Date(0) })));
    const { ask, decide } = shop(tool);
    const asked = await ask();
    const shown = approvalOf(asked);
    const args = shown.args as { readonly shared: { readonly list: number[] } };
    expect(() => args.shared.list.push(2)).toThrow(TypeError);
    expect(Object.isFrozen(interruptionsOf(asked))).toBe(true);
    expect(Object.isFrozen(shared.list)).toBe(false);
    await decide([approve(shown)]);
    expect(paid).toEqual([{ shared: { list: [1] }, when: new Date(0) }]);
  });
});
