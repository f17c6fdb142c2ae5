import {
  createInMemoryBlobStore,
  createInMemoryProvider,
  MemoryCallError,
  withBlobs,
  withRetry,
} from "@jaf/memory";
import { Agent, type AgentInputItem, RunContext, RunState, run, tool } from "@openai/agents-core";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { expect, it, onTestFinished, vi } from "vitest";
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

it("gives items that the application may change, which changes nothing that is stored", async () => {
  const compact = vi.fn((items: readonly AgentInputItem[]) => {
    for (const item of items) item.providerData = { seen: true };
    return undefined;
  });
  const { session } = open({ compact });
  const stored = (): AgentInputItem => ({ ...user("a"), providerData: { parts: [{ text: "b" }] } });
  await session.addItems([stored()]);
  const changed = (item: AgentInputItem | undefined) => {
    const parts: { text: string }[] = item?.providerData?.["parts"];
    for (const part of parts) part.text = "c";
    return item?.providerData;
  };
  expect(changed((await session.getItems())[0])).toEqual({ parts: [{ text: "c" }] });
  await session.runCompaction?.();
  expect(compact.mock.results).toMatchObject([{ type: "return" }]);
  expect(await session.getItems()).toEqual([stored()]);
  expect(changed(await session.popItem())).toEqual({ parts: [{ text: "c" }] });
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
    const { given } = open();
    const { userId: _, ...unowned } = given;
    const session = createSession(owner === undefined ? unowned : given);
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

const waitingState = (agent: Agent) => new RunState(new RunContext(), "Hi", agent, 3);

it("gives no state of a run after the conversation has moved on", async () => {
  const { given, provider } = open();
  const agent = new Agent({ name: "Helper" });
  const session = createSession(given);
  await session.addItems([user("Pay")]);
  await session.storeRunState(waitingState(agent));
  await createSession(given).addItems([user("No, forget it.")]);
  expect(await createSession(given).takeRunState(agent)).toBeUndefined();
  expect(await createSession(given).takeRunState(agent, { again: true })).toBeUndefined();
  // A state that was stored too late doesn't count, either.
  await session.storeRunState(waitingState(agent));
  expect(await createSession(given).takeRunState(agent)).toBeUndefined();
  await createSession(given).storeRunState(waitingState(agent));
  expect(await createSession(given).takeRunState(agent)).toBeDefined();
  // A deleted conversation's state doesn't belong to the next one of the same id.
  await createSession(given).storeRunState(waitingState(agent));
  await provider.deleteConversation("conv-1");
  for (const text of ["a", "b"]) await createSession(given).addItems([user(text)]);
  expect(await createSession(given).takeRunState(agent, { again: true })).toBeUndefined();
});

it("gives a taken state again only to a caller who asks for it, until the conversation goes on", async () => {
  const { session, given } = open();
  const agent = new Agent({ name: "Helper" });
  await session.storeRunState(waitingState(agent));
  const take = (again: boolean) => createSession(given).takeRunState(agent, { again });
  expect(await take(false)).toBeDefined();
  expect(await take(false)).toBeUndefined();
  const both = await Promise.all([take(true), take(true)]);
  expect(both.filter((state) => state !== undefined)).toHaveLength(1);
  expect(await take(true)).toBeDefined();
  await createSession(given).addItems([user("resumed")]);
  expect(await take(true)).toBeUndefined();
});

it("clears the items and the state, and keeps the conversation and its owner", async () => {
  const { given, provider } = open();
  const agent = new Agent({ name: "Helper" });
  await provider.appendMessages(
    "conv-1",
    [{ role: "user", content: "a" }],
    { userId: "ada", title: "Taxes" },
    { createIfMissing: true },
  );
  const { userId: _, ...unowned } = given;
  const other = createSession(given);
  await other.getItems();
  await other.storeRunState(waitingState(agent));
  const clearing = createSession(unowned);
  await clearing.clearSession();
  await clearing.addItems([user("summary")]);
  await other.addItems([user("answer")]);
  expect(await other.getItems()).toEqual([user("summary"), user("answer")]);
  expect(await other.takeRunState(agent, { again: true })).toBeUndefined();
  const stored = await provider.getConversation("conv-1");
  expect(stored.success && stored.data).toMatchObject({ userId: "ada", metadata: { title: "Taxes" } });
});

it("forgets the ids of operations when it is cleared", async () => {
  const { session, given, provider } = open();
  const append = (text: string) => ({
    operationId: "op-1",
    transaction: { type: "append_items" as const, items: [user(text)] },
  });
  await session.applyHistoryTransaction(append("a"));
  for (const text of ["a", "b"]) {
    await session.clearSession();
    await createSession(given).applyHistoryTransaction(append(text));
    await session.applyHistoryTransaction(append(text));
    expect(await session.getItems()).toEqual([user(text)]);
  }
  // A session that is empty already forgets them, too.
  await session.popItem();
  await session.clearSession();
  await session.applyHistoryTransaction(append("c"));
  expect(await session.getItems()).toEqual([user("c")]);
  await session.clearSession();
  const version = async () => {
    const read = await provider.getConversation("conv-1");
    return read.success ? read.data?.metadata?.version : undefined;
  };
  const before = await version();
  await session.clearSession();
  expect(await version()).toBe(before);
});

it("doesn't clear a conversation that another user has made of the same id meanwhile", async () => {
  const { provider, given, session } = open();
  await session.addItems([user("a")]);
  const late = createSession({
    ...given,
    provider: {
      ...provider,
      appendMessages: async (...write: Parameters<typeof provider.appendMessages>) => {
        await provider.deleteConversation("conv-1");
        await createSession({ ...given, userId: "eve" }).addItems([user("eve's")]);
        return provider.appendMessages(...write);
      },
    },
  });
  expect(await reasonOf(late.clearSession())).toMatch(/owner|incarnation/);
  expect(await createSession({ ...given, userId: "eve" }).getItems()).toEqual([user("eve's")]);
});

it("replaces no items that the run hasn't seen", async () => {
  const inner = createInMemoryProvider();
  const blobs = createInMemoryBlobStore();
  const { session, given } = open({ provider: withRetry(withBlobs(inner, { blobs })) });
  await session.addItems([user("1"), user("2")]);
  const other = createSession(given);
  await session.getItems();
  await session.addItems([user("3")]);
  await other.addItems([user("other")]);
  expect(await reasonOf(session.replaceHistoryWithCompaction([user("all")]))).toBe("version");
  await session.addItems([user("4")]);
  expect(await reasonOf(session.replaceHistoryWithCompaction([user("all")]))).toBe("version");
  await session.getItems();
  await session.addItems([user("5")]);
  await session.replaceHistoryWithCompaction([user("all")]);
  await session.replaceHistoryWithCompaction([user("again")]);
  expect(await session.getItems()).toEqual([user("again")]);
  // The run's own writes aren't others' writes, also at the same time.
  await Promise.all(["6", "7", "8"].map((text) => session.addItems([user(text)])));
  await session.storeRunState(waitingState(new Agent({ name: "Helper" })));
  expect(await createSession(given).takeRunState(new Agent({ name: "Helper" }))).toBeDefined();
  await createSession(given).replaceHistoryWithCompaction([user("unread")]);
  expect(await createSession(given).getItems()).toEqual([user("unread")]);
});

it("doesn't join a conversation that began after an erasure", async () => {
  const { given, provider } = open();
  const [late, first, second] = [createSession(given), createSession(given), createSession(given)];
  await late.getItems();
  await provider.clearUserConversations("ada");
  await Promise.all([first.getItems(), second.getItems()]);
  await first.addItems([user("new")]);
  await second.addItems([user("also new")]);
  expect(await reasonOf(late.addItems([user("SECRET")]))).toMatch(/incarnation|version/);
  expect(await first.getItems()).toEqual([user("new"), user("also new")]);
  // Another engine's conversation doesn't say when it began.
  const run = createSession({ ...given, conversationId: "conv-2" });
  await run.getItems();
  await provider.storeMessages("conv-2", [{ role: "user", content: "of another engine" }], { userId: "ada" });
  expect(await reasonOf(run.addItems([user("SECRET")]))).toMatch(/incarnation|version/);
});

/** A conversation of another engine. Its second message has nothing that the SDK knows. */
const foreign = [
  { role: "user", content: "hi" },
  { role: "assistant", content: [{ type: "reasoning", text: "think", signature: "SIG" }] },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "z", type: "function", function: { name: "look", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "z", content: "r" },
] as const;

it("leaves other engines' messages and all ids as they are where it changes later ones", async () => {
  const { provider, session } = open();
  const write = foreign as unknown as Parameters<typeof provider.storeMessages>[1];
  await provider.storeMessages("conv-1", write, { userId: "ada" }, { messageIds: ["1", "2", "3", "4"] });
  await session.addItems([call("c-0"), call("c-1"), call("c-2")]);
  await provider.appendMessages("conv-1", [{ role: "user", content: "more" }], {}, { messageIds: ["6"] });
  const mutation = { type: "replace_function_call", callId: "c-0", replacement: call("c-0b") } as const;
  await session.applyHistoryMutations({ mutations: [mutation] });
  const expectedSuffix = [call("c-1"), call("c-2"), user("more")];
  await session.applyHistoryTransaction({
    operationId: "op",
    transaction: { type: "replace_suffix", expectedSuffix, replacement: [call("c-4")] },
  });
  const record = await provider.exportConversation("conv-1");
  const { messages = [], messageIds } = (record.success ? record.data : undefined) ?? {};
  expect(messages.slice(0, 4)).toEqual(foreign);
  expect(messageIds).toEqual(["1", "2", "3", "4", null, null]);
  expect((await session.getItems()).slice(-2)).toEqual([call("c-0b"), call("c-4")]);
});

it("keeps the ids of messages after a replaced call, and of the message itself", async () => {
  const { provider, session } = open();
  await session.addItems([user("a")]);
  const made = { id: "c-1", type: "function", function: { name: "pay", arguments: "{}" } } as const;
  const messages = [
    { role: "assistant", content: "", tool_calls: [made] },
    { role: "user", content: "b" },
  ] as const;
  await provider.appendMessages("conv-1", messages, {}, { messageIds: ["m-1", "m-2"] });
  await session.applyHistoryMutations({
    mutations: [{ type: "replace_function_call", callId: "c-1", replacement: call("c-2") }],
  });
  const record = await provider.exportConversation("conv-1");
  expect(record.success && record.data?.messageIds).toEqual([null, "m-1", "m-2"]);
});

it("reads further where the last messages have no items or no names", async () => {
  const { provider, session } = open();
  const write = [...foreign, foreign[1], foreign[1]] as unknown as Parameters<
    typeof provider.storeMessages
  >[1];
  await provider.storeMessages("conv-1", write, { userId: "ada" });
  const all = await session.getItems();
  expect(all).toHaveLength(3);
  for (const limit of [1, 2, 3, 4]) expect(await session.getItems(limit)).toEqual(all.slice(-limit));
  expect(await session.getItems(1e300)).toEqual(all);
  await session.applyHistoryTransaction({
    operationId: "op",
    transaction: { type: "replace_suffix", expectedSuffix: all.slice(-1), replacement: [user("x")] },
  });
  expect(await session.popItem()).toEqual(user("x"));
  expect(await session.popItem()).toEqual(all[1]);
  expect(await session.popItem()).toEqual(all[0]);
  expect(await session.popItem()).toBeUndefined();
});

it("completes a run whose items can't be compacted, with a warning", async () => {
  const { given } = open();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const session = createSession({ ...given, compact: () => Promise.reject(new RangeError("secret")) });
  const agent = new Agent({ name: "Helper", model: new ScriptedModel([[assistantMessage("Hello.")]]) });
  expect((await run(agent, "Hi", { session })).finalOutput).toBe("Hello.");
  expect(await session.getItems()).toHaveLength(2);
  const text = JSON.stringify(warned.mock.calls);
  expect(text).toMatch(/RangeError.*JAFCompactionWarning/);
  expect(text).not.toContain("secret");
});

it("says what is wrong with the settings", () => {
  const provider = createInMemoryProvider();
  expect(() => createSession({ provider, conversationId: "" })).toThrow(/conversationId/);
  expect(() => createSession({ provider, conversationId: "a", userId: "\0" })).toThrow(/userId/);
  // A signed-out user, `session.user?.id`, doesn't open every user's conversations.
  const signedOut = { provider, conversationId: "a", userId: undefined } as unknown as SessionSettings;
  expect(() => createSession(signedOut)).toThrow(/userId/);
  const { readConversation: _, ...plain } = provider;
  expect(() => createSession({ provider: plain, conversationId: "a" })).toThrow(/readConversation/);
});
