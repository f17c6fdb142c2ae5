import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { approve, type Interruption, reject, run } from "../../src/index.ts";
import { agentTree, asks, waitingIds } from "../support/agent-tree.ts";
import { user } from "../support/setup.ts";

const approvalsIn = (interruptions: readonly Interruption[]) =>
  interruptions.flatMap((waiting) => (waiting.type === "approval" ? [waiting] : []));

describe("an agent as a tool", () => {
  it("answers with its output, in a child conversation that isn't listed and is erased with the outer one", async () => {
    const provider = createInMemoryProvider();
    const { config, executed } = agentTree({ provider, asking: [] });
    const { outcome } = await run(asks(user("work")), config);
    expect(outcome).toEqual({
      status: "completed",
      output: "front did work; expert did work; intern did work",
    });
    expect(executed).toEqual(["front: work", "expert: work", "intern: work"]);
    const listed = await provider.findConversations({ userId: "ada" });
    expect(listed.success && listed.data.map(({ conversationId }) => conversationId)).toEqual(["outer"]);
    const children = await provider.findConversations({ childrenOf: "outer" });
    const [child] = children.success ? children.data : [];
    expect(child).toMatchObject({ userId: "ada", metadata: { childOf: "outer" } });
    expect(child?.messages).toHaveLength(5);
    const inner = await provider.findConversations({ childrenOf: child?.conversationId ?? "" });
    const [grandchild] = inner.success ? inner.data : [];
    expect(grandchild?.messages).toHaveLength(4);
    await provider.deleteConversation("outer");
    for (const id of [child?.conversationId, grandchild?.conversationId])
      expect(await provider.getConversation(id ?? "")).toEqual({ success: true, data: null });
  });

  it.each(["completed", "turn", "step"] as const)(
    "waits for the approvals of each depth, and resumes each: %s",
    async (durability) => {
      const provider = createInMemoryProvider();
      const { config, executed } = agentTree({ provider, durability });
      const first = await run(asks(user("work")), config);
      if (first.outcome.status !== "interrupted") throw new Error(JSON.stringify(first.outcome));
      expect(waitingIds(first.outcome.interruptions)).toEqual([
        "approval front call_1",
        "approval expert call_2/call_1",
        "approval intern call_2/call_2/call_1",
      ]);
      const again = await run(asks(), config);
      expect(again.outcome).toEqual(first.outcome);
      expect(executed).toEqual([]);
      const [own, middle, deepest] = approvalsIn(first.outcome.interruptions);
      if (own === undefined || middle === undefined || deepest === undefined) throw new Error("no approvals");
      const second = await run(asks(), { ...config, resume: { approvals: [approve(deepest)] } });
      if (second.outcome.status !== "interrupted") throw new Error(JSON.stringify(second.outcome));
      expect(waitingIds(second.outcome.interruptions)).toEqual([
        "approval front call_1",
        "approval expert call_2/call_1",
      ]);
      expect(executed).toEqual(["intern: work"]);
      const third = await run(asks(), {
        ...config,
        resume: { approvals: [approve(own), reject(middle, "not now")] },
      });
      expect(third.outcome.status).toBe("completed");
      expect(executed).toEqual(["intern: work", "front: work"]);
      expect(third.outcome).toMatchObject({ output: expect.stringContaining("intern did work") });
      expect(third.outcome).toMatchObject({ output: expect.stringContaining("not now") });
    },
  );

  it("refuses all decisions if a nested one is forged or made twice", async () => {
    const provider = createInMemoryProvider();
    const { config, executed } = agentTree({ provider });
    const first = await run(asks(user("work")), config);
    if (first.outcome.status !== "interrupted") throw new Error("not interrupted");
    const [own, middle, deepest] = approvalsIn(first.outcome.interruptions);
    if (own === undefined || middle === undefined || deepest === undefined) throw new Error("no approvals");
    const codeFor = async (approvals: readonly Parameters<typeof approve>[0][]) => {
      const { outcome } = await run(asks(), { ...config, resume: { approvals: approvals.map(approve) } });
      return outcome.status === "error" && outcome.error._tag === "ContinuationRejected"
        ? [outcome.error.code, outcome.error.index]
        : outcome.status;
    };
    expect(await codeFor([own, { ...deepest, approvalId: middle.approvalId }])).toEqual([
      "forged-approval",
      1,
    ]);
    expect(await codeFor([own, { ...deepest, toolCallId: middle.toolCallId }])).toEqual([
      "forged-approval",
      1,
    ]);
    expect(await codeFor([middle, own, middle])).toEqual(["duplicate-approval", 2]);
    expect(executed).toEqual([]);
    expect(await codeFor([own, middle, deepest])).toBe("completed");
    expect(executed.toSorted()).toEqual(["expert: work", "front: work", "intern: work"]);
  });
});
