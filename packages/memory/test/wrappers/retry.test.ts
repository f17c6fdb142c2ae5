import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  createMemoryStorageError,
  type MemoryProvider,
  type RetryEvent,
  type VersionedMemoryProvider,
  withRetry,
} from "../../src/index.ts";
import {
  expectError,
  expectOk,
  readContents,
  readConversation,
} from "../../src/testing/fixtures/expectations.ts";
import { hostile, user, users } from "../../src/testing/fixtures/messages.ts";

const unreachable = createFailure(createMemoryConnectionError("memory"));

/** Makes each write, and loses the reply of the first `losses` calls of any method. */
function losing(losses: number): VersionedMemoryProvider & { readonly calls: () => number } {
  const provider = createInMemoryProvider();
  let calls = 0;
  const lossy = <Args extends readonly unknown[], R>(method: (...args: Args) => Promise<R>) => {
    return async (...args: Args) => {
      const result = await method(...args);
      calls += 1;
      return calls <= losses ? unreachable : result;
    };
  };
  return {
    ...provider,
    storeMessages: lossy(provider.storeMessages),
    appendMessages: lossy(provider.appendMessages),
    importConversation: lossy(provider.importConversation),
    readConversation: lossy(provider.readConversation),
    exportConversation: lossy(provider.exportConversation),
    deleteConversation: lossy(provider.deleteConversation),
    getConversation: lossy(provider.getConversation),
    calls: () => calls,
  };
}

const soon = { baseDelayMs: 0 };

/** The result after this many failed attempts. */
const givenUpAfter = (attempts: number) => createFailure({ ...unreachable.error, attempts });

const UNOWNED = { createIfMissing: "unowned" } as const;

