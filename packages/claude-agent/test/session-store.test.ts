import { foldSessionSummary, type SessionStore } from "@anthropic-ai/claude-agent-sdk";
import { createInMemoryProvider, MemoryCallError, sanitizeConversation } from "@jaf/memory";
import { sameJson } from "@jaf/memory/history";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createSessionStore, type SessionStoreEntry, type SessionStoreSettings } from "../src/index.ts";

const KEY = { projectKey: "-home-ada-app", sessionId: "session-1" };
const SUB = { ...KEY, subpath: "subagents/agent-1" };
const LONG = "long ".repeat(40);

const user = (uuid: string, text: string): SessionStoreEntry => ({
  type: "user",
  uuid,
  parentUuid: null,
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role: "user", content: text },
});
const reply = (uuid: string, block: object): SessionStoreEntry => ({
  type: "assistant",
  uuid,
  message: { id: "msg_1", role: "assistant", content: [block], usage: { input_tokens: 3 } },
});
const title: SessionStoreEntry = { type: "custom-title", customTitle: "A title", sessionId: "session-1" };

function open(settings: Partial<SessionStoreSettings> = {}) {
  const provider = createInMemoryProvider();
  return { provider, store: createSessionStore({ provider, ...settings }) };
}

async function reasonOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.catch((thrown: unknown) => thrown);
  const memoryError = error instanceof MemoryCallError ? error.memoryError : undefined;
  return memoryError !== undefined && "reason" in memoryError ? memoryError.reason : error;
}

it("is a SessionStore of the SDK", () => {
  const store: SessionStore = open({ foldSessionSummary }).store;
  expect(store.listSessionSummaries).toBeTypeOf("function");
  expect(open().store.listSessionSummaries).toBeUndefined();
});

it("gives back every entry as it was, whatever it holds", async () => {
  const { store } = open({ userId: "ada" });
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\0", "\ud800", "__proto__", LONG));
  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text }),
    fc.record({ type: fc.constant("thinking"), thinking: text, signature: text }),
    fc.record({ type: fc.constant("tool_use"), id: text, name: text, input: fc.jsonValue() }),
    fc.record({
      type: fc.constant("tool_result"),
      tool_use_id: text,
      content: fc.oneof(text, fc.array(fc.record({ type: fc.constant("text"), text }))),
    }),
    fc.record({
      type: fc.constant("image"),
      source: fc.record({ type: fc.constant("base64"), media_type: text, data: text }),
    }),
    fc.dictionary(fc.constantFrom("__proto__", "type", "text"), fc.jsonValue()),
  );
  const message = fc.record({ role: text, content: fc.oneof(text, fc.array(block)), usage: fc.jsonValue() });
  const entry = fc.record(
    {
      type: fc.oneof(fc.constantFrom("user", "assistant", "system"), text),
      message: fc.oneof(message, fc.jsonValue()),
      isMeta: fc.boolean(),
      extra: fc.jsonValue(),
    },
    { requiredKeys: ["type"] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { minLength: 1, maxLength: 6 }),
      fc.record({ projectKey: text, sessionId: text, subpath: fc.option(text, { nil: undefined }) }),
      async (entries, names) => {
        const { subpath, ...session } = { ...names, sessionId: `${names.sessionId}${crypto.randomUUID()}` };
        const key = subpath === undefined ? session : { ...session, subpath };
        await store.append(key, entries as SessionStoreEntry[]);
        expect(sameJson(await store.load(key), entries)).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});

it("stores the standard form of what the user and the model said", async () => {
  const { provider, store } = open({ userId: "ada" });
  await store.append(KEY, [
    user("1", "What is there?"),
    reply("2", { type: "thinking", thinking: "Look.", signature: "s" }),
    reply("3", { type: "tool_use", id: "toolu_1", name: "Read", input: { path: "a" } }),
    {
      ...user("4", ""),
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: LONG }] },
    },
    title,
    reply("5", { type: "text", text: "A cat." }),
  ]);
  const found = await provider.findConversations({ userId: "ada" });
  const messages = found.success ? (found.data[0]?.messages ?? []) : [];
  const standard = messages.map(({ claudeAgent: _, ...message }: Record<string, unknown>) => message);
  expect(standard).toEqual([
    { role: "user", content: "What is there?" },
    { role: "assistant", content: [{ type: "reasoning", text: "Look.", signature: "s" }] },
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: "toolu_1", type: "function", function: { name: "Read", arguments: '{"path":"a"}' } },
      ],
    },
    { role: "tool", tool_call_id: "toolu_1", content: LONG },
    { role: "assistant", content: [{ type: "claude-agent-entry" }] },
    { role: "assistant", content: [{ type: "text", text: "A cat." }] },
  ]);
  expect(JSON.stringify(messages[3]).split(LONG)).toHaveLength(2);
});

