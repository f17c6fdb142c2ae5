import { beforeEach, describe, expect, it } from "vitest";
import { isVersionedProvider } from "../../src/contract/versioned-provider.ts";
import {
  type ConversationStore,
  createConversationStore,
  createInMemoryProvider,
  MemoryConversationStore,
  type MemoryErrorUnion,
  type MemoryProvider,
  type Message,
  providerOf,
  type ReadOptions,
  type Result,
} from "../../src/index.ts";
import { FiveMethodStore, SanitizingStore } from "./five-method-store.ts";

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });
const calling = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })),
});
const answer = (id: string): Message => ({ role: "tool", content: "done", tool_call_id: id });

function ok<T>(result: Result<T>): T {
  if (result.success) return result.data;
  throw new Error(`${result.error._tag}: ${result.error.message}`);
}

function failed(result: Result<unknown>): MemoryErrorUnion {
  if (!result.success) return result.error;
  throw new Error("it succeeded");
}

function versionedView() {
  const provider = providerOf(store);
  return isVersionedProvider(provider) ? provider : expect.fail("expected a view that is versioned");
}

const load = async (provider: MemoryProvider, id: string) => ok(await provider.getConversation(id));

let store: FiveMethodStore;
let view: MemoryProvider;
let id: string;

beforeEach(async () => {
  store = new FiveMethodStore();
  view = providerOf(store);
  id = await store.create("Title", { userId: "alice", agent: "support" });
});

/** Throws on each of the first `times` appends, before or after the append. */
function failAppends(times: number, when: "after" | "before"): { readonly count: () => number } {
  const append = store.append.bind(store);
  let calls = 0;
  store.append = async (conversationId, messages) => {
    calls += 1;
    if (when === "after" || calls > times) await append(conversationId, messages);
    if (calls <= times) throw new Error("connection reset");
  };
  return { count: () => calls };
}

it("returns the provider itself for a store over a provider", () => {
  const provider = createInMemoryProvider();
  expect(providerOf(createConversationStore(provider))).toBe(provider);
  const memory = new MemoryConversationStore();
  expect(providerOf(memory)).toBe(memory.provider);
});

it("returns one view for each store and user until it is closed", async () => {
  expect(providerOf(store)).toBe(view);
  const mine = providerOf(store, { userId: "alice" });
  expect(providerOf(store, { userId: "alice" })).toBe(mine);
  expect(
    new Set([view, mine, providerOf(store, { userId: "bob" }), providerOf(new FiveMethodStore())]).size,
  ).toBe(4);
  ok(await view.close());
  expect(failed(await view.getConversation(id))._tag).toBe("MemoryConnectionError");
  expect(await load(providerOf(store), id)).not.toBeNull();
});

it("names a missing method of a store and an unknown option", () => {
  expect(() => providerOf({ ...store, load: undefined } as never)).toThrow(/create|load/);
  expect(() => providerOf(store, { user: "alice" } as never)).toThrow(/user/);
  expect(() => providerOf(store, { userId: undefined } as never)).toThrow(TypeError);
});

