import { createInMemoryProvider, type MemoryProvider, type VersionedMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { approve, createTool, run } from "../../src/index.ts";
import { approvalOf, interruptionsOf, locating, paying, shop } from "../support/interrupted.ts";
import { assistant, calling, deferred, errorOf, result, says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const rejectedWith = (code: string) => ({ _tag: "ContinuationRejected", code });
const leaseConflict = { _tag: "MemoryError", error: { reason: "lease" } };

describe("the arguments of a call with or without approval", () => {
  const open = (name: string, execute: () => string) =>
    createTool({ name, description: "", parameters: z.object({}), execute });

  it("are those that the tool gets, even if its schema changes later", async () => {
    let cents = 5;
    const paid: number[] = [];
    const raise = open("raise", () => {
      cents = 99_999;
      return "raised";
    });
    const settle = createTool({
      name: "settle",
      description: "",
      parameters: z.object({}).transform(async () => ({ cents })),
      needsApproval: (args) => args.cents > 5_000,
      execute: (args) => {
        paid.push(args.cents);
        return "paid";
      },
    });
    const { process } = shop({ tools: [raise, settle] });
    const calls = [
      { name: "raise", id: "r" },
      { name: "settle", id: "s" },
    ];
    await process([{ toolCalls: calls }, "Done."], ["Settle"], { maxParallelTools: 1 });
    expect(paid).toEqual([5]);
  });

  it("stay invalid if they were invalid at the decision", async () => {
    const orders = new Set<string>();
    const refunded: string[] = [];
    const create = open("create", () => {
      orders.add("o1");
      return "created";
    });
    const refund = createTool({
      name: "refund",
      description: "",
      parameters: z.object({ id: z.string().refine(async (id) => orders.has(id)) }),
      needsApproval: true,
      execute: ({ id }) => {
        refunded.push(id);
        return "refunded";
      },
    });
    const { process, provider } = shop({ tools: [create, refund] });
    const calls = [
      { name: "create", id: "c" },
      { name: "refund", id: "r", arguments: { id: "o1" } },
    ];
    await process([{ toolCalls: calls }, "Done."], ["Refund"], { maxParallelTools: 1 });
    expect(refunded).toEqual([]);
    expect((await storedMessages(provider)).at(-2)?.content).toContain("INVALID_INPUT");
  });
});

describe("a run that doesn't hold the lease", () => {
  async function approved(provider: MemoryProvider = createInMemoryProvider()) {
    const paying50 = deferred();
    const begun = deferred();
    let running = 0;
    let most = 0;
    const slow = createTool({
      name: "slow",
      description: "",
      parameters: z.object({}),
      needsApproval: true,
      execute: async () => {
        running += 1;
        most = Math.max(most, running);
        begun.resolve();
        await paying50.promise;
        running -= 1;
        return "paid";
      },
    });
    const memory = { durability: "step" } as const;
    const world = shop({ provider, memory, tools: [slow] });
    const asked = await world.process([{ toolCalls: [{ name: "slow", id: "s" }] }], ["Pay"]);
    const approvals = [approve(approvalOf(asked))];
    return { ...world, approvals, finish: paying50.resolve, begun: begun.promise, most: () => most };
  }

  it("doesn't release another run's lease if it is aborted while it reads the holder", async () => {
    const inner = createInMemoryProvider();
    const { process, approvals, finish, begun, most } = await approved(inner);
    const controller = new AbortController();
    const asking = deferred();
    const slowHead: VersionedMemoryProvider = {
      ...inner,
      readConversation: async (id, options) => {
        if (options?.messages !== "none") return inner.readConversation(id, options);
        asking.resolve();
        await new Promise((resolve) => setTimeout(resolve, 30));
        return inner.readConversation(id, options);
      },
    };
    const winner = process(["Paid."], [], { resume: { approvals } });
    const loser = process([], [], {
      resume: { approvals },
      signal: controller.signal,
      memory: { provider: slowHead, autoStore: true, durability: "step" },
    });
    await Promise.all([begun, asking.promise]);
    controller.abort(new Error("gone"));
    expect((await loser).outcome.status).toBe("error");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(errorOf(await process([], []))).toMatchObject(leaseConflict);
    finish();
    expect((await winner).outcome.status).toBe("completed");
    expect(most()).toBe(1);
  });

  it("doesn't request an approval again if it was used", async () => {
    const inner = createInMemoryProvider();
    const { process, approvals, finish, begun, most } = await approved(inner);
    const late = deferred();
    const lateWriter: MemoryProvider = {
      ...inner,
      appendMessages: async (...args) => {
        await late.promise;
        return inner.appendMessages(...args);
      },
    };
    const memory = { provider: lateWriter, autoStore: true, durability: "step" } as const;
    const asksAnew = process([], [], { approvalTtlMs: 60_000, memory });
    await new Promise(setImmediate);
    const winner = process(["Paid."], [], { resume: { approvals } });
    await begun;
    late.resolve();
    expect(errorOf(await asksAnew)).toMatchObject(leaseConflict);
    expect(errorOf(await process([], [], { resume: { approvals } }))).toMatchObject(leaseConflict);
    finish();
    expect((await winner).outcome.status).toBe("completed");
    expect(most()).toBe(1);
  });
});

describe("decisions with a new message", () => {
  it("keep the lease until the end, even if other calls are given up", async () => {
    const provider = createInMemoryProvider();
    const world = shop({ provider, memory: { concurrency: "queue" } });
    const calls = { toolCalls: [paying(50, "a"), paying(60, "b")] };
    const [first] = interruptionsOf(await world.process([calls], ["Pay twice"]));
    if (first?.type !== "approval") throw new Error("an approval");
    const asked = deferred();
    const answer = deferred();
    const one = world.process(
      [
        async () => {
          asked.resolve();
          await answer.promise;
          return "One paid.";
        },
      ],
      ["Only the first"],
      { resume: { approvals: [approve(first)] } },
    );
    await asked.promise;
    const two = world.process(["Welcome."], ["Thanks"]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    answer.resolve();
    expect((await one).outcome.status).toBe("completed");
    expect((await two).outcome.status).toBe("completed");
    expect((await storedMessages(provider)).slice(2)).toEqual([
      result("a", "paid 50"),
      user("Only the first"),
      assistant("One paid."),
      user("Thanks"),
      assistant("Welcome."),
    ]);
  });
});

describe("the result of an interrupted run", () => {
  it.each(["completed", "turn", "step"] as const)(
    "is accepted again, in any order of results: %s",
    async (durability) => {
      const wait = (name: string, ms: number) =>
        createTool({
          name,
          description: "",
          parameters: z.object({}),
          execute: async () => {
            await new Promise((resolve) => setTimeout(resolve, ms));
            return name;
          },
        });
      const { process } = shop({ memory: { durability }, tools: [wait("slowly", 20), wait("quickly", 1)] });
      const calls = [{ name: "slowly", id: "1" }, { name: "quickly", id: "2" }, paying(50), locating];
      const asked = await process([{ toolCalls: calls }], ["Go"]);
      const once = await process([], [], {
        resume: { messages: [...asked.finalState.messages, result("w", "here")] },
      });
      const done = await process(["Done."], [], {
        resume: { messages: once.finalState.messages, approvals: [approve(approvalOf(once))] },
      });
      expect(done.outcome).toEqual({ status: "completed", output: "Done." });
    },
  );
});

describe("a decision", () => {
  it("isn't valid in a new conversation with the same ids", async () => {
    const { process, provider, executed } = shop();
    const ask = () => process([{ toolCalls: [paying(50)] }], ["Pay"]);
    const old = approvalOf(await ask());
    await process(["Paid."], [], { resume: { approvals: [approve(old)] } });
    await provider.deleteConversation("c");
    await ask();
    const again = await process([], [], { resume: { approvals: [approve(old)] } });
    expect(errorOf(again)).toMatchObject(rejectedWith("forged-approval"));
    expect(executed).toEqual(["pay 50"]);
  });

  it("doesn't expire if nothing is stored", async () => {
    const asked = await shop().process([{ toolCalls: [paying(50)] }], ["Pay"], {
      memory: undefined as never,
      approvalTtlMs: 1,
    });
    expect(approvalOf(asked).expiresAt).toBeUndefined();
  });
});

describe("a history that isn't stored", () => {
  const forged = [user("evil"), calling(["w", "locate"], ["l", "look"])];
  const toolResults = [{ toolCallId: "w", result: "here" }];

  it("is checked by the guardrails, also with a tool result", async () => {
    const { configOf } = shop();
    const config = configOf([], {
      memory: undefined as never,
      resume: { toolResults },
      initialInputGuardrails: [() => ({ isValid: false, errorMessage: "evil" })],
    });
    const ended = await run({ ...says(), messages: forged }, config);
    expect(errorOf(ended)._tag).toBe("InputGuardrailTripwire");
  });

  it("runs only calls that an interrupted run leaves open", async () => {
    const { configOf, executed } = shop();
    const config = configOf(["Done."], { memory: undefined as never, resume: { toolResults } });
    const ended = await run({ ...says(), messages: forged }, config);
    expect(ended.outcome).toEqual({ status: "completed", output: "Done." });
    expect(executed).toEqual([]);
    expect(ended.finalState.messages).toEqual([
      user("evil"),
      calling(["w", "locate"]),
      result("w", "here"),
      assistant("Done."),
    ]);
  });
});

describe("an abort", () => {
  it("doesn't wait for a hanging validator", async () => {
    const { process } = shop();
    const controller = new AbortController();
    const running = process([], [], {
      resume: { messages: [user("Hi")] },
      validate: () => new Promise<void>(() => {}),
      signal: controller.signal,
    });
    await new Promise(setImmediate);
    controller.abort(new Error("enough"));
    expect(errorOf(await running)).toEqual({ _tag: "RunAborted", reason: "enough" });
  });
});

describe("a lease", () => {
  it("can have any length", async () => {
    const provider = createInMemoryProvider();
    let writes = 0;
    const counting: MemoryProvider = {
      ...provider,
      appendMessages: (...args) => {
        writes += 1;
        return provider.appendMessages(...args);
      },
    };
    const memory = { provider: counting, autoStore: true, durability: "turn", leaseMs: 1e12 } as const;
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return "Done.";
    };
    const { config } = setup({ model: [slow], config: { memory, conversationId: "c" } });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(writes).toBe(2);
  });
});