it("lets another engine pair the calls of one reply, which the SDK writes as several entries", async () => {
  const { provider, store } = open({ userId: "ada" });
  const result = (uuid: string, tool_use_id: string) => ({
    ...user(uuid, ""),
    message: { role: "user", content: [{ type: "tool_result", tool_use_id, content: tool_use_id }] },
  });
  const call = (uuid: string, id: string) => reply(uuid, { type: "tool_use", id, name: "Read", input: {} });
  await store.append(KEY, [
    user("1", "Hi"),
    call("2", "a"),
    call("3", "b"),
    result("4", "a"),
    result("5", "b"),
  ]);
  const found = await provider.findConversations({ userId: "ada" });
  const messages = sanitizeConversation(found.success ? (found.data[0]?.messages ?? []) : []);
  expect(
    messages.map(({ role, tool_call_id, tool_calls }) => tool_call_id ?? tool_calls?.[0]?.id ?? role),
  ).toEqual(["user", "a", "a", "b", "b"]);
});

it("skips entries whose uuid is stored, and keeps the others", async () => {
  const { store } = open();
  await store.append(KEY, [user("1", "a"), title]);
  await store.append(KEY, [user("1", "a"), user("2", "b"), user("2", "b"), title]);
  await store.append(KEY, [user("1", "changed"), user("3", "c")]);
  expect(await store.load(KEY)).toEqual([user("1", "a"), title, user("2", "b"), title, user("3", "c")]);
  await store.append(KEY, []);
  expect(await store.load({ ...KEY, sessionId: "other" })).toBeNull();
});

it("keeps the order of the calls", async () => {
  const { store } = open();
  const entries = Array.from({ length: 20 }, (_, index) => user(`${index}`, `${index}`));
  await Promise.all(entries.map((entry) => store.append(KEY, [entry])));
  expect(await store.load(KEY)).toEqual(entries);
});

it("lists sessions and subagents, and deletes a session with its subagents", async () => {
  const { store, provider } = open({ foldSessionSummary });
  await store.append(SUB, [user("1", "for the subagent")]);
  expect(await store.load(KEY)).toBeNull();
  expect(await store.listSessions(KEY.projectKey)).toEqual([]);
  await store.append(KEY, [user("1", "Find a cat"), title]);
  await store.append(KEY, [user("2", "And a dog")]);
  await store.append({ ...KEY, projectKey: "other" }, [user("1", "x")]);
  const sessions = await store.listSessions(KEY.projectKey);
  expect(sessions).toEqual([{ sessionId: "session-1", mtime: expect.any(Number) }]);
  const entries = [user("1", "Find a cat"), title, user("2", "And a dog")];
  expect(await store.listSessionSummaries?.(KEY.projectKey)).toEqual([
    {
      sessionId: "session-1",
      mtime: sessions[0]?.mtime,
      data: foldSessionSummary(undefined, KEY, entries).data,
    },
  ]);
  expect(await store.listSubkeys(KEY)).toEqual([SUB.subpath]);
  await store.delete(SUB);
  expect(await store.listSubkeys(KEY)).toEqual([]);
  await store.append(SUB, [user("1", "for the subagent")]);
  await store.delete(KEY);
  expect([await store.load(KEY), await store.load(SUB), await store.listSubkeys(KEY)]).toEqual([
    null,
    null,
    [],
  ]);
  await store.delete(KEY);
  await store.append(KEY, [user("9", "again")]);
  expect(await store.load(KEY)).toEqual([user("9", "again")]);
  expect((await provider.clearUserConversations(KEY.projectKey)).success).toBe(true);
  expect(await store.load(KEY)).toBeNull();
});