describe("a turn", () => {
  it("is loaded, appended and found with owner, version, title and meta", async () => {
    const before = await load(view, id);
    expect(before).toMatchObject({ userId: "alice", messages: [], metadata: { version: 1 } });
    const metadata = { userId: "alice", traceId: "t", jaf: { agentName: "support" } };
    const options = { idempotencyKey: "run:1", expectedVersion: 1 };
    ok(await view.appendMessages(id, [user("1"), assistant("2")], metadata, options));
    expect(await store.load(id)).toEqual([user("1"), assistant("2")]);
    const [found] = ok(await view.findConversations({ conversationId: id, includeMessages: false }));
    expect(found).toMatchObject({
      conversationId: id,
      userId: "alice",
      messages: [],
      metadata: {
        version: 2,
        metadataVersion: 1,
        nextPosition: 2,
        totalMessages: 2,
        title: "Title",
        agent: "support",
        jaf: { agentName: "support" },
      },
    });
    expect(ok(await view.getRecentMessages(id, 1))).toEqual([assistant("2")]);
    expect(ok(await view.healthCheck())).toMatchObject({ healthy: true });
  });

  it("can store metadata with an empty batch, which appends nothing", async () => {
    const appends = failAppends(0, "before");
    ok(await view.appendMessages(id, [], { jaf: { turn: 1 } }, { expectedVersion: 1, idempotencyKey: "a" }));
    expect((await load(view, id))?.metadata).toMatchObject({ version: 1, jaf: { turn: 1 } });
    expect(appends.count()).toBe(0);
  });

  it("is refused as a conflict if another writer appended first", async () => {
    await load(view, id);
    await store.append(id, [user("from elsewhere")]);
    const error = failed(await view.appendMessages(id, [user("1")], {}, { expectedVersion: 1 }));
    expect(error).toMatchObject({ _tag: "MemoryConflictError", reason: "version", actualVersion: 2 });
    expect(await store.load(id)).toHaveLength(1);
  });

  it("lets one of many writers with the same expected version win, even through two views", async () => {
    const views = [view, providerOf(store)];
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        views[index % 2]?.appendMessages(id, [user(`${index}`)], {}, { expectedVersion: 1 }),
      ),
    );
    expect(results.filter((result) => result?.success)).toHaveLength(1);
    expect(await store.load(id)).toHaveLength(1);
  });

  it("can't be changed through the view's results", async () => {
    await store.append(id, [user("1")]);
    const messages = (await load(view, id))?.messages as Message[];
    expect(() => messages.push(user("2"))).toThrow(TypeError);
  });
});

describe("an append that throws", () => {
  it("counts as done if it succeeded", async () => {
    const appends = failAppends(1, "after");
    ok(await view.appendMessages(id, [user("1"), assistant("2")], {}, { idempotencyKey: "k" }));
    ok(await view.appendMessages(id, [user("1"), assistant("2")], {}, { idempotencyKey: "k" }));
    expect(await store.load(id)).toHaveLength(2);
    expect(appends.count()).toBe(1);
  });

  it("can be retried if it did nothing, with the same expected version", async () => {
    failAppends(1, "before");
    const options = { idempotencyKey: "k", expectedVersion: 1 };
    expect(failed(await view.appendMessages(id, [user("1")], {}, options)).retryable).toBe(true);
    ok(await view.appendMessages(id, [user("1")], {}, options));
    expect(await store.load(id)).toEqual([user("1")]);
  });

  it("isn't repeated if it succeeded only after the view had checked", async () => {
    const append = store.append.bind(store);
    store.append = async () => {
      throw new Error("timeout");
    };
    const options = { idempotencyKey: "k", expectedVersion: 1 };
    expect(failed(await view.appendMessages(id, [user("1")], { note: 1 }, options)).retryable).toBe(true);
    await append(id, [user("1")]);
    store.append = append;
    ok(await view.appendMessages(id, [user("1")], { note: 1 }, options));
    expect(await store.load(id)).toEqual([user("1")]);
    expect((await load(view, id))?.metadata).toMatchObject({ version: 2, note: 1 });
  });

  it("reserves its key once it is stored", async () => {
    const append = store.append.bind(store);
    store.append = () => Promise.reject(new Error("timeout"));
    const options = { idempotencyKey: "k" };
    failed(await view.appendMessages(id, [user("1")], {}, options));
    await append(id, [user("1")]);
    store.append = append;
    const other = failed(await view.appendMessages(id, [user("2")], {}, options));
    expect(other).toMatchObject({ _tag: "MemoryConflictError", reason: "idempotency-key" });
    expect(await store.load(id)).toEqual([user("1")]);
  });

  it("reserves its key before it is stored, because it may still succeed", async () => {
    const append = store.append.bind(store);
    store.append = () => Promise.reject(new Error("timeout"));
    const options = { idempotencyKey: "k" };
    failed(await view.appendMessages(id, [user("1"), assistant("2")], {}, options));
    store.append = append;
    const conflict = { _tag: "MemoryConflictError", reason: "idempotency-key" };
    expect(failed(await view.appendMessages(id, [user("2")], {}, options))).toMatchObject(conflict);
    await append(id, [user("1")]);
    expect(failed(await view.appendMessages(id, [user("2")], {}, options))).toMatchObject(conflict);
    expect(await store.load(id)).toEqual([user("1")]);
  });

  it("is found after other writers' messages", async () => {
    const append = store.append.bind(store);
    store.append = async (conversationId, messages) => {
      await append(conversationId, [user("from elsewhere"), ...messages, user("and after")]);
      throw new Error("connection reset");
    };
    ok(await view.appendMessages(id, [user("1"), assistant("2")]));
  });

  it("has an unknown outcome if it is partly stored, and can't be retried", async () => {
    const append = store.append.bind(store);
    store.append = async (conversationId, messages) => {
      await append(conversationId, messages.slice(0, 1));
      throw new Error("connection reset");
    };
    const options = { idempotencyKey: "k" };
    for (const _ of [1, 2]) {
      const error = failed(await view.appendMessages(id, [user("1"), assistant("2")], {}, options));
      expect(error).toMatchObject({ _tag: "MemoryStorageError", retryable: false });
    }
    expect(await store.load(id)).toEqual([user("1")]);
  });

  it("has an unknown outcome if the store hides pending calls", async () => {
    store = new SanitizingStore();
    view = providerOf(store);
    id = await store.create();
    failAppends(1, "after");
    const error = failed(
      await view.appendMessages(id, [user("1"), calling("c")], {}, { idempotencyKey: "k" }),
    );
    expect(error).toMatchObject({ _tag: "MemoryStorageError", retryable: false });
  });

  it("can only be retried with its key if the store can't be read either", async () => {
    failAppends(2, "after");
    const read = store.load.bind(store);
    const attempt = async (options: { readonly idempotencyKey?: string }) => {
      let loads = 0;
      store.load = (conversationId) =>
        ++loads === 2 ? Promise.reject(new Error("down")) : read(conversationId);
      return failed(await view.appendMessages(id, [user("1")], {}, options)).retryable;
    };
    expect(await attempt({})).toBe(false);
    expect(await attempt({ idempotencyKey: "k" })).toBe(true);
    ok(await view.appendMessages(id, [user("1")], {}, { idempotencyKey: "k" }));
    expect(store.rows.get(id)?.messages).toHaveLength(2);
  });

  it("causes an error without the batch's content", async () => {
    failAppends(1, "before");
    const error = failed(await view.appendMessages(id, [user("my secret")]));
    expect(JSON.stringify(error)).not.toContain("my secret");
  });
});

