import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ConversationStore,
  ConversationStoreError,
  conversationMetadata,
  createConversationStore,
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  MemoryConversationStore,
  type MemoryErrorUnion,
  type MemoryProvider,
  type Message,
} from "../../src/index.ts";
import { readConversation } from "../../src/testing/fixtures/expectations.ts";
import { refusedIds, storableIds } from "../../src/testing/fixtures/hostile-ids.ts";
import { nextInstant } from "../../src/testing/fixtures/timing.ts";

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });

async function errorOf(action: Promise<unknown>): Promise<MemoryErrorUnion> {
  const thrown: unknown = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (thrown instanceof ConversationStoreError) return thrown.memoryError;
  throw new Error(`expected a ConversationStoreError, not ${String(thrown)}`);
}

let provider: MemoryProvider;

beforeEach(() => {
  provider = createInMemoryProvider();
});

afterEach(() => provider.close());

/** Performs each of the first `times` appends, but reports a failure. */
function losingReplies(times: number): MemoryProvider {
  let left = times;
  return {
    ...provider,
    appendMessages: async (...args) => {
      const result = await provider.appendMessages(...args);
      left -= 1;
      return left >= 0 ? createFailure(createMemoryConnectionError("memory")) : result;
    },
  };
}

it("works as documented", async () => {
  const store: ConversationStore = new MemoryConversationStore();
  const id = await store.create("First steps", { userId: "user-42", agent: "assistant" });
  await store.append(id, [user("My name is Alice."), assistant("Hello Alice.")]);
  await store.setTitle(id, "Alice");
  expect(await store.load(id)).toEqual([user("My name is Alice."), assistant("Hello Alice.")]);
  expect(await store.list("user-42")).toMatchObject([
    { id, title: "Alice", userId: "user-42", agent: "assistant" },
  ]);
  await store.delete?.(id);
  expect(await store.load(id)).toEqual([]);
  expect(await store.list("user-42")).toEqual([]);
});

