import { createInMemoryProvider, MemoryCallError } from "@jaf/memory";
import { Agent, type AgentInputItem, RunContext, RunState, run, tool } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { expect, it } from "vitest";
import * as z from "zod";
import { createSession, type SessionSettings } from "../src/index.ts";

const user = (content: string): AgentInputItem => ({ type: "message", role: "user", content });
const call = (callId: string): Extract<AgentInputItem, { type: "function_call" }> => ({
  type: "function_call",
  callId,
  name: "pay",
  arguments: "{}",
});

function open(settings: Partial<SessionSettings> = {}) {
  const provider = createInMemoryProvider();
  const given = { provider, conversationId: "conv-1", userId: "ada", ...settings };
  return { provider, given, session: createSession(given) };
}

const payTool = tool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({}),
  needsApproval: true,
  execute: async () => "paid",
});

const reasonOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const memoryError = error instanceof MemoryCallError ? error.memoryError : undefined;
  return memoryError !== undefined && "reason" in memoryError ? memoryError.reason : error;
};

it("keeps a conversation of the SDK's runner over several runs, in standard messages", async () => {
  const { provider, given } = open();
  const model = new ScriptedModel([
    [functionCall("look", {}, { callId: "c-1" }), functionCall("look", {}, { callId: "c-2" })],
    [assistantMessage("Two cats.", { id: "msg_1" })],
    [assistantMessage("You asked about cats.")],
  ]);
  const look = tool({
    name: "look",
    description: "Looks.",
    parameters: z.object({}),
    execute: async () => "a cat",
  });
  const agent = new Agent({ name: "Helper", model, tools: [look] });
  await run(agent, "What is there?", { session: createSession(given) });
  const second = await run(agent, "What did I ask?", { session: createSession(given), stream: true });
  await second.completed;
  expect(second.finalOutput).toBe("You asked about cats.");
  const stored = await provider.getConversation("conv-1");
  expect(stored.success && stored.data?.messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "What is there?"],
    ["assistant", ""],
    ["tool", "a cat"],
    ["tool", "a cat"],
    ["assistant", "Two cats."],
    ["user", "What did I ask?"],
    ["assistant", "You asked about cats."],
  ]);
  expect(model.lastCall?.request.input).toHaveLength(7);
});

it("limits, pops and clears items, also inside a reply", async () => {
  const { session } = open();
  expect(await session.getItems()).toEqual([]);
  expect(await session.popItem()).toBeUndefined();
  await session.addItems([user("a"), call("c-1"), call("c-2")]);
  expect(await session.getItems(1)).toEqual([call("c-2")]);
  expect(await session.getItems(0)).toEqual([]);
  expect(await session.popItem()).toEqual(call("c-2"));
  expect(await session.getItems()).toEqual([user("a"), call("c-1")]);
  await session.clearSession();
  expect(await session.getItems()).toEqual([]);
  await session.addItems([user("b")]);
  expect(await session.getItems()).toEqual([user("b")]);
});

it("replaces calls, and leaves other messages as they are", async () => {
  const { session } = open();
  await session.addItems([user("a"), call("c-1"), call("c-2"), user("b"), call("c-1")]);
  const replacement = { ...call("c-1"), arguments: '{"sum":1}' };
  await session.applyHistoryMutations({
    mutations: [{ type: "replace_function_call", callId: "c-1", replacement }],
  });
  expect(await session.getItems()).toEqual([user("a"), replacement, call("c-2"), user("b")]);
});

it("applies a transaction once, and only to the end that it expects", async () => {
  const { session, given } = open();
  await session.addItems([user("a"), call("c-1"), call("c-2")]);
  const args = {
    operationId: "op-1",
    transaction: {
      type: "replace_suffix",
      expectedSuffix: [call("c-2")],
      replacement: [call("c-3"), user("b")],
    },
  } as const;
  const changed = {
    ...args.transaction,
    expectedSuffix: [...args.transaction.expectedSuffix],
    replacement: [...args.transaction.replacement],
  };
  await session.applyHistoryTransaction({ operationId: "op-1", transaction: changed });
  const items = [user("a"), call("c-1"), call("c-3"), user("b")];
  expect(await session.getItems()).toEqual(items);
  await session.addItems([user("c")]);
  await createSession(given).applyHistoryTransaction({ operationId: "op-1", transaction: changed });
  expect(await session.getItems()).toEqual([...items, user("c")]);
  const other = { operationId: "op-1", transaction: { type: "append_items" as const, items: [user("d")] } };
  expect(await reasonOf(Promise.resolve(session.applyHistoryTransaction(other)))).toBe("idempotency-key");
  const late = { operationId: "op-2", transaction: changed };
  expect(await reasonOf(Promise.resolve(session.applyHistoryTransaction(late)))).toBe("version");
  await session.applyHistoryTransaction({ ...other, operationId: "op-3" });
  await session.applyHistoryTransaction({ ...other, operationId: "op-3" });
  expect(await session.getItems()).toEqual([...items, user("c"), user("d")]);
});