describe("a store that sanitizes what it loads", () => {
  it("keeps counting versions while calls are pending, so the same run can continue", async () => {
    store = new SanitizingStore();
    view = providerOf(store);
    id = await store.create();
    ok(await view.appendMessages(id, [user("1"), calling("a", "b")], {}, { expectedVersion: 1 }));
    expect(await load(view, id)).toMatchObject({
      messages: [user("1")],
      metadata: { version: 2, nextPosition: 2 },
    });
    ok(await view.appendMessages(id, [answer("a")], {}, { expectedVersion: 2 }));
    ok(await view.appendMessages(id, [answer("b")], {}, { expectedVersion: 3 }));
    ok(await view.appendMessages(id, [assistant("done")], {}, { expectedVersion: 4 }));
    expect(await load(view, id)).toMatchObject({ metadata: { version: 5, nextPosition: 5 } });
    expect((await load(view, id))?.messages).toHaveLength(5);
  });

  it("reports a write from elsewhere as a conflict while calls are pending", async () => {
    store = new SanitizingStore();
    view = providerOf(store);
    id = await store.create();
    ok(await view.appendMessages(id, [user("1"), calling("a")]));
    const version: unknown = (await load(view, id))?.metadata?.["version"];
    await store.append(id, [user("from elsewhere")]);
    const error = failed(
      await view.appendMessages(id, [answer("a")], {}, { expectedVersion: version as number }),
    );
    expect(error).toMatchObject({ _tag: "MemoryConflictError", reason: "version" });
  });
});