describe("withRetry", () => {
  it.each(["storeMessages", "appendMessages"] as const)(
    "writes once with %s if replies are lost, even with an expected version",
    async (method) => {
      const provider = withRetry(losing(4), soon);
      const options = { expectedVersion: 0, ...(method === "appendMessages" ? UNOWNED : {}) };
      expectOk(await provider[method]("c", users("1", "2"), {}, options));
      expect(await readContents(provider, "c")).toEqual(["1", "2"]);
    },
  );

  it("writes its arguments as they were at the call", async () => {
    const provider = withRetry(losing(1), { onRetry: () => messages.push(user("late")), ...soon });
    const messages = [user("1")];
    expectOk(await provider.appendMessages("c", messages, {}, UNOWNED));
    expect(await readContents(provider, "c")).toEqual(["1"]);
  });

  it("repeats a write and a search with the original arguments, even after deep changes", async () => {
    const inner = createInMemoryProvider();
    const answers = [unreachable, unreachable];
    const append = vi.fn<MemoryProvider["appendMessages"]>(
      async (...args) => answers.pop() ?? inner.appendMessages(...args),
    );
    const find = vi.fn<MemoryProvider["findConversations"]>(
      async (query) => answers.pop() ?? inner.findConversations(query),
    );
    const provider = withRetry({ ...inner, appendMessages: append, findConversations: find }, soon);

    const message = { role: "user", content: "1" } as const;
    const metadata = { userId: "u", at: new Date(5), tags: { list: ["a"] } };
    const write = provider.appendMessages("c", [message], metadata, { createIfMissing: true });
    Object.assign(message, { content: "changed" });
    metadata.at.setTime(9);
    metadata.tags.list.push("changed");
    expectOk(await write);
    const { messages, metadata: stored } = await readConversation(inner, "c");
    expect(messages).toEqual(users("1"));
    expect(stored).toMatchObject({ at: new Date(5), tags: { list: ["a"] } });

    answers.push(unreachable);
    const query = { userId: "nobody", since: new Date(1) };
    const search = provider.findConversations(query);
    query.userId = "u";
    query.since.setTime(0);
    expect(expectOk(await search)).toEqual([]);
    expect(find.mock.lastCall).toEqual([{ userId: "nobody", since: new Date(1) }]);
  });

  it("refuses what the provider refuses, and loses no hidden condition", async () => {
    const inner = createInMemoryProvider();
    const provider = withRetry(inner);
    class Typed {
      readonly a = 1;
    }
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const named = Object.assign([1], { named: 1 });
    const symbol = { [Symbol("s")]: 1 };
    for (const value of [new Typed(), new Map(), cycle, named, symbol, () => {}, { toJSON: () => 1 }]) {
      const own = await inner.appendMessages("c", users("1"), { value }, UNOWNED);
      const wrapped = await provider.appendMessages("c", users("1"), { value }, UNOWNED);
      expectError(wrapped, "MemoryValidationError");
      expect(wrapped).toEqual(own);
    }
    expectOk(await inner.appendMessages("c", users("1"), { userId: "v" }, UNOWNED));
    const hidden = Object.defineProperty({}, "userId", { value: "u" });
    expect(expectOk(await provider.findConversations(hidden))).toEqual([]);
  });

  it("keeps the caller's idempotency key, and gives each call without one its own", async () => {
    const inner = createInMemoryProvider();
    const append = vi.fn(inner.appendMessages);
    const provider = withRetry({ ...inner, appendMessages: append });
    expectOk(await provider.appendMessages("c", users("1"), undefined, { ...UNOWNED, idempotencyKey: "k" }));
    expectOk(await provider.appendMessages("c", users("2"), undefined, { maxMessages: 9 }));
    expectOk(await provider.appendMessages("c", users("2"), {}, UNOWNED));
    const keys = append.mock.calls.map(([, , , options]) => options?.idempotencyKey);
    expect(keys[0]).toBe("k");
    expect(new Set(keys).size).toBe(3);
    expect(append.mock.calls[1]?.[3]?.maxMessages).toBe(9);
  });

  it("repeats reads, exports and imports, but imports only once if replies are lost", async () => {
    const from = createInMemoryProvider();
    expectOk(await from.storeMessages("c", users("1"), { at: new Date(5) }));
    const record = expectOk(await from.exportConversation("c"));
    if (record === null) throw new Error("expected a conversation");
    const source = { ...record, metadata: { at: new Date(5) } };
    const operations: string[] = [];
    const onRetry = ({ operation }: RetryEvent) => operations.push(operation);
    const provider = withRetry(losing(1), { ...soon, onRetry });
    const importing = provider.importConversation(source);
    source.metadata.at.setTime(9);
    expectOk(await importing);
    expectError(await provider.importConversation(record), "MemoryConflictError");
    const { conversation } = expectOk(await provider.readConversation("c"));
    expect(conversation?.metadata).toMatchObject({ at: new Date(5), version: 1 });
    expect(operations).toEqual(["importConversation"]);
    expect(expectOk(await withRetry(losing(1), soon).readConversation("c")).conversation).toBeNull();
    expect(expectOk(await withRetry(losing(1), soon).exportConversation("c"))).toBeNull();
  });

  it("reads with its options as they were at the call", async () => {
    const inner = createInMemoryProvider();
    expectOk(await inner.storeMessages("c", users("1", "2")));
    let lost = false;
    const read = vi.fn<VersionedMemoryProvider["readConversation"]>(async (...given) => {
      if (lost) return inner.readConversation(...given);
      lost = true;
      return unreachable;
    });
    const selection = { after: 0 };
    const reading = withRetry({ ...inner, readConversation: read }, soon).readConversation("c", {
      messages: selection,
    });
    selection.after = -1;
    expect(expectOk(await reading).firstPosition).toBe(1);
  });

  it("adds no method that the provider doesn't have", () => {
    const { readConversation: _, exportConversation: _1, importConversation: _2, ...ten } = losing(0);
    expect(Object.keys(withRetry(ten)).sort()).toEqual(Object.keys(ten).sort());
    const { importConversation: _3, ...twelve } = losing(0);
    expect(Object.keys(withRetry(twelve)).sort()).toEqual(Object.keys(twelve).sort());
  });

  it("returns false for a deletion with a lost reply", async () => {
    const provider = withRetry(losing(1), soon);
    expectOk(await provider.storeMessages("c", users("1")));
    const inner = losing(1);
    expectOk(await withRetry(inner, soon).storeMessages("c", users("1")));
    expect(expectOk(await provider.deleteConversation("c"))).toBe(true);
    expect(expectOk(await withRetry(losing(1), soon).deleteConversation("c"))).toBe(false);
  });

  it("returns immediately if no retry can help", async () => {
    const storage = createFailure(createMemoryStorageError("getConversation", "it is broken"));
    const read = vi.fn<MemoryProvider["getConversation"]>(async () => storage);
    const provider = withRetry({ ...createInMemoryProvider(), getConversation: read });
    expect(await provider.getConversation("c")).toBe(storage);
    expect(read).toHaveBeenCalledOnce();
    expectError(await withRetry(createInMemoryProvider()).storeMessages("", []), "MemoryValidationError");
  });

  it("leaves invalid arguments to the provider", async () => {
    const provider = withRetry(createInMemoryProvider());
    const throwing = Object.defineProperty({}, "idempotencyKey", {
      enumerable: true,
      get: () => {
        throw new Error("s3cret");
      },
    });
    for (const options of [null, 5, [], new Map(), throwing, { idempotencyKey: null }]) {
      const result = await provider.appendMessages("c", users("1"), {}, hostile(options));
      expectError(result, "MemoryValidationError");
    }
    for (const messages of [null, "text", 5, new Set()]) {
      expectError(await provider.appendMessages("c", hostile(messages)), "MemoryValidationError");
    }
  });

  it("passes on further methods of objects and classes, bound to their instance", async () => {
    const inner = createInMemoryProvider({ maxConversations: 1 });
    const evicted = vi.fn();
    const provider = withRetry(inner);
    provider.on("conversation_evicted", evicted);
    for (const id of ["a", "b"]) expectOk(await provider.storeMessages(id, []));
    expect(evicted).toHaveBeenCalledOnce();

    class Custom {
      readonly #secret = 7;
      constructor() {
        Object.assign(this, createInMemoryProvider());
      }
      secret() {
        return this.#secret;
      }
      get double() {
        return 2 * this.#secret;
      }
    }
    const custom = Object.freeze(new Custom()) as Custom & MemoryProvider;
    const wrapped = withRetry(custom);
    expect([wrapped.secret(), wrapped.double]).toEqual([7, 14]);
    expectOk(await wrapped.storeMessages("c", users("1")));
  });

  it.each([
    ["maxAttempts", 0],
    ["maxAttempts", "5"],
    ["baseDelayMs", -1],
    ["maxDelayMs", Number.NaN],
    ["maxElapsedMs", Number.POSITIVE_INFINITY],
    ["signal", {}],
    ["onRetry", "log"],
    ["retries", 3],
  ])("refuses the option %s = %s and names it", (field, value) => {
    const wrap = () => withRetry(createInMemoryProvider(), { [field]: value } as never);
    expect(wrap).toThrow(TypeError);
    expect(wrap).toThrow(field);
  });
});

