import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type ApprovalRequest, approve, type createTool, handoffTool, run } from "../../src/index.ts";
import type { ScriptedCall } from "../../src/testing/index.ts";
import { PAY, paying, SHOWN, world } from "../support/deployments.ts";
import { approvalOf, interruptionsOf } from "../support/interrupted.ts";
import { calling, errorOf, says, setup, user } from "../support/setup.ts";

const KEY = "jafApprovals";

async function recordIn(store: MemoryProvider): Promise<unknown> {
  const stored = await store.getConversation("c");
  if (!stored.success) return expect.fail("the store failed");
  const metadata: Readonly<Record<string, unknown>> | undefined = stored.data?.metadata;
  return metadata?.[KEY];
}

/** The store with another record of the calls that wait, in each conversation. `undefined`: with none. */
const recording = (store: VersionedMemoryProvider, record: unknown) =>
  ({
    ...store,
    readConversation: async (...request: Parameters<VersionedMemoryProvider["readConversation"]>) => {
      const read = await store.readConversation(...request);
      if (!read.success || read.data.conversation === null) return read;
      const { conversation } = read.data;
      const { [KEY]: before, ...others }: Readonly<Record<string, unknown>> = conversation.metadata ?? {};
      const metadata = before === undefined || record === undefined ? others : { ...others, [KEY]: record };
      return { ...read, data: { ...read.data, conversation: { ...conversation, metadata } } };
    },
  }) as VersionedMemoryProvider;

describe("the record of calls that wait", () => {
  it("has what each call needs to run later, and each tool once", async () => {
    const second: ScriptedCall = { id: "__proto__", name: "pay", arguments: { to: "Eve", cents: 7 } };
    const { deploy, store } = world("own", [PAY, second]);
    await deploy({ tools: [paying().tool] }).says("Pay");
    const call = { agent: "helper", tool: "pay", model: "default", definition: expect.any(String) };
    expect(await recordIn(store)).toEqual({
      format: 1,
      position: 1,
      calls: [
        { ...call, id: "p", arguments: '{"cents":100,"to":"Bob"}' },
        { ...call, id: "__proto__", arguments: '{"cents":7,"to":"Eve"}' },
      ],
      tools: [{ definition: expect.any(String), description: "Pays", parameters: expect.any(String) }],
    });
  });

  it("has the same hash for a schema of the same meaning, and bounded texts", async () => {
    const [one, two] = await Promise.all(
      [
        z.object({ to: z.string(), cents: z.number().default(1), on: z.boolean() }),
        z.object({ on: z.boolean(), cents: z.number().default(2), to: z.string() }),
      ].map(async (parameters) => {
        const { deploy, store } = world("own", [{ ...PAY, arguments: { to: "Bob", on: true } }]);
        await deploy({ tools: [paying({ parameters }).tool] }).says("Pay");
        return (await recordIn(store)) as { readonly tools: readonly [{ readonly definition: string }] };
      }),
    );
    expect(one?.tools[0].definition).toBe(two?.tools[0].definition);
    const { deploy, store } = world("own");
    await deploy({ tools: [paying({ description: "x".repeat(10_000) }).tool] }).says("Pay");
    expect(JSON.stringify(await recordIn(store)).length).toBeLessThan(1_000);
  });

  it("stays while calls wait, and goes with the next step", async () => {
    const second: ScriptedCall = { id: "q", name: "pay", arguments: { to: "Eve" } };
    const { deploy, store } = world("own", [PAY, second]);
    const { says: say, decide } = deploy({ tools: [paying().tool] });
    const [p, q] = interruptionsOf(await say("Pay")) as readonly ApprovalRequest[];
    const record = await recordIn(store);
    await decide(approve(p as ApprovalRequest));
    expect(await recordIn(store)).toEqual(record);
    await decide(approve(q as ApprovalRequest));
    expect(await recordIn(store)).toBeNull();
  });

  it("goes if the user gives the calls up", async () => {
    const { deploy, store } = world("own");
    const { says: say } = deploy({ tools: [paying().tool] });
    await say("Pay");
    await say("Never mind");
    expect(await recordIn(store)).toBeNull();
  });

  it("is stored by the first run that asks, if the process died before", async () => {
    const { deploy, store } = world("own");
    const call = calling(["p", "pay", '{"to":"Bob"}']);
    await store.appendMessages("c", [user("Pay"), call], {}, { createIfMissing: "unowned" });
    const shown = approvalOf(await deploy({ tools: [paying().tool] }).says());
    expect(await recordIn(store)).toMatchObject({ position: 1, calls: [{ id: "p" }] });
    const after = paying({ description: "New" });
    const refused = await deploy({ tools: [after.tool] }).decide(approve(shown));
    expect(errorOf(refused)).toMatchObject({ code: "changed-tool" });
    expect(after.paid).toEqual([]);
  });

  it("asks about a call that needed no approval when it was stored", async () => {
    const { deploy, store } = world("own");
    const call = calling(["p", "pay", '{"to":"Bob"}']);
    await store.appendMessages("c", [user("Pay"), call], {}, { createIfMissing: "unowned" });
    const { tool, paid } = paying();
    const deployed = deploy({ tools: [tool], onToolChange: "run" });
    const shown = approvalOf(await deployed.says());
    expect(paid).toEqual([]);
    await deployed.decide(approve(shown));
    expect(paid).toEqual([SHOWN]);
  });
});