describe("the owner", () => {
  it("protects the conversation from another user's write", async () => {
    const error = failed(await view.appendMessages(id, [user("1")], { userId: "mallory" }));
    expect(error).toMatchObject({ _tag: "MemoryConflictError", reason: "owner" });
    expect(await store.load(id)).toEqual([]);
  });

  it("has exclusive access through a view with a userId, which never lists all users' conversations", async () => {
    await store.append(id, [user("1")]);
    const list = store.list.bind(store);
    store.list = (...args) => (args.length === 0 ? Promise.reject(new Error("not allowed")) : list(...args));
    expect(await load(providerOf(store, { userId: "alice" }), id)).toMatchObject({ userId: "alice" });
    const mallory = providerOf(store, { userId: "mallory" });
    const conflict = { _tag: "MemoryConflictError", reason: "owner" };
    expect(failed(await mallory.getConversation(id))).toMatchObject(conflict);
    expect(failed(await mallory.appendMessages(id, [user("2")]))).toMatchObject(conflict);
    expect(ok(await mallory.findConversations({ conversationId: id }))).toEqual([]);
    expect(ok(await mallory.findConversations({ userId: "alice" }))).toEqual([]);
    expect(await store.load(id)).toHaveLength(1);
  });

  it("defaults to the filter's user if the store doesn't return it", async () => {
    const list = store.list.bind(store);
    store.list = async (userId) => (await list(userId)).map((entry) => ({ ...entry, userId: undefined }));
    await store.append(id, [user("1")]);
    expect(await load(providerOf(store, { userId: "alice" }), id)).toMatchObject({ userId: "alice" });
    expect((await providerOf(store, { userId: "mallory" }).getConversation(id)).success).toBe(false);
  });

  it("is read each time, so a conversation with a new owner disappears immediately", async () => {
    const [alice, bob] = [providerOf(store, { userId: "alice" }), providerOf(store, { userId: "bob" })];
    ok(await alice.appendMessages(id, [user("1")], { userId: "alice" }));
    const row = store.rows.get(id) ?? expect.fail("it isn't there");
    store.rows.set(id, { ...row, userId: "bob" });

    const conflict = { _tag: "MemoryConflictError", reason: "owner" };
    expect(failed(await alice.getConversation(id))).toMatchObject(conflict);
    expect(failed(await alice.getRecentMessages(id))).toMatchObject(conflict);
    expect(failed(await alice.appendMessages(id, [user("2")]))).toMatchObject(conflict);
    expect(ok(await alice.findConversations({ conversationId: id }))).toEqual([]);
    expect(failed(await view.appendMessages(id, [user("2")], { userId: "alice" }))).toMatchObject(conflict);
    expect(await load(view, id)).toMatchObject({ userId: "bob" });
    ok(await bob.appendMessages(id, [user("3")], { userId: "bob" }, { expectedVersion: 1 }));
    expect(await store.load(id)).toEqual([user("1"), user("3")]);
  });

  it("finds nothing of an earlier conversation if its id is reused", async () => {
    const alice = providerOf(store, { userId: "alice" });
    const options = { idempotencyKey: "k" };
    ok(await alice.appendMessages(id, [user("1")], { userId: "alice", jaf: { summary: "secret" } }, options));
    store.rows.set(id, { title: undefined, userId: "bob", agent: undefined, messages: [] });

    const bob = providerOf(store, { userId: "bob" });
    const found = await load(bob, id);
    ok(await bob.appendMessages(id, [user("1")], { userId: "bob" }, options));

    expect(JSON.stringify(found)).not.toMatch(/secret|alice/);
    expect(found?.metadata).toMatchObject({ version: 1, totalMessages: 0 });
    expect(await store.load(id)).toEqual([user("1")]);
  });

  it("keeps its local state if other users ask for the conversation", async () => {
    const alice = providerOf(store, { userId: "alice" });
    ok(await alice.appendMessages(id, [], { jaf: { turn: 1 } }));
    for (const ask of [view, providerOf(store, { userId: "mallory" })]) {
      expect((await ask.appendMessages(id, [user("1")], { userId: "mallory" })).success).toBe(false);
    }
    expect((await load(alice, id))?.metadata).toMatchObject({ jaf: { turn: 1 } });
  });

  it("is read from one listing in each call", async () => {
    const list = store.list.bind(store);
    let calls = 0;
    store.list = async (userId) => {
      calls += 1;
      return list(userId);
    };
    const alice = providerOf(store, { userId: "alice" });
    ok(await alice.appendMessages(id, [user("1")]));
    ok(await alice.getConversation(id));
    ok(await alice.findConversations({ conversationId: id }));
    ok(await alice.findConversations({ userId: "alice" }));
    expect(calls).toBe(4);
  });

  it("is not guessed if the store doesn't list the conversation", async () => {
    store.list = async () => [];
    expect(await load(view, id)).toBeNull();
    await store.append(id, [user("1")]);
    const error = failed(await view.getConversation(id));
    expect(error).toMatchObject({ _tag: "MemoryStorageError" });
    expect(error.message).toContain("userId");
  });
});