describe("the waits of withRetry", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const down = () => {
    const getConversation = vi.fn<MemoryProvider["getConversation"]>(async () => unreachable);
    return { ...createInMemoryProvider(), getConversation };
  };

  it("grow exponentially up to the maximum, randomised", async () => {
    const events: RetryEvent[] = [];
    const options = { maxAttempts: 6, maxDelayMs: 500, onRetry: (event: RetryEvent) => events.push(event) };
    const full = withRetry(down(), { ...options, random: () => 1 }).getConversation("c");
    await vi.runAllTimersAsync();
    expect(await full).toEqual(givenUpAfter(6));
    expect(events.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 100],
      [2, 200],
      [3, 400],
      [4, 500],
      [5, 500],
    ]);
    expect(events[0]).toMatchObject({ operation: "getConversation", error: unreachable.error });
    events.length = 0;
    const half = withRetry(down(), { ...options, random: () => 0.5 }).getConversation("c");
    await vi.runAllTimersAsync();
    await half;
    expect(events[1]?.delayMs).toBe(100);
  });

  it("end after five attempts by default", async () => {
    const provider = down();
    const call = withRetry(provider).getConversation("c");
    await vi.runAllTimersAsync();
    expect(await call).toEqual(givenUpAfter(5));
    expect(provider.getConversation).toHaveBeenCalledTimes(5);
  });

  it("begin no attempt after the time limit", async () => {
    const provider = down();
    const options = { maxAttempts: 99, baseDelayMs: 400, maxElapsedMs: 1_000, random: () => 1 };
    const call = withRetry(provider, options).getConversation("c");
    await vi.runAllTimersAsync();
    await call;
    expect(provider.getConversation).toHaveBeenCalledTimes(2);
  });

  it.each(["close", "signal"])("end immediately with the last error on %s", async (how) => {
    const provider = down();
    const abort = new AbortController();
    const wrapped = withRetry(provider, { baseDelayMs: 5_000, random: () => 1, signal: abort.signal });
    const calls = Array.from({ length: 50 }, () => wrapped.getConversation("c"));
    await vi.advanceTimersByTimeAsync(1);
    if (how === "close") expectOk(await wrapped.close());
    else abort.abort();
    expect(await Promise.all(calls)).toEqual(calls.map(() => givenUpAfter(1)));
    expect(vi.getTimerCount()).toBe(0);
    expect(provider.getConversation).toHaveBeenCalledTimes(50);
  });

  it("don't multiply: an outer withRetry doesn't retry after an inner one has given up", async () => {
    const provider = down();
    const inner = withRetry(provider, { maxAttempts: 3 });
    const call = withRetry(inner, { maxAttempts: 7 }).getConversation("c");
    await vi.runAllTimersAsync();
    expect(await call).toEqual(givenUpAfter(3));
    expect(provider.getConversation).toHaveBeenCalledTimes(3);
  });

  it("end with the signal of the call, for reads and writes, and of no other call", async () => {
    const inner = createInMemoryProvider();
    const readConversation = vi.fn<typeof inner.readConversation>(async () => unreachable);
    const appendMessages = vi.fn<MemoryProvider["appendMessages"]>(async () => unreachable);
    const store = { ...inner, readConversation, appendMessages };
    const provider = withRetry(store, { baseDelayMs: 5_000, random: () => 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const read = provider.readConversation("c", { signal });
    const write = provider.appendMessages("c", users("1"), {}, { signal });
    const other = provider.readConversation("d", { signal: new AbortController().signal });
    await vi.advanceTimersByTimeAsync(1);
    controller.abort();
    expect(await Promise.all([read, write])).toEqual([givenUpAfter(1), givenUpAfter(1)]);
    expect(appendMessages.mock.lastCall?.[3]?.signal).toBe(signal);
    expect(readConversation.mock.calls[0]?.[1]?.signal).toBe(signal);
    expect(await provider.readConversation("c", { signal })).toEqual(givenUpAfter(1));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    await vi.runAllTimersAsync();
    expect(await other).toEqual(givenUpAfter(5));
  });

  it("only listen to the signal while they last", async () => {
    const { signal } = new AbortController();
    const wrapped = Array.from({ length: 5 }, () => withRetry(down(), { signal }));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    const calls = wrapped.flatMap((provider) => [
      provider.getConversation("c"),
      provider.getConversation("d"),
    ]);
    await vi.advanceTimersByTimeAsync(0);
    expect(getEventListeners(signal, "abort").length).toBeGreaterThan(0);
    await vi.runAllTimersAsync();
    await Promise.all(calls);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("are reported to an async observer, and its rejection changes nothing", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const onRetry = async () => Promise.reject(new Error("the observer is broken"));
    const call = withRetry(losing(1), { onRetry }).storeMessages("c", users("1"));
    await vi.runAllTimersAsync();
    expectOk(await call);
    expect(warned).toHaveBeenCalledOnce();
    warned.mockRestore();
  });

  it("are reported to an observer, and its failure changes nothing", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const onRetry = () => {
      throw new Error("the observer is broken");
    };
    const call = withRetry(losing(1), { onRetry }).storeMessages("c", users("1"));
    await vi.runAllTimersAsync();
    expectOk(await call);
    expect(warned).toHaveBeenCalledOnce();
    warned.mockRestore();
  });
});
