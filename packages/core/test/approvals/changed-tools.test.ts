import type { VersionedMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type ApprovalRequest,
  approve,
  type ChangedCall,
  createTool,
  JAFErrorHandler,
  type OnToolChange,
  reject,
} from "../../src/index.ts";
import type { ScriptedCall } from "../../src/testing/index.ts";
import { type AnyTool, PAY, type Paying, paying, SHOWN, world } from "../support/deployments.ts";
import { approvalOf, interruptionsOf } from "../support/interrupted.ts";
import { errorOf } from "../support/setup.ts";

/** A store in which another agent has each conversation that waits. */
function withOtherAgent(store: VersionedMemoryProvider): VersionedMemoryProvider {
  return {
    ...store,
    readConversation: async (...request) => {
      const read = await store.readConversation(...request);
      if (!read.success || read.data.conversation === null) return read;
      const { conversation } = read.data;
      const jaf = conversation.metadata?.["jaf"] as { readonly toolCallScope?: string } | undefined;
      if (conversation.metadata?.["jafApprovals"] === undefined || jaf === undefined) return read;
      const metadata = { ...conversation.metadata, jaf: { ...jaf, agentName: "other" } };
      return { ...read, data: { ...read.data, conversation: { ...conversation, metadata } } };
    },
  } as VersionedMemoryProvider;
}

const withNote = z.object({ cents: z.number().default(100), to: z.string(), note: z.string().optional() });
const otherDefault = z.object({ cents: z.number().default(999), to: z.string() });

/** What a deployment changes, and what comes of it under each policy. */
const WAYS: readonly {
  readonly way: string;
  readonly now: Paying | undefined;
  readonly otherAgent?: true;
  /** The difference that is shown. `undefined`: the tool is gone. */
  readonly changed?: object;
  readonly code?: string;
  /** What runs once the new request is approved. */
  readonly args?: unknown;
  /** Whether the call runs as it was approved if the policy says so. */
  readonly runs?: true;
}[] = [
  {
    way: "another schema",
    now: { parameters: withNote },
    changed: {
      parameters: {
        before: expect.not.stringContaining("note"),
        after: expect.stringContaining('"note":{"type":"string"}'),
      },
    },
    code: "changed-tool",
    args: SHOWN,
    runs: true,
  },
  { way: "another name", now: { name: "transfer" } },
  { way: "no such tool", now: undefined },
  {
    way: "another agent",
    now: {},
    otherAgent: true,
    changed: { agent: { before: expect.stringMatching(/helper|expert/), after: "other" } },
    code: "changed-tool",
    args: SHOWN,
  },
  {
    way: "another default",
    now: { parameters: otherDefault },
    changed: { arguments: { before: '{"cents":100,"to":"Bob"}', after: '{"cents":999,"to":"Bob"}' } },
    code: "changed-arguments",
    args: { cents: 999, to: "Bob" },
    runs: true,
  },
];

const EACH = (["own", "nested"] as const).flatMap((where) => WAYS.map((way) => ({ where, ...way })));

describe.each(EACH)("a call that waits ($where) and gets $way", ({ where, now, otherAgent, ...expected }) => {
  const { changed, code, args, runs } = expected;

  async function waiting(onToolChange?: OnToolChange) {
    const before = paying();
    const after = paying(now);
    const { store, deploy } = world(where);
    const shown = approvalOf(await deploy({ tools: [before.tool] }).says("Pay"));
    expect(shown).toMatchObject({ args: SHOWN });
    expect(shown).not.toHaveProperty("changed");
    const deployed = deploy({
      tools: now === undefined ? [] : [after.tool],
      ...(otherAgent && { provider: withOtherAgent(store) }),
      ...(onToolChange && { onToolChange }),
    });
    return { ...deployed, shown, store, paid: after.paid, ranBefore: before.paid };
  }

  const outdated = (reason: string) => ({ _tag: "CallOutdated", tool: "pay", reason });

  async function endsWith(reason: string, policy?: OnToolChange) {
    const { shown, decide, says: say, paid, ranBefore } = await waiting(policy);
    expect(errorOf(await say())).toMatchObject(outdated(reason));
    expect(errorOf(await decide(approve(shown)))).toMatchObject(outdated(reason));
    expect(errorOf(await decide(reject(shown)))).toMatchObject(outdated(reason));
    const error = errorOf(await say());
    expect(JAFErrorHandler.format(error)).toMatch(/"pay".*Send a new message/);
    expect((await say("Never mind")).outcome).toEqual({ status: "completed", output: "Fine." });
    expect([...paid, ...ranBefore]).toEqual([]);
  }

  async function asksAgain(policy?: OnToolChange) {
    const { shown, decide, says: say, paid, ranBefore } = await waiting(policy);
    expect(errorOf(await decide(approve(shown)))).toMatchObject({
      ...{ _tag: "ContinuationRejected", code, index: 0 },
      reason: expect.stringContaining("run again"),
    });
    expect(errorOf(await decide(reject(shown)))).toMatchObject({ code });
    const again = approvalOf(await say());
    expect(again).toMatchObject({ toolCallId: shown.toolCallId, toolName: "pay", args });
    expect(again.changed).toEqual(changed);
    expect(again.approvalId).not.toBe(shown.approvalId);
    expect(approvalOf(await say())).toEqual(again);
    expect([...paid, ...ranBefore]).toEqual([]);
    expect((await decide(approve(again))).outcome).toMatchObject({ status: "completed" });
    expect(paid).toEqual([args]);
    expect(ranBefore).toEqual([]);
  }

  it("is asked about again by default, and not if the tool is gone", () =>
    changed === undefined ? endsWith("gone") : asksAgain());

  it("is asked about again with a function that says so", () =>
    changed === undefined ? endsWith("gone", () => "ask") : asksAgain(async () => "ask" as const));

  it("runs with what was approved, if the policy says so and it can", async () => {
    if (changed === undefined) return endsWith("gone", "run");
    if (runs === undefined) return asksAgain("run");
    const { shown, decide, says: say, paid } = await waiting("run");
    expect(approvalOf(await say())).toEqual(shown);
    expect(paid).toEqual([]);
    expect((await decide(approve(shown))).outcome.status).toBe("completed");
    expect(paid).toEqual([SHOWN]);
  });

  it("ends the turn, if the policy says so", () =>
    endsWith(changed === undefined ? "gone" : "changed", "end"));
});