describe("an unknown id", () => {
  it("is not a conversation, and a write to it creates none", async () => {
    expect(await load(view, "made-up")).toBeNull();
    const error = failed(await view.appendMessages("made-up", [user("1")]));
    expect(error).toMatchObject({ _tag: "MemoryNotFoundError", conversationId: "made-up" });
    expect(store.rows.size).toBe(1);
  });
});

describe("finding", () => {
  it("returns a user's conversations page by page, newest first", async () => {
    const list = store.list.bind(store);
    const times: Record<string, string> = {
      "row-1": "2026-01-01",
      "row-2": "2026-01-03",
      "row-3": "2026-01-02",
    };
    for (const title of ["b", "c", "d"])
      await store.create(title, { userId: title === "d" ? "bob" : "alice" });
    store.list = async (userId) =>
      (await list(userId)).map((entry) => ({ ...entry, createdAt: new Date(times[entry.id] ?? 0) }));
    const all = ok(await view.findConversations({ userId: "alice" }));
    expect(all.map(({ conversationId }) => conversationId)).toEqual(["row-2", "row-3", "row-1"]);
    const page = ok(await view.findConversations({ userId: "alice", limit: 1, offset: 1 }));
    expect(page.map(({ conversationId }) => conversationId)).toEqual(["row-3"]);
    expect(ok(await view.getStats("alice"))).toMatchObject({
      totalConversations: 3,
      oldestConversation: new Date("2026-01-01"),
      newestConversation: new Date("2026-01-03"),
    });
  });

  it("accepts times in database formats, and nulls", async () => {
    const entry = { id, title: null, userId: "alice", createdAt: "2026-01-01T00:00:00Z", updatedAt: null };
    store.list = async () => [entry] as never;
    expect((await load(view, id))?.metadata?.createdAt).toEqual(new Date("2026-01-01"));
  });

  it("uses the time of the last change if the store returns no creation time, else the epoch", async () => {
    const list = store.list.bind(store);
    const times: Record<string, string> = { "row-1": "2026-01-01", "row-2": "2026-01-03" };
    await store.create("b", { userId: "alice" });
    await store.create("c", { userId: "alice" });
    store.list = async (userId) =>
      (await list(userId)).map((entry) => {
        const time = times[entry.id];
        return time === undefined ? entry : { ...entry, updatedAt: new Date(time) };
      });
    const createdAt = async (of: string): Promise<unknown> => (await load(view, of))?.metadata?.createdAt;
    expect(await createdAt("row-2")).toEqual(new Date("2026-01-03"));
    expect(await createdAt("row-3")).toEqual(new Date(0));
    expect(ok(await view.getStats("alice"))).toMatchObject({
      oldestConversation: new Date("2026-01-01"),
      newestConversation: new Date("2026-01-03"),
    });
    ok(await view.appendMessages(id, [user("1")], { note: 1 }));
    times[id] = "2026-01-04";
    expect((await load(view, id))?.metadata).toMatchObject({ note: 1, createdAt: new Date("2026-01-04") });
  });
});