describe("calls that an older release stored, without the record,", () => {
  it.each(["own", "nested"] as const)("are compared by their arguments, as before (%s)", async (where) => {
    const { deploy, store } = world(where);
    const provider = recording(store, undefined);
    const shown = approvalOf(await deploy({ tools: [paying().tool] }).says("Pay"));
    for (const onToolChange of ["ask", "run", "end"] as const) {
      const other = paying({ parameters: z.object({ to: z.string(), cents: z.number().default(999) }) });
      const deployed = deploy({ tools: [other.tool], provider, onToolChange });
      expect(errorOf(await deployed.decide(approve(shown)))).toMatchObject({ code: "changed-arguments" });
      expect(approvalOf(await deployed.says())).not.toHaveProperty("changed");
      expect(other.paid).toEqual([]);
    }
    const after = paying({ description: "New" });
    const done = await deploy({ tools: [after.tool], provider }).decide(approve(shown));
    expect(done.outcome.status).toBe("completed");
    expect(after.paid).toEqual([SHOWN]);
  });
});

describe.each([
  ["a newer format", { format: 2, position: 1, waiting: [] }],
  ["a newer format without a position", { format: 2, waiting: [] }],
  ["a broken record", { format: 1, position: 1, calls: "p" }],
])("calls with %s", (_what, record) => {
  it.each(["ask", "run"] as const)(
    "are asked about again, and none runs before, policy %s",
    async (onToolChange) => {
      for (const where of ["own", "nested"] as const) {
        const { deploy, store } = world(where);
        const shown = approvalOf(await deploy({ tools: [paying().tool] }).says("Pay"));
        const provider = recording(store, record);
        const written: unknown[] = [];
        const watched = {
          ...provider,
          appendMessages: async (...args: Parameters<VersionedMemoryProvider["appendMessages"]>) => {
            written.push(args[2]?.[KEY]);
            return provider.appendMessages(...args);
          },
        };
        const { tool, paid } = paying({ needsApproval: false });
        const deployed = deploy({ tools: [tool], provider: watched, onToolChange });
        const refused = errorOf(await deployed.decide(approve(shown)));
        expect(refused).toMatchObject({ _tag: "ContinuationRejected", code: "changed-tool" });
        const again = approvalOf(await deployed.says());
        expect(again.changed).toEqual({ isUnknown: true });
        expect(paid).toEqual([]);
        expect((await deployed.decide(approve(again))).outcome.status).toBe("completed");
        expect(paid).toEqual([SHOWN]);
        expect(written.filter((value) => value !== undefined)).toEqual([]);
      }
    },
  );

  it("end the turn, if the policy says so or the tool is gone", async () => {
    const { deploy, store } = world("own");
    const shown = approvalOf(await deploy({ tools: [paying().tool] }).says("Pay"));
    const provider = recording(store, record);
    const { tool, paid } = paying();
    const ended = await deploy({ tools: [tool], provider, onToolChange: "end" }).decide(approve(shown));
    expect(errorOf(ended)).toMatchObject({ _tag: "CallOutdated", reason: "changed" });
    const gone = await deploy({ tools: [], provider }).says();
    expect(errorOf(gone)).toMatchObject({ _tag: "CallOutdated", reason: "gone" });
    expect(paid).toEqual([]);
  });
});

describe("a handoff beside a call that waits", () => {
  it("is made once the call has run, also if the call is asked about again", async () => {
    const handoff: ScriptedCall = { id: "h", name: "handoff", arguments: { agentName: "other" } };
    const { deploy, store } = world("own", [PAY, handoff]);
    const agent = (tool: ReturnType<typeof createTool>) => ({ tools: [tool, handoffTool] });
    const config = (tool: ReturnType<typeof createTool>) => ({
      agentRegistry: new Map([
        ["helper", { name: "helper", instructions: "", handoffs: ["other"], ...agent(tool) }],
        ["other", { name: "other", instructions: "" }],
      ]),
    });
    const before = paying().tool;
    const shown = approvalOf(await deploy({ tools: [], config: config(before) }).says("Pay"));
    const after = paying({ description: "New" });
    const deployed = deploy({ tools: [], config: config(after.tool) });
    expect(errorOf(await deployed.decide(approve(shown)))).toMatchObject({ code: "changed-tool" });
    const again = approvalOf(await deployed.says());
    const done = await deployed.decide(approve(again));
    expect(done.finalState.currentAgentName).toBe("other");
    expect(after.paid).toEqual([SHOWN]);
    expect(await recordIn(store)).toBeNull();
  });

  it("and an agent that is no longer registered: nothing runs", async () => {
    const { deploy, store } = world("own");
    const shown = approvalOf(await deploy({ tools: [paying().tool] }).says("Pay"));
    const { tool, paid } = paying();
    const { config } = setup({
      ...{ model: ["Fine."], agent: { name: "renamed" }, tools: [tool] },
      config: { memory: { provider: store, autoStore: true }, conversationId: "c" },
    });
    const state = { ...says(), currentAgentName: "renamed" };
    const ended = await run(state, { ...config, resume: { approvals: [approve(shown)] } });
    expect(errorOf(ended)).toEqual({ _tag: "AgentNotFound", agentName: "helper" });
    expect(paid).toEqual([]);
    const next = await run({ ...state, messages: [user("Never mind")] }, config);
    expect(next.outcome).toEqual({ status: "completed", output: "Fine." });
  });
});