describe.each(["own", "nested"] as const)("a call that waits (%s)", (where) => {
  it("waits on if its tool needs no approval any more", async () => {
    const before = paying();
    const after = paying({ needsApproval: false });
    const { deploy } = world(where);
    const shown = approvalOf(await deploy({ tools: [before.tool] }).says("Pay"));
    for (const onToolChange of ["ask", "run", "end"] as const) {
      const deployed = deploy({ tools: [after.tool], onToolChange });
      expect(approvalOf(await deployed.says())).toEqual(shown);
    }
    expect(after.paid).toEqual([]);
    await deploy({ tools: [after.tool] }).decide(approve(shown));
    expect(after.paid).toEqual([SHOWN]);
  });

  it("isn't run by the client if its tool has lost its execute", async () => {
    const { deploy } = world(where);
    const shown = approvalOf(await deploy({ tools: [paying().tool] }).says("Pay"));
    const client = createTool({
      name: "pay",
      description: "Pays",
      parameters: paying().tool.schema.parameters,
    });
    const deployed = deploy({ tools: [client], onToolChange: "run" });
    expect(errorOf(await deployed.says())).toMatchObject({ _tag: "CallOutdated", reason: "gone" });
    expect(errorOf(await deployed.decide(approve(shown)))).toMatchObject({ reason: "gone" });
  });

  it.each([
    ["ask", { description: "Pays at once" }],
    ["run", { parameters: otherDefault }],
  ] as const)("is decided about by the policy %s if it was approved and didn't run", async (policy, now) => {
    const { deploy } = world(where);
    const abort = new AbortController();
    const dying: AnyTool = {
      ...paying().tool,
      execute: () => {
        abort.abort();
        return new Promise(() => {});
      },
    };
    const first = deploy({ tools: [dying], config: { signal: abort.signal } });
    const shown = approvalOf(await first.says("Pay"));
    await first.decide(approve(shown));
    const after = paying(now);
    const second = deploy({ tools: [after.tool], onToolChange: policy });
    const resumed = await second.says();
    if (policy === "ask") {
      const again = approvalOf(resumed);
      expect(again.changed).toEqual({ description: { before: "Pays", after: "Pays at once" } });
      expect(after.paid).toEqual([]);
      await second.decide(approve(again));
    }
    expect(after.paid).toEqual([SHOWN]);
  });
});