it("gives no user another user's session, and doesn't bring an erased one back", async () => {
  const { store, provider } = open({ userId: "ada" });
  await store.append(KEY, [user("1", "secret")]);
  await store.append(SUB, [user("1", "secret")]);
  const other = createSessionStore({ provider, userId: "eve" });
  expect([
    await other.load(KEY),
    await other.listSessions(KEY.projectKey),
    await other.listSubkeys(KEY),
  ]).toEqual([null, [], []]);
  await other.delete(KEY);
  expect(await store.load(KEY)).toHaveLength(1);
  await provider.clearUserConversations("ada");
  expect(await reasonOf(store.append(KEY, [user("2", "late")]))).toBe("incarnation");
  expect(await reasonOf(store.append(SUB, [user("2", "late")]))).toBe("incarnation");
  expect([await store.load(KEY), await store.load(SUB)]).toEqual([null, null]);
});

it("doesn't bring an erased session back when the application deletes another one", async () => {
  const { store, provider } = open({ userId: "ada" });
  const second = { ...KEY, sessionId: "session-2" };
  await store.append(KEY, [user("1", "secret")]);
  await store.append(SUB, [user("1", "secret")]);
  await store.append(second, [user("1", "secret")]);
  await provider.clearUserConversations("ada");
  await store.delete(second);
  expect(await reasonOf(store.append(KEY, [user("2", "late")]))).toBe("incarnation");
  expect(await reasonOf(store.append(SUB, [user("2", "late")]))).toBe("incarnation");
  await store.append(second, [user("2", "again")]);
  await store.delete(KEY);
  await store.append(SUB, [user("2", "again")]);
  expect([await store.load(KEY), await store.load(SUB)]).toEqual([null, [user("2", "again")]]);
});

it("counts an entry once in the summary, also if its batch is repeated later", async () => {
  const { store } = open({ foldSessionSummary });
  const first = [user("1", "Find a cat"), { ...title, uuid: "t1", customTitle: "Cats" }];
  const second = [user("2", "Find a dog"), { ...title, uuid: "t2", customTitle: "Dogs" }];
  await store.append(KEY, first);
  await store.append(KEY, second);
  const [before] = (await store.listSessionSummaries?.(KEY.projectKey)) ?? [];
  expect(before?.data).toEqual(foldSessionSummary(undefined, KEY, [...first, ...second]).data);
  await store.append(KEY, first);
  expect(await store.listSessionSummaries?.(KEY.projectKey)).toEqual([before]);
  await store.append(KEY, [...first, user("3", "Find a cow")]);
  const all = [...first, ...second, user("3", "Find a cow")];
  const [after] = (await store.listSessionSummaries?.(KEY.projectKey)) ?? [];
  expect(after?.data).toEqual(foldSessionSummary(undefined, KEY, all).data);
  expect(await store.load(KEY)).toEqual(all);
});

it("looks up a large repeated batch a few entries at a time", async () => {
  const provider = createInMemoryProvider();
  let most = 0;
  let now = 0;
  const counting = {
    ...provider,
    readConversation: async (...given: Parameters<typeof provider.readConversation>) => {
      most = Math.max(most, ++now);
      return provider.readConversation(...given).finally(() => now--);
    },
  };
  const store = createSessionStore({ provider: counting });
  const entries = Array.from({ length: 100 }, (_, index) => user(`${index}`, "x"));
  await store.append(KEY, entries);
  await store.append(KEY, [user("0", "changed"), ...entries.slice(1), user("new", "x")]);
  expect(await store.load(KEY)).toEqual([...entries, user("new", "x")]);
  expect(most).toBeLessThan(20);
});

it("lists no session whose conversation the application has replaced", async () => {
  const { store, provider } = open({ foldSessionSummary, userId: "ada" });
  await store.append(KEY, [user("1", "Hi")]);
  const found = await provider.findConversations({ userId: "ada" });
  const [conversation] = found.success ? found.data : [];
  expect(conversation).toBeDefined();
  const traceId = conversation?.metadata?.["traceId"];
  await provider.storeMessages(conversation?.conversationId ?? "", [{ role: "user", content: "Hi" }], {
    userId: "ada",
    ...(traceId === undefined ? {} : { traceId }),
  });
  expect(await store.listSessions(KEY.projectKey)).toEqual([]);
  expect(await store.listSessionSummaries?.(KEY.projectKey)).toEqual([]);
});

it("says what is wrong with the settings", () => {
  const provider = createInMemoryProvider();
  expect(() => createSessionStore({ provider, userId: "" })).toThrow(/userId/);
  expect(() => createSessionStore({ provider, userId: undefined as never })).toThrow(/leave out the field/);
  const { readConversation: _, ...plain } = provider;
  expect(() => createSessionStore({ provider: plain })).toThrow(/readConversation/);
});
