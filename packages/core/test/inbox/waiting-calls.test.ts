import { describe, expect, it } from "vitest";
import { approve, reject, runInbox } from "../../src/index.ts";
import { inboxWorld, OWNER } from "../support/inbox.ts";
import { approvalOf, interruptionsOf, locating, looking, paying, shop } from "../support/interrupted.ts";

/** The shop of the approval tests with an inbox. */
function shopWithInbox(durability: "completed" | "turn" | "step") {
  const world = inboxWorld();
  const { provider, inbox } = world;
  return { ...world, ...shop({ provider, memory: { inbox: runInbox(inbox), durability, userId: OWNER } }) };
}

describe.each(["completed", "turn", "step"] as const)(
  "messages while calls wait, durability %s",
  (durability) => {
    it("wait, too, and are taken once the calls are answered", async () => {
      const { process, send, said, waiting, executed } = shopWithInbox(durability);
      const approval = approvalOf(await process([{ toolCalls: [paying(20)] }], ["Pay"]));
      await send("and hurry");
      // Asked again, the run waits for the same and gives nothing up.
      expect(approvalOf(await process([], [])).approvalId).toBe(approval.approvalId);
      expect(await waiting()).toHaveLength(1);
      await process(["Paid."], [], { resume: { approvals: [approve(approval)] } });
      expect(executed).toEqual(["pay 20"]);
      expect((await said()).slice(2)).toEqual(["tool: paid 20", "user: and hurry", "assistant: Paid."]);
      expect(await waiting()).toEqual([]);
    });

    it("are taken after a rejection, too", async () => {
      const { process, send, said } = shopWithInbox(durability);
      const approval = approvalOf(await process([{ toolCalls: [paying(20)] }], ["Pay"]));
      await send("or don't");
      await process(["Well."], [], { resume: { approvals: [reject(approval, "no")] } });
      expect((await said()).slice(3)).toEqual(["user: or don't", "assistant: Well."]);
    });

    it("wait on while other calls still wait", async () => {
      const { process, send, said, waiting } = shopWithInbox(durability);
      const calls = { toolCalls: [paying(20), paying(30, "q"), locating, looking] };
      const [first, second] = interruptionsOf(await process([calls], ["Pay"]));
      if (first?.type !== "approval" || second?.type !== "approval") throw new Error("no approvals");
      await send("one");
      interruptionsOf(await process([], [], { resume: { approvals: [approve(first)] } }));
      expect(await waiting()).toHaveLength(1);
      expect(await said()).not.toContain("user: one");
      const toolResults = [{ toolCallId: "w", result: "here" }];
      await process(["All done."], [], { resume: { approvals: [approve(second)], toolResults } });
      expect((await said()).slice(-2)).toEqual(["user: one", "assistant: All done."]);
    });

    it("follow a message that gives the calls up", async () => {
      const { process, send, said } = shopWithInbox(durability);
      approvalOf(await process([{ toolCalls: [paying(20)] }], ["Pay"]));
      await send("one");
      await process(["OK."], ["Forget it"]);
      expect((await said()).slice(-3)).toEqual(["user: Forget it", "user: one", "assistant: OK."]);
    });
  },
);