describe("an agent as a tool", () => {
  it("never runs a call of its agent if it is gone", async () => {
    const { tool, paid } = paying();
    const { deploy } = world("nested");
    const shown = approvalOf(await deploy({ tools: [tool] }).says("Pay"));
    const renamed = deploy({ tools: [tool], asking: { description: "", name: "consult" } });
    expect(errorOf(await renamed.decide(approve(shown)))).toMatchObject({ code: "forged-approval" });
    expect((await renamed.says()).outcome).toMatchObject({
      output: expect.stringContaining("TOOL_NOT_FOUND"),
    });
    expect(paid).toEqual([]);
  });

  it("is asked about again if it needs an approval and changes, before and after its agent has begun", async () => {
    const { tool, paid } = paying();
    const { deploy } = world("nested");
    const asking = (description: string) =>
      deploy({ tools: [tool], asking: { description, needsApproval: true } });
    const first = asking("Asks the expert");
    const shown = approvalOf(await first.says("Pay"));
    const second = asking("Asks another expert");
    expect(errorOf(await second.decide(approve(shown)))).toMatchObject({ code: "changed-tool" });
    const again = approvalOf(await second.says());
    expect(again.changed).toEqual({
      description: { before: "Asks the expert", after: "Asks another expert" },
    });
    const inner = approvalOf(await second.decide(approve(again)));
    expect(inner).toMatchObject({ toolCallId: "a/p" });
    const third = asking("Asks a third expert");
    expect(errorOf(await third.decide(approve(inner)))).toMatchObject({ _tag: "ContinuationRejected" });
    expect(approvalOf(await third.says())).toMatchObject({ toolCallId: "a", changed: { description: {} } });
    expect(paid).toEqual([]);
    expect(approvalOf(await second.says())).toEqual(inner);
    expect((await second.decide(approve(inner))).outcome.status).toBe("completed");
    expect(paid).toEqual([SHOWN]);
  });
});

describe("the policy", () => {
  it("gets the call and the difference, and decides for each call", async () => {
    const seen: ChangedCall[] = [];
    const other: ScriptedCall = { id: "q", name: "send", arguments: { to: "Eve" } };
    const { deploy } = world("own", [PAY, other]);
    const send = paying({ name: "send" });
    const before = deploy({ tools: [paying().tool, send.tool] });
    const [pay, sent] = interruptionsOf(await before.says("Pay")) as readonly ApprovalRequest[];
    if (pay === undefined || sent === undefined) throw new Error("two approvals");
    const after = paying({ description: "Pays at once" });
    const onToolChange: OnToolChange = (call) => {
      seen.push(call);
      return "ask";
    };
    const deployed = deploy({ tools: [after.tool, send.tool], onToolChange });
    expect(errorOf(await deployed.decide(approve(sent), approve(pay)))).toMatchObject({
      ...{ code: "changed-tool", index: 1 },
    });
    expect(send.paid).toEqual([]);
    const asked = interruptionsOf(await deployed.decide(approve(sent))) as readonly ApprovalRequest[];
    expect(asked).toMatchObject([{ toolCallId: "p", changed: { description: { after: "Pays at once" } } }]);
    expect(send.paid).toEqual([{ cents: 100, to: "Eve" }]);
    expect(seen[0]).toEqual({
      ...{ toolCallId: "p", toolName: "pay", agentName: "helper", model: "default" },
      changed: { description: { before: "Pays", after: "Pays at once" } },
    });
    expect(Object.isFrozen(seen[0])).toBe(true);
    expect((await deployed.decide(approve(asked[0] as ApprovalRequest))).outcome.status).toBe("completed");
    expect(after.paid).toEqual([SHOWN]);
  });

  it("ends the whole turn for one of several calls, and none runs", async () => {
    const other: ScriptedCall = { id: "q", name: "send", arguments: { to: "Eve" } };
    const { deploy } = world("own", [PAY, other]);
    const send = paying({ name: "send" });
    const before = deploy({ tools: [paying().tool, send.tool] });
    const [, sent] = interruptionsOf(await before.says("Pay")) as readonly ApprovalRequest[];
    const deployed = deploy({ tools: [send.tool] });
    const ended = await deployed.decide(approve(sent as ApprovalRequest));
    expect(errorOf(ended)).toMatchObject({ _tag: "CallOutdated", tool: "pay", reason: "gone" });
    expect(send.paid).toEqual([]);
  });

  it("runs no arguments that the new schema changes", async () => {
    const { deploy } = world("own");
    const shown = approvalOf(await deploy({ tools: [paying().tool] }).says("Pay"));
    const after = paying({
      parameters: z.object({ to: z.string(), cents: z.number().default(1), at: z.string().default("now") }),
    });
    const deployed = deploy({ tools: [after.tool], onToolChange: "run" });
    expect(errorOf(await deployed.decide(approve(shown)))).toMatchObject({ code: "changed-arguments" });
    expect(approvalOf(await deployed.says()).args).toEqual({ to: "Bob", cents: 1, at: "now" });
    expect(after.paid).toEqual([]);
  });

  it("runs long arguments only as the call parses to them, since only their hash is stored", async () => {
    const long = "x".repeat(5_000);
    const { deploy, store } = world("own", [{ ...PAY, arguments: { to: long } }]);
    const shown = approvalOf(await deploy({ tools: [paying().tool] }).says("Pay"));
    const stored = await store.getConversation("c");
    expect(JSON.stringify(stored.success && stored.data?.metadata?.["jafApprovals"])).not.toContain(long);
    const other = paying({ parameters: otherDefault });
    const refused = await deploy({ tools: [other.tool], onToolChange: "run" }).decide(approve(shown));
    expect(errorOf(refused)).toMatchObject({ code: "changed-arguments" });
    expect(other.paid).toEqual([]);
    const again = approvalOf(await deploy({ tools: [other.tool] }).says());
    expect(again.changed).toEqual({ arguments: {} });
    const after = paying({ description: "Pays at once" });
    await deploy({ tools: [after.tool], onToolChange: "run" }).decide(approve(shown));
    expect(after.paid).toEqual([{ cents: 100, to: long }]);
  });

  it("must be one of its values or a function", async () => {
    const { deploy } = world("own");
    const config = { onToolChange: "runs" as never };
    expect(errorOf(await deploy({ tools: [], config }).says("Hi"))).toMatchObject({
      detail: expect.stringContaining('expected "ask", "run", "end" or a function'),
    });
  });

  it("ends the run with an InternalError if it throws, and nothing runs", async () => {
    const { deploy } = world("own");
    const shown = approvalOf(await deploy({ tools: [paying().tool] }).says("Pay"));
    const after = paying({ description: "Pays at once" });
    const onToolChange = () => {
      throw new Error("no policy");
    };
    const ended = await deploy({ tools: [after.tool], onToolChange }).decide(approve(shown));
    expect(errorOf(ended)).toMatchObject({ _tag: "InternalError" });
    expect(after.paid).toEqual([]);
  });
});