it("compacts by the application's function, unless items came in between", async () => {
  const { session, given } = open();
  const compacting = createSession({
    ...given,
    compact: async (items) => {
      if (items.length === 3) await session.addItems([user("late")]);
      return items.length > 2 ? [user("summary")] : undefined;
    },
  });
  await session.addItems([user("a"), user("b")]);
  await compacting.runCompaction?.();
  await session.addItems([user("c")]);
  await compacting.runCompaction?.();
  expect(await session.getItems()).toEqual(["a", "b", "c", "late"].map(user));
  await compacting.runCompaction?.();
  expect(await session.getItems()).toEqual([user("summary")]);
  expect(session.runCompaction).toBeUndefined();
});

it.each([{ owner: "ada" }, { owner: undefined }])(
  "gives no conversation of $owner to another user",
  async ({ owner }) => {
    const provider = createInMemoryProvider();
    const given = { provider, conversationId: "conv-1" };
    const session = createSession(owner === undefined ? given : { ...given, userId: owner });
    await session.addItems([user("secret")]);
    const other = createSession({ ...given, userId: "eve" });
    expect(await other.getItems()).toEqual([]);
    expect(await other.popItem()).toBeUndefined();
    await other.clearSession();
    expect(await other.takeRunState(new Agent({ name: "Helper" }))).toBeUndefined();
    expect(await reasonOf(other.addItems([user("x")]))).toMatch(/owner|incarnation|version/);
    expect(await reasonOf(createSession({ ...given, userId: "eve" }).addItems([user("x")]))).toMatch(
      /owner|incarnation|version/,
    );
    expect(await reasonOf(other.replaceHistoryWithCompaction([user("x")]))).toMatch(
      /owner|incarnation|version/,
    );
    expect(await session.getItems()).toEqual([user("secret")]);
  },
);

it("doesn't bring an erased conversation back by a late save", async () => {
  const { session, provider, given } = open();
  await session.addItems([user("a")]);
  const late = createSession(given);
  const before = createSession({ ...given, conversationId: "conv-2" });
  await late.getItems();
  await before.getItems();
  await provider.clearUserConversations("ada");
  expect(await reasonOf(late.addItems([user("b")]))).toBe("incarnation");
  expect(await reasonOf(before.addItems([user("b")]))).toBe("incarnation");
  expect(await reasonOf(late.storeRunState({ toString: () => "{}" }))).toBe("incarnation");
  expect((await provider.findConversations({ userId: "ada" })).success && (await late.getItems())).toEqual(
    [],
  );
});

it("lets one process resume an interrupted run", async () => {
  const { given, provider } = open();
  const model = new ScriptedModel([
    [functionCall("pay", {}, { callId: "c-1" })],
    [assistantMessage("Paid.")],
  ]);
  const agent = new Agent({ name: "Helper", model, tools: [payTool] });
  const first = createSession(given);
  const interrupted = await run(agent, "Pay", { session: first });
  expect(interrupted.interruptions).toHaveLength(1);
  await first.storeRunState(interrupted.state);
  const sessions = [createSession(given), createSession(given)];
  const taken = await Promise.all(sessions.map((session) => session.takeRunState(agent)));
  expect(taken.filter((state) => state !== undefined)).toHaveLength(1);
  const state = taken.find((found) => found !== undefined);
  if (state === undefined) throw new Error("no state");
  for (const interruption of state.getInterruptions()) state.approve(interruption);
  const done = await run(agent, state, { session: createSession(given) });
  expect(done.finalOutput).toBe("Paid.");
  const stored = await provider.getConversation("conv-1");
  expect(stored.success && stored.data?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  // Lists don't show where the state was.
  const listed = await provider.findConversations({ userId: "ada" });
  expect(listed.success && listed.data.map(({ conversationId }) => conversationId)).toEqual(["conv-1"]);
});

it("keeps a state that this version of the SDK can't read", async () => {
  const { session } = open();
  const agent = new Agent({ name: "Helper" });
  const state = JSON.parse(new RunState(new RunContext(), "Hi", agent, 3).toString());
  const text = JSON.stringify({ ...state, $schemaVersion: "99.0" });
  await session.storeRunState({ toString: () => text });
  await expect(session.takeRunState(agent)).rejects.toThrow(/schema version 99\.0 is not supported/);
  await expect(session.takeRunState(agent)).rejects.toThrow(/schema version 99\.0 is not supported/);
});

it("says what is wrong with the settings", () => {
  const provider = createInMemoryProvider();
  expect(() => createSession({ provider, conversationId: "" })).toThrow(/conversationId/);
  expect(() => createSession({ provider, conversationId: "a", userId: "\0" })).toThrow(/userId/);
  const { readConversation: _, ...plain } = provider;
  expect(() => createSession({ provider: plain, conversationId: "a" })).toThrow(/readConversation/);
});
