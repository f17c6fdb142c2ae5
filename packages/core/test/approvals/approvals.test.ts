import type { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type ApprovalRequest,
  approve,
  createTool,
  handoffTool,
  JAFErrorHandler,
  reject,
  run,
} from "../../src/index.ts";
import { approvalOf, interruptionsOf, locating, looking, paying, shop } from "../support/interrupted.ts";
import { assistant, calling, errorOf, result, says, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const rejectedWith = (code: string) => ({ _tag: "ContinuationRejected", code });

describe.each(["completed", "turn", "step"] as const)(
  "a call that needs an approval, durability %s",
  (durability) => {
    const memory = { durability };

    it("interrupts the run, and another process continues it after the approval", async () => {
      const { process, executed, provider } = shop({ memory });
      const asked = await process([{ toolCalls: [paying(50)] }], ["Pay 50"]);
      const request = approvalOf(asked);
      expect(request).toMatchObject({
        type: "approval",
        toolCallId: "p",
        toolName: "pay",
        args: { amount: 50 },
        arguments: '{"amount":50}',
        agentName: "helper",
      });
      expect(executed).toEqual([]);
      const call = calling(["p", "pay", '{"amount":50}']);
      expect(await storedMessages(provider)).toEqual([user("Pay 50"), call]);
      expect(asked.finalState.messages).toEqual([user("Pay 50"), call]);

      const done = await process(["Paid."], [], { resume: { approvals: [approve(request)] } });
      expect(done.outcome).toEqual({ status: "completed", output: "Paid." });
      expect(executed).toEqual(["pay 50"]);
      const whole = [user("Pay 50"), call, result("p", "paid 50"), assistant("Paid.")];
      expect(await storedMessages(provider)).toEqual(whole);
      expect(done.finalState.messages).toEqual(whole);
    });

    it("is answered with the rejection, and the model continues", async () => {
      const { process, executed, provider } = shop({ memory });
      const request = approvalOf(await process([{ toolCalls: [paying(50)] }], ["Pay 50"]));
      const done = await process(["As you like."], [], {
        resume: { approvals: [reject(request, "too much")] },
      });
      expect(done.outcome).toEqual({ status: "completed", output: "As you like." });
      expect(executed).toEqual([]);
      const answer = (await storedMessages(provider))[2]?.content ?? "";
      expect(JSON.parse(answer)).toMatchObject({
        status: "permission_denied",
        error: { message: "The call was not approved: too much" },
      });
    });

    it("doesn't delay the other calls of its reply", async () => {
      const { process, executed, provider } = shop({ memory });
      const asked = await process([{ toolCalls: [paying(50), looking, paying(5, "small")] }], ["Pay"]);
      const request = approvalOf(asked);
      expect(executed.toSorted()).toEqual(["look", "pay 5"]);
      expect((await storedMessages(provider)).map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "tool",
      ]);
      const done = await process(["Done."], [], { resume: { approvals: [approve(request)] } });
      expect(done.outcome.status).toBe("completed");
      expect(executed.toSorted()).toEqual(["look", "pay 5", "pay 50"]);
      expect(done.finalState.messages.map(({ tool_call_id: id }) => id)).toEqual([
        undefined,
        undefined,
        "p",
        "l",
        "small",
        undefined,
      ]);
    });

    it("never runs twice, even if the run fails afterwards", async () => {
      const { process, executed } = shop({ memory });
      const request = approvalOf(await process([{ toolCalls: [paying(50)] }], ["Pay 50"]));
      const failed = await process([new Error("the model is gone")], [], {
        resume: { approvals: [approve(request)] },
      });
      expect(errorOf(failed)._tag).toBe("ModelCallError");
      expect((await process(["Paid."], [])).outcome).toEqual({ status: "completed", output: "Paid." });
      expect(executed).toEqual(["pay 50"]);
    });

    it("still waits if only other calls were decided, and its approval stays valid", async () => {
      const { process, executed } = shop({ memory });
      const calls = { toolCalls: [paying(50, "a"), paying(60, "b")] };
      const [a, b] = interruptionsOf(await process([calls], ["Pay twice"]));
      if (a?.type !== "approval" || b?.type !== "approval") throw new Error("two approvals");
      const still = approvalOf(await process([], [], { resume: { approvals: [approve(b)] } }));
      expect(still).toEqual(a);
      expect(executed).toEqual(["pay 60"]);
      const done = await process(["Done."], [], { resume: { approvals: [approve(a)] } });
      expect(done.outcome.status).toBe("completed");
      expect(executed).toEqual(["pay 60", "pay 50"]);
    });
  },
);