describe("a difference", () => {
  it("isn't made by defaults that are computed", async () => {
    let count = 0;
    const parameters = z.object({ cents: z.number().default(() => ++count), to: z.string() });
    const { deploy } = world("own", [{ ...PAY, arguments: { to: "Bob", cents: 5 } }]);
    const { tool, paid } = paying({ parameters });
    const shown = approvalOf(await deploy({ tools: [tool] }).says("Pay"));
    expect(approvalOf(await deploy({ tools: [tool] }).says())).toEqual(shown);
    await deploy({ tools: [tool] }).decide(approve(shown));
    expect(paid).toEqual([{ to: "Bob", cents: 5 }]);
  });

  it("disappears if the tool is again as it was shown", async () => {
    const { deploy } = world("own");
    const { tool, paid } = paying();
    const shown = approvalOf(await deploy({ tools: [tool] }).says("Pay"));
    const again = approvalOf(await deploy({ tools: [paying({ description: "New" }).tool] }).says());
    expect(errorOf(await deploy({ tools: [tool] }).decide(approve(again)))).toMatchObject({
      code: "changed-arguments",
    });
    expect(paid).toEqual([]);
    await deploy({ tools: [tool] }).decide(approve(shown));
    expect(paid).toEqual([SHOWN]);
  });

  it("is shown again when the approval has expired", async () => {
    const { deploy } = world("own");
    const config = { approvalTtlMs: 0 };
    const shown = approvalOf(await deploy({ tools: [paying().tool], config }).says("Pay"));
    const after = paying({ description: "New" });
    const deployed = deploy({ tools: [after.tool], config });
    const again = approvalOf(await deployed.says());
    expect(again.changed).toEqual({ description: { before: "Pays", after: "New" } });
    expect(errorOf(await deployed.decide(approve(shown)))).toMatchObject({ code: "forged-approval" });
    expect(errorOf(await deployed.decide(approve(again)))).toMatchObject({ code: "expired-approval" });
    const renewed = approvalOf(await deploy({ tools: [after.tool] }).says());
    expect(renewed.changed).toEqual(again.changed);
    expect(after.paid).toEqual([]);
  });

  it("comes with the event, and with a decision by the client's copy or token", async () => {
    const { deploy } = world("own");
    const asked = await deploy({ tools: [paying().tool] }).says("Pay");
    const approvals = [approve(approvalOf(asked))];
    const after = paying({ description: "New" });
    const { messages } = asked.finalState;
    const { historyToken } = asked;
    if (historyToken === undefined) throw new Error("no token");
    for (const resume of [
      { messages, approvals },
      { historyToken, approvals },
    ]) {
      const config = { resume };
      const refused = await deploy({ tools: [after.tool], config }).says();
      expect(errorOf(refused)).toMatchObject({ code: "changed-tool", index: 0 });
      const ended = await deploy({ tools: [after.tool], config, onToolChange: "end" }).says();
      expect(errorOf(ended)).toMatchObject({ _tag: "CallOutdated", reason: "changed" });
    }
    const deployed = deploy({ tools: [after.tool] });
    const again = approvalOf(await deployed.says());
    const event = deployed.events.find(({ type }) => type === "interruption");
    expect(event?.data).toEqual({ interruption: again });
    const config = { resume: { messages, approvals: [approve(again)] } };
    expect((await deploy({ tools: [after.tool], config }).says()).outcome.status).toBe("completed");
    expect(after.paid).toEqual([SHOWN]);
  });
});