describe("create", () => {
  it("creates an empty conversation with title, owner and meta, under an unguessable id", async () => {
    const store = createConversationStore(provider);
    const meta = { userId: "alice", agent: "support", resourceSlug: "orders", recordId: "17" };
    const ids = [await store.create("Order 17", meta), await store.create("Order 17", meta)];
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const stored = await provider.getConversation(ids[0] ?? "");
    expect(stored).toMatchObject({
      success: true,
      data: { userId: "alice", messages: [], metadata: { title: "Order 17", agent: "support", version: 1 } },
    });
    const [entry] = await store.list("alice");
    expect(entry).toEqual({
      id: expect.any(String),
      title: "Order 17",
      ...meta,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
  });

  it("leaves out unset fields", async () => {
    const store = createConversationStore(provider);
    const id = await store.create();
    expect(Object.keys((await store.list())[0] ?? {})).toEqual(["id", "createdAt", "updatedAt"]);
    expect(await store.load(id)).toEqual([]);
  });

  it("refuses an unknown field, an undefined owner, and a title that isn't a string", async () => {
    const store = createConversationStore(provider);
    await expect(store.create("t", { userID: "alice" } as never)).rejects.toThrow(/userID/);
    await expect(store.create("t", { userId: undefined } as never)).rejects.toThrow(TypeError);
    await expect(store.create(5 as never)).rejects.toThrow(/title/);
    expect(await store.list()).toEqual([]);
  });

  it("refuses an invalid owner id", async () => {
    const error = await errorOf(createConversationStore(provider).create("t", { userId: "" }));
    expect(error).toMatchObject({ _tag: "MemoryValidationError" });
  });
});

describe("append", () => {
  it("adds at the end, and leaves title, meta and owner unchanged", async () => {
    const store = createConversationStore(provider);
    const id = await store.create("Title", { userId: "alice", agent: "a" });
    await store.append(id, [user("1")]);
    await store.append(id, [assistant("2"), user("3")]);
    expect(await store.load(id)).toEqual([user("1"), assistant("2"), user("3")]);
    expect(await store.list("alice")).toMatchObject([{ id, title: "Title", agent: "a", userId: "alice" }]);
  });

  it("refuses a missing conversation, and creates none", async () => {
    const store = createConversationStore(provider);
    const expected = { _tag: "MemoryNotFoundError", conversationId: "made-up", retryable: false };
    expect(await errorOf(store.append("made-up", [user("1")]))).toMatchObject(expected);
    expect(await errorOf(store.setTitle("made-up", "t"))).toMatchObject(expected);
    expect(await store.list()).toEqual([]);
  });

  it("stores nothing twice if replies are lost", async () => {
    const id = await createConversationStore(provider).create();
    const store = createConversationStore(losingReplies(3), { retry: { baseDelayMs: 0 } });
    await store.append(id, [user("once")]);
    expect(await store.load(id)).toEqual([user("once")]);
  });

  it("stores its arguments as they were at the call", async () => {
    const store = createConversationStore(provider);
    const id = await store.create();
    const batch = [user("kept")];
    const appended = store.append(id, batch);
    batch.push(user("too late"));
    await appended;
    expect(await store.load(id)).toEqual([user("kept")]);
  });

  it("loses no message of many writers", async () => {
    const stores = [createConversationStore(provider), createConversationStore(provider)];
    const id = (await stores[0]?.create()) ?? "";
    const names = Array.from({ length: 40 }, (_, index) => `${index}`);
    await Promise.all(
      names.map((name, index) => stores[index % 2]?.append(id, [user(name), assistant(name)])),
    );
    const contents = (await stores[0]?.load(id))?.map(({ content }) => content) ?? [];
    expect(contents.filter((_, index) => index % 2 === 0).sort()).toEqual([...names].sort());
    for (let index = 0; index < contents.length; index += 2)
      expect(contents[index]).toBe(contents[index + 1]);
  });
});

describe("load", () => {
  it("leaves out pending calls, which the provider keeps", async () => {
    const store = createConversationStore(provider);
    const id = await store.create();
    const calling: Message = {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    };
    await store.append(id, [user("1"), calling]);
    expect(await store.load(id)).toEqual([user("1")]);
    const whole = await store.provider.getConversation(id);
    expect(whole.success && whole.data?.messages).toEqual([user("1"), calling]);
  });

  it("returns an array that callers can change, with frozen messages", async () => {
    const store = createConversationStore(provider);
    const id = await store.create();
    await store.append(id, [user("1")]);
    const messages: Message[] = await store.load(id);
    expect(Object.isFrozen(messages[0])).toBe(true);
    messages.push(user("2"));
    expect(await store.load(id)).toEqual([user("1")]);
    const listed = await store.list();
    listed.pop();
    expect(await store.list()).toHaveLength(1);
  });
});

describe("setTitle", () => {
  it("succeeds during appends", async () => {
    const store = createConversationStore(provider);
    const id = await store.create("old", { userId: "alice" });
    const appends = Array.from({ length: 20 }, (_, index) => store.append(id, [user(`${index}`)]));
    await Promise.all([...appends, store.setTitle(id, "new")]);
    expect((await store.list("alice"))[0]).toMatchObject({ title: "new" });
    expect(await store.load(id)).toHaveLength(20);
  });

  it("causes no conflict for appends, and they cause none for it", async () => {
    const store = createConversationStore(provider);
    const id = await store.create("old");
    const { metadata } = await readConversation(provider, id);
    await store.setTitle(id, "new");
    const expected = { expectedVersion: metadata.version ?? 0 };
    expect(await provider.appendMessages(id, [user("1")], {}, expected)).toMatchObject({ success: true });
    await store.setTitle(id, "newer");
    expect((await store.list())[0]).toMatchObject({ title: "newer" });
  });
});

describe("a conversation that is deleted between a write's read and its write", () => {
  /** A store that runs `meanwhile` before its next append. */
  const overtaken = (meanwhile: () => Promise<unknown>) =>
    createConversationStore({
      ...provider,
      appendMessages: async (...args) => {
        await meanwhile();
        return provider.appendMessages(...args);
      },
    });

  it("stays deleted after every kind of write", async () => {
    for (const messages of [[], [user("1")]]) {
      const id = await createConversationStore(provider).create("t", { userId: "alice" });
      if (messages.length > 0) await provider.appendMessages(id, messages);
      const store = overtaken(() => provider.deleteConversation(id));
      const absent = { _tag: "MemoryNotFoundError", conversationId: id };
      expect(await errorOf(store.append(id, [user("late")]))).toMatchObject(absent);
      expect(await errorOf(store.setTitle(id, "ghost"))).toMatchObject(absent);
      expect(await provider.getConversation(id)).toEqual({ success: true, data: null });
    }
  });

  it("is not confused with one that was created again under its id", async () => {
    const id = await createConversationStore(provider).create("t", { userId: "alice" });
    const store = overtaken(async () => {
      await provider.deleteConversation(id);
      await provider.storeMessages(id, [user("new")], { userId: "alice" });
    });
    const refused = { _tag: "MemoryConflictError", reason: "incarnation" };
    expect(await errorOf(store.append(id, [user("late")]))).toMatchObject(refused);
    expect(await errorOf(store.setTitle(id, "ghost"))).toMatchObject(refused);
    expect(await store.load(id)).toEqual([user("new")]);
    expect((await store.list("alice"))[0]).not.toHaveProperty("title");
  });

  it("isn't created again by a repeated attempt to create it", async () => {
    let attempts = 0;
    const store = createConversationStore(
      {
        ...provider,
        storeMessages: async (...args) => {
          const result = await provider.storeMessages(...args);
          attempts += 1;
          if (attempts > 1) return result;
          await provider.clearUserConversations("alice");
          return createFailure(createMemoryConnectionError("memory"));
        },
      },
      { retry: { baseDelayMs: 0 } },
    );
    const error = await errorOf(store.create("secret", { userId: "alice" }));
    expect(error).toMatchObject({ _tag: "MemoryConflictError", reason: "incarnation" });
    expect(await store.list()).toEqual([]);
  });
});

describe("list", () => {
  it("returns each conversation of the user once, newest first, and reads no messages", async () => {
    const seen: unknown[] = [];
    const store = createConversationStore({
      ...provider,
      findConversations: (query) => {
        seen.push(query.includeMessages);
        return provider.findConversations(query);
      },
    });
    const ids: string[] = [];
    for (let index = 0; index < 250; index++) ids.push(await store.create(`${index}`, { userId: "alice" }));
    await store.create("other", { userId: "bob" });
    const listed = await store.list("alice");
    expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const times = listed.map(({ updatedAt }) => updatedAt?.getTime() ?? 0);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(new Set(seen)).toEqual(new Set([false]));
    expect(await store.list()).toHaveLength(251);
  });

  it("misses no conversation that is written during the listing", async () => {
    let oldest = "";
    let pages = 0;
    const store = createConversationStore({
      ...provider,
      findConversations: async (query) => {
        const page = await provider.findConversations(query);
        pages += 1;
        if (pages === 1) await provider.appendMessages(oldest, [user("moves to the front")]);
        return page;
      },
    });
    oldest = await store.create("oldest", { userId: "alice" });
    await nextInstant();
    for (let index = 0; index < 150; index++) await store.create(`${index}`, { userId: "alice" });
    expect(await store.list("alice")).toHaveLength(151);
  });

  it("refuses an undefined user, instead of listing all users' conversations", async () => {
    for (const store of [createConversationStore(provider), new MemoryConversationStore()]) {
      await store.create("secret", { userId: "bob" });
      expect(await errorOf(store.list(undefined))).toMatchObject({ _tag: "MemoryValidationError" });
      expect(await errorOf(store.list(""))).toMatchObject({ _tag: "MemoryValidationError" });
    }
  });

  it("returns conversations written with conversationMetadata, and ignores metadata of another shape", async () => {
    const store = createConversationStore(provider);
    const metadata = conversationMetadata({ userId: "alice", agent: "a" }, "Title");
    await provider.storeMessages("c", [user("1")], { ...metadata, resourceSlug: 7, jaf: { title: "no" } });
    const [entry] = await store.list("alice");
    expect(entry).toMatchObject({ id: "c", title: "Title", agent: "a" });
    expect(entry).not.toHaveProperty("resourceSlug");
  });
});

/** SHA-256 of `["jaf:thread","alice","support"]`, computed with another program. Stored threads depend on it. */
const THREAD = "thread_sLHqNjqZXOrn3qZB88vxIQf8j0wknWl1_e1fcBk4cJ0";

describe("threadFor", () => {
  const store = new MemoryConversationStore();

  it("returns the same id in every process, so two that begin at the same time meet", async () => {
    const stores = [createConversationStore(provider), createConversationStore(provider)];
    const threads = stores.map((one) => one.threadFor("alice", "support"));
    expect(threads).toEqual([THREAD, THREAD]);
    const writes = threads.map((id, index) =>
      provider.appendMessages(
        id,
        [user(`${index}`)],
        conversationMetadata({ userId: "alice", agent: "support" }),
        { createIfMissing: true },
      ),
    );
    for (const written of await Promise.all(writes)) expect(written.success).toBe(true);
    expect(await stores[0]?.list("alice")).toMatchObject([{ id: threads[0], agent: "support" }]);
    expect(await stores[1]?.load(threads[1] ?? "")).toHaveLength(2);
  });

  it("distinguishes all pairs of hostile ids", () => {
    const pairs = storableIds.flatMap((one) => storableIds.map((other) => store.threadFor(one, other)));
    expect(new Set(pairs).size).toBe(new Set(storableIds).size ** 2);
    expect(store.threadFor('a","b', "c")).not.toBe(store.threadFor("a", 'b","c'));
    expect(store.threadFor("a:b", "c")).not.toBe(store.threadFor("a", "b:c"));
    expect(pairs.every((id) => /^thread_[\w-]{43}$/.test(id))).toBe(true);
  });

  it("refuses an invalid id on either side", () => {
    for (const refused of refusedIds) {
      expect(() => store.threadFor(refused as string, "agent")).toThrow(ConversationStoreError);
      expect(() => store.threadFor("alice", refused as string)).toThrow(ConversationStoreError);
    }
  });
});

describe("failures", () => {
  it("contain the provider's error and no content", async () => {
    const store = createConversationStore(provider, { retry: false });
    await provider.close();
    const error = await errorOf(store.load("c"));
    expect(error).toMatchObject({ _tag: "MemoryConnectionError", retryable: false });
  });

  it("include those of a provider that throws", async () => {
    const broken = { ...provider, getConversation: () => Promise.reject(new Error("boom")) };
    const error = await errorOf(createConversationStore(broken, { retry: false }).load("c"));
    expect(error).toMatchObject({ _tag: "MemoryStorageError", operation: "load" });
  });

  it("name an unknown option", () => {
    expect(() => createConversationStore(provider, { retries: 3 } as never)).toThrow(/retries/);
  });
});