describe("what five methods can't do", () => {
  it("is refused with the name of the missing feature", async () => {
    const refusals = [
      view.appendMessages(id, [user("1")], {}, { maxMessages: 5 }),
      view.appendMessages(id, [user("1")], {}, { ttlSeconds: 5 }),
      view.appendMessages(id, [user("1")], {}, { dropLast: 1 }),
      view.appendMessages(id, [user("1")], {}, { messageIds: ["a"] }),
      view.appendMessages(
        "new",
        [user("1")],
        { userId: "alice" },
        { createIfMissing: true, childOf: { conversationId: id, incarnation: "of the parent" } },
      ),
      view.storeMessages(id, [user("1")]),
      view.findConversations({ traceId: "t" }),
    ];
    for (const refused of refusals) {
      expect(failed(await refused)).toMatchObject({ _tag: "MemoryValidationError", retryable: false });
    }
    expect(failed(await view.deleteConversation(id)).message).toContain("delete()");
    expect(await store.load(id)).toEqual([]);
    expect(ok(await view.findConversations({ childrenOf: id }))).toEqual([]);
  });

  it("includes imports but not exports", async () => {
    await store.append(id, [user("1")]);
    ok(await view.appendMessages(id, [], { traceId: "t" }));
    const versioned = versionedView();
    const record = ok(await versioned.exportConversation(id)) ?? expect.fail("it isn't there");
    expect(record).toMatchObject({ version: 1, firstPosition: 0, messages: [user("1")], userId: "alice" });
    expect(record.traceIds).toEqual([]);
    const error = failed(await versioned.importConversation({ ...record, conversationId: "new" }));
    expect(error).toMatchObject({ _tag: "MemoryValidationError", issues: [{ path: "record" }] });
    const target = createInMemoryProvider();
    ok(await target.importConversation(record));
    expect(await load(target, id)).toMatchObject({ userId: "alice", metadata: { title: "Title" } });
  });

  it("includes creating a conversation under a given id", async () => {
    const create = { createIfMissing: true };
    const result = await view.appendMessages("new", [user("1")], { userId: "alice" }, create);
    expect(failed(result)).toMatchObject({ _tag: "MemoryNotFoundError", conversationId: "new" });
    expect(store.rows.has("new")).toBe(false);
  });

  it("includes deletion only if the store has none", async () => {
    const deleting: ConversationStore = Object.assign(store, {
      delete: async (conversationId: string) => void store.rows.delete(conversationId),
    });
    const other = providerOf(deleting);
    expect(ok(await other.deleteConversation(id))).toBe(true);
    expect(ok(await other.deleteConversation(id))).toBe(false);
    await store.create("t", { userId: "alice" });
    await store.create("t", { userId: "bob" });
    expect(ok(await other.clearUserConversations("alice"))).toBe(1);
    expect(store.rows.size).toBe(1);
  });
});

describe("reading through the view", () => {
  it("selects by positions, and returns receipts", async () => {
    ok(await view.appendMessages(id, [user("1"), assistant("2")], {}, { idempotencyKey: "k" }));
    ok(await view.appendMessages(id, [user("3")]));
    const read = async (options: ReadOptions) => ok(await versionedView().readConversation(id, options));
    expect(await read({ messages: { after: 0, limit: 1 } })).toMatchObject({
      firstPosition: 1,
      conversation: { messages: [assistant("2")], metadata: { version: 3, totalMessages: 3 } },
    });
    expect(await read({ messages: "none", receiptFor: "k" })).toMatchObject({
      firstPosition: 3,
      receipt: { nextPosition: 2 },
    });
    expect(await read({ messages: { messageId: "x" } })).toMatchObject({ conversation: { messages: [] } });
    expect(await read({ receiptFor: "other" })).not.toHaveProperty("receipt");
  });

  it("returns the receipt of an append that threw but succeeded later", async () => {
    const append = store.append.bind(store);
    store.append = () => Promise.reject(new Error("timeout"));
    failed(await view.appendMessages(id, [user("1")], {}, { idempotencyKey: "k" }));
    const receipt = async () =>
      ok(await versionedView().readConversation(id, { messages: "none", receiptFor: "k" })).receipt;
    expect(await receipt()).toBeUndefined();
    await append(id, [user("1")]);
    expect(await receipt()).toEqual({ nextPosition: 1 });
  });

  it("increases the version if others add or remove messages", async () => {
    const version = async (): Promise<unknown> => (await load(view, id))?.metadata?.version;
    expect(await version()).toBe(1);
    await store.append(id, [user("from elsewhere")]);
    expect(await version()).toBe(2);
    store.rows.get(id)?.messages.pop();
    expect(await version()).toBe(3);
  });

  it("refuses one of two metadata writes with the same expectation", async () => {
    const write = (note: number) => view.appendMessages(id, [], { note }, { expectedMetadataVersion: 0 });
    await store.setTitle(id, "Renamed");
    ok(await write(1));
    expect(failed(await write(2))).toMatchObject({ reason: "metadata-version", actualVersion: 1 });
    expect((await load(view, id))?.metadata).toMatchObject({ title: "Renamed", note: 1, version: 1 });
  });
});