describe("a run that waits", () => {
  it("reports again what it waits for, without a write", async () => {
    const { process, provider } = shop();
    const first = await process([{ toolCalls: [paying(50), locating] }], ["Pay"]);
    const before = await provider.getConversation("c");
    const again = await process([], []);
    expect(interruptionsOf(again)).toEqual(interruptionsOf(first));
    expect(again.finalState.messages).toEqual(first.finalState.messages);
    expect(await provider.getConversation("c")).toEqual(before);
  });

  it("gives up its calls after a new message, and refuses later decisions", async () => {
    const { process, executed, provider } = shop();
    const request = approvalOf(await process([{ toolCalls: [paying(50)] }], ["Pay"]));
    const done = await process(["Fine."], ["Never mind"]);
    expect(done.outcome).toEqual({ status: "completed", output: "Fine." });
    expect((await storedMessages(provider)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    const late = await process([], [], { resume: { approvals: [approve(request)] } });
    expect(errorOf(late)).toMatchObject(rejectedWith("forged-approval"));
    expect(executed).toEqual([]);
  });

  it("takes a decision and then a new message", async () => {
    const { process, provider } = shop();
    const request = approvalOf(await process([{ toolCalls: [paying(50)] }], ["Pay"]));
    await process(["Both done."], ["And hurry"], { resume: { approvals: [approve(request)] } });
    expect(await storedMessages(provider)).toEqual([
      user("Pay"),
      calling(["p", "pay", '{"amount":50}']),
      result("p", "paid 50"),
      user("And hurry"),
      assistant("Both done."),
    ]);
  });

  it("looks like an error to code that knows two outcomes", async () => {
    const { outcome } = await shop().process([{ toolCalls: [paying(50)] }], ["Pay"]);
    if (outcome.status === "completed") throw new Error("it waits");
    expect(JAFErrorHandler.format(outcome.error)).toBe(
      "The run waits for an approval or for the client, with one tool call.",
    );
  });

  it("makes no handoff of the same reply before its calls are answered", async () => {
    const { process, provider } = shop({ tools: [handoffTool], agent: { handoffs: ["other"] } });
    const handingOff = { name: "handoff", id: "h", arguments: { agentName: "other" } };
    const asked = await process([{ toolCalls: [paying(50), handingOff] }], ["Pay and hand off"]);
    expect(asked.finalState.currentAgentName).toBe("helper");
    expect(await storedMessages(provider)).toHaveLength(2);
    const polled = await process([], []);
    const approvals = [approve(approvalOf(polled))];
    const done = await process([({ agent }) => `I am ${agent.name}.`], [], { resume: { approvals } });
    expect(done.outcome).toEqual({ status: "completed", output: "I am other." });
  });
});

describe("a decision is valid", () => {
  async function waiting(config: { approvalTtlMs?: number } = {}) {
    const world = shop({ memory: { durability: "step" } });
    const asked = await world.process([{ toolCalls: [paying(50)] }], ["Pay"], config);
    return { ...world, request: approvalOf(asked) };
  }

  it("once", async () => {
    const { process, request, executed } = await waiting();
    await process(["Paid."], [], { resume: { approvals: [approve(request)] } });
    const again = await process([], [], { resume: { approvals: [approve(request)] } });
    expect(errorOf(again)).toMatchObject(rejectedWith("forged-approval"));
    expect(executed).toEqual(["pay 50"]);
  });

  it("or the refusal says by its index which decision is not", async () => {
    const { process } = shop();
    const asked = await process([{ toolCalls: [paying(50), paying(60, "q")] }], ["Pay"]);
    const [first, second] = interruptionsOf(asked)
      .filter(({ type }) => type === "approval")
      .map((waiting) => approve(waiting as ApprovalRequest));
    if (first === undefined || second === undefined) throw new Error("two approvals are waited for");
    const refusalOf = async (...approvals: readonly unknown[]) =>
      errorOf(await process([], [], { resume: { approvals: approvals as never } }));
    const at1 = (code: string) => ({ ...rejectedWith(code), index: 1 });
    expect(await refusalOf(first, { ...second, approvalId: "appr_x" })).toMatchObject(at1("forged-approval"));
    expect(await refusalOf(first, first, second)).toMatchObject(at1("duplicate-approval"));
    expect(await refusalOf(first, "yes")).toMatchObject(at1("malformed-approval"));
    expect(await refusalOf({ ...first, approvalId: "appr_x" })).toMatchObject({ index: 0 });
  });

  it("not twice in one request", async () => {
    const { process, request, executed } = await waiting();
    const ended = await process([], [], { resume: { approvals: [approve(request), approve(request)] } });
    expect(errorOf(ended)).toMatchObject(rejectedWith("duplicate-approval"));
    expect(executed).toEqual([]);
  });

  it.each([
    ["an unknown call", { toolCallId: "q" }],
    ["an id of its own making", { approvalId: "appr_x" }],
  ])("not for %s", async (_what, change) => {
    const { process, request, executed } = await waiting();
    const ended = await process([], [], { resume: { approvals: [{ ...approve(request), ...change }] } });
    expect(errorOf(ended)).toMatchObject(rejectedWith("forged-approval"));
    expect(executed).toEqual([]);
  });

  it.each([null, "yes", {}, { toolCallId: "p", approved: true }])(
    "not if it is malformed: %j",
    async (given) => {
      const { process, executed } = await waiting();
      const ended = await process([], [], { resume: { approvals: [given as never] } });
      expect(errorOf(ended)).toMatchObject(rejectedWith("malformed-approval"));
      expect(executed).toEqual([]);
    },
  );

  it("not in another conversation, for other arguments, or for a later equal call", async () => {
    const { process, request, executed, provider } = await waiting();
    const elsewhere = { conversationId: "d" };
    await process([{ toolCalls: [paying(50)] }], ["Pay"], elsewhere);
    const there = await process([], [], { ...elsewhere, resume: { approvals: [approve(request)] } });
    expect(errorOf(there)).toMatchObject(rejectedWith("forged-approval"));

    await process(["Paid."], [], { resume: { approvals: [approve(request)] } });
    for (const amount of [5_000, 50]) {
      await process([{ toolCalls: [paying(amount)] }], [`Pay ${amount}`]);
      const ended = await process([], [], { resume: { approvals: [approve(request)] } });
      expect(errorOf(ended)).toMatchObject(rejectedWith("forged-approval"));
    }
    expect(executed).toEqual(["pay 50"]);
    expect(await storedMessages(provider, "d")).toHaveLength(2);
  });

  it("until it expires; then the approval is requested again with another id", async () => {
    const { process, request, executed } = await waiting({ approvalTtlMs: 1 });
    expect(request.expiresAt).toBeInstanceOf(Date);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const late = await process([], [], { resume: { approvals: [approve(request)] } });
    expect(errorOf(late)).toMatchObject({ ...rejectedWith("expired-approval"), index: 0 });
    const renewed = approvalOf(await process([], [], { approvalTtlMs: 60_000 }));
    expect(renewed.approvalId).not.toBe(request.approvalId);
    const old = await process([], [], { resume: { approvals: [approve(request)] }, approvalTtlMs: 60_000 });
    expect(errorOf(old)).toMatchObject(rejectedWith("forged-approval"));
    await process(["Paid."], [], { resume: { approvals: [approve(renewed)] } });
    expect(executed).toEqual(["pay 50"]);
  });

  it("after a crash before the call, without a second approval", async () => {
    const { process, request, executed, provider } = await waiting();
    const gone = { ...provider, appendMessages: failOnResult(provider.appendMessages) };
    const crashed = await process(["-"], [], {
      resume: { approvals: [approve(request)] },
      memory: { provider: gone, autoStore: true, durability: "step", leaseMs: 1 },
    });
    expect(errorOf(crashed)._tag).toBe("MemoryError");
    const again = await process([], [], {
      resume: { approvals: [approve(request)] },
      memory: { provider, autoStore: true, durability: "step", concurrency: "queue" },
    });
    expect(errorOf(again)).toMatchObject(rejectedWith("duplicate-approval"));
    const done = await process(["Paid."], []);
    expect(done.outcome).toEqual({ status: "completed", output: "Paid." });
    expect(executed).toEqual(["pay 50", "pay 50"]); // The first result was never acknowledged.
  });
});

function failOnResult(append: ReturnType<typeof createInMemoryProvider>["appendMessages"]): typeof append {
  return async (...args) => {
    if (args[1].some(({ role }) => role === "tool")) throw new Error("the process is gone");
    return append(...args);
  };
}

describe("needsApproval", () => {
  const tool = (needsApproval: never) =>
    createTool({ name: "t", description: "", parameters: z.object({}), needsApproval, execute: () => "ran" });
  const called = async (needsApproval: unknown) => {
    const world = shop({ tools: [tool(needsApproval as never)] });
    return {
      ...world,
      ended: await world.process([{ toolCalls: [{ name: "t", id: "t" }] }, "Done."], ["Go"]),
    };
  };

  it.each([false, undefined, () => false, async () => false])("%s lets the call run", async (needed) => {
    expect((await called(needed)).ended.outcome.status).toBe("completed");
  });

  it.each([true, () => true, async () => true, () => undefined])("%s has it wait", async (needed) => {
    expect((await called(needed)).ended.outcome.status).toBe("interrupted");
  });

  it("prevents the call if it throws, and the model gets the reason", async () => {
    const { ended, provider } = await called(() => {
      throw new Error("no rules found");
    });
    expect(ended.outcome.status).toBe("completed");
    expect((await storedMessages(provider))[2]?.content).toContain("no rules found");
  });

  it("isn't called with invalid arguments: the model gets the error", async () => {
    const { process, provider } = shop();
    const invalid = { name: "pay", id: "p", arguments: { amount: "much" } };
    const ended = await process([{ toolCalls: [invalid] }, "Sorry."], ["Pay"]);
    expect(ended.outcome.status).toBe("completed");
    expect((await storedMessages(provider))[2]?.content).toContain("INVALID_INPUT");
  });
});

describe("without a store", () => {
  it("continues an interrupted run from its final state, and no other run with its approval", async () => {
    const { process, executed, configOf } = shop();
    const unstored = { memory: undefined as never };
    const asked = await process([{ toolCalls: [paying(50)] }], ["Pay"], unstored);
    const decided = { ...unstored, resume: { approvals: [approve(approvalOf(asked))] } };
    const elsewhere = { ...says(), messages: asked.finalState.messages };
    expect(errorOf(await run(elsewhere, configOf([], decided)))).toMatchObject(
      rejectedWith("forged-approval"),
    );
    const done = await run(asked.finalState, configOf(["Paid."], decided));
    expect(done.outcome).toEqual({ status: "completed", output: "Paid." });
    expect(executed).toEqual(["pay 50"]);
  });
});