describe("the incarnation", () => {
  const deletable = () => {
    store = Object.assign(store, {
      delete: async (conversationId: string) => void store.rows.delete(conversationId),
    });
    view = providerOf(store);
  };
  const incarnation = async (userId?: string) =>
    ok(await versionedView().readConversation(id, userId === undefined ? {} : { userId })).incarnation;
  const refused = { _tag: "MemoryConflictError", reason: "incarnation" };
  const restore = () =>
    store.rows.set(id, { title: undefined, userId: "alice", agent: undefined, messages: [] });

  it("lasts until the conversation is deleted, through the view or elsewhere", async () => {
    deletable();
    for (const erase of [() => view.deleteConversation(id), async () => store.rows.delete(id)]) {
      const before = await incarnation();
      ok(await view.appendMessages(id, [user("1")], {}, { expectedIncarnation: before }));
      await erase();
      const gone = await view.appendMessages(id, [user("2")], {}, { expectedIncarnation: before });
      expect(failed(gone)).toMatchObject(refused);
      restore();
      const late = await view.appendMessages(id, [user("2")], {}, { expectedIncarnation: before });
      expect(failed(late)).toMatchObject(refused);
      expect(await store.load(id)).toEqual([]);
    }
  });

  it("changes if the store returns another creation time", async () => {
    const list = store.list.bind(store);
    let createdAt = new Date(1);
    store.list = async (userId) => (await list(userId)).map((entry) => ({ ...entry, createdAt }));
    const before = await incarnation();
    createdAt = new Date(2);
    const late = await view.appendMessages(id, [user("2")], {}, { expectedIncarnation: before });
    expect(failed(late)).toMatchObject(refused);
  });

  it("of a missing conversation creates nothing, because the view can't create conversations", async () => {
    deletable();
    store.rows.clear();
    const conditions = { createIfMissing: true, expectedIncarnation: await incarnation("alice") };
    const written = await view.appendMessages(id, [user("1")], { userId: "alice" }, conditions);
    expect(failed(written)._tag).toBe("MemoryNotFoundError");
    restore();
    const late = await view.appendMessages(id, [user("1")], { userId: "alice" }, conditions);
    expect(failed(late)).toMatchObject(refused);
  });
});

it("reports system content that others wrote", async () => {
  const system = { role: "system", content: "Be brief." };
  store.rows.get(id)?.messages.push(system as never);
  expect(ok(await view.getConversation(id))?.messages).toContainEqual(system);
  const end = ok(await versionedView().readConversation(id, { messages: "none" })).conversation;
  expect(end?.metadata?.systemContent).toBe(true);
});

it("returns an error without content if a broken store returns invalid data", async () => {
  store.load = async () => [{ role: "root", content: "secret" }] as never;
  const error = failed(await view.getConversation(id));
  expect(error).toMatchObject({ _tag: "MemoryStorageError", operation: "getConversation" });
  expect(JSON.stringify(error)).not.toContain("secret");
  store.list = async () => ({ rows: [] }) as never;
  expect(failed(await providerOf(store, { userId: "x" }).getConversation(id)).message).toContain("list()");
});
