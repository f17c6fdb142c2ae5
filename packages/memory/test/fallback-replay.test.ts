// What becomes of fallback writes once the primary answers again.
import { describe, expect, it, vi } from "vitest";
import {
  createInMemoryProvider,
  createMemoryConnectionError,
  type DeadLetterEvent,
  dropDeadLetter,
  type FallbackOptions,
  findDeadLetters,
  type MemoryProvider,
  replayFallbackWrites,
  type VersionedMemoryProvider,
  withFallback,
} from "../src/index.ts";
import {
  contents,
  expectConflict,
  expectError,
  expectOk,
  ids,
  readContents,
} from "../src/testing/expectations.ts";
import { user, users } from "../src/testing/messages.ts";
import { setUp as setUpOutage } from "./support/outage.ts";

const CREATE = { createIfMissing: true } as const;
const ALICE = { userId: "alice" } as const;
const MALLORY = { userId: "mallory" } as const;

function setUp(options: FallbackOptions = {}) {
  const events: DeadLetterEvent[] = [];
  const all = {
    writes: "fallback",
    onDeadLetter: (event: DeadLetterEvent) => events.push(event),
    ...options,
  } as const;
  const outage = setUpOutage(all);
  /** The process again, after its end. */
  const restart = () => withFallback(outage.primary, outage.fallback, { cooldownMs: 0, ...all });
  const setDown = (isDown: boolean) => {
    outage.outage.error = isDown ? outage.down : undefined;
  };
  return { ...outage, deadLetters: events, restart, setDown };
}

/** The ten methods of a provider, as somebody else writes them. */
function tenOf(provider: VersionedMemoryProvider): MemoryProvider {
  const { readConversation: _, exportConversation: _1, importConversation: _2, ...ten } = provider;
  return ten;
}

describe("fallback writes are replayed on the primary", () => {
  it("in a process that was started after the outage, before its first read answers", async () => {
    const { provider, primary, setDown, restart } = setUp();
    expectOk(await provider.appendMessages("c", users("1"), ALICE, CREATE));
    setDown(true);
    expectOk(await provider.appendMessages("c", users("2"), ALICE, CREATE));
    setDown(false);
    const restarted = restart();
    expect(await readContents(restarted, "c")).toEqual(["1", "2"]);
    expectOk(await restarted.appendMessages("c", users("3"), ALICE));
    expect(await readContents(primary, "c")).toEqual(["1", "2", "3"]);
  });

  it("with everything that they said: traces, metadata, ids of messages, trims and ends that they replace", async () => {
    const { provider, primary, setDown } = setUp();
    const at = new Date(5);
    setDown(true);
    expectOk(
      await provider.appendMessages(
        "c",
        users("1", "2"),
        { ...ALICE, traceId: "t1", a: 1 },
        { ...CREATE, messageIds: ["m1", "m2"] },
      ),
    );
    expectOk(await provider.appendMessages("c", users("3"), { traceId: "t2", at }, { dropLast: 1 }));
    expectOk(await provider.appendMessages("c", [], { b: 2 }));
    expectOk(
      await provider
        .appendMessages("c", users("4", "5"), {}, { maxMessages: 3, messageIds: ["m1", "m5"] })
        .then(() => provider.appendMessages("c", users("4", "5"), {}, { maxMessages: 3 })),
    );
    const shown = await readContents(provider, "c");
    setDown(false);
    expect(await readContents(provider, "c")).toEqual(shown);
    const replayed = expectOk(await primary.getConversation("c"));
    expect(replayed?.metadata).toMatchObject({ a: 1, b: 2, at, traceId: "t2" });
    expect(replayed?.userId).toBe("alice");
    for (const traceId of ["t1", "t2"]) {
      expect(ids(expectOk(await primary.findConversations({ traceId })))).toEqual(["c"]);
    }
  });

  it("once, also those that the primary had done and whose reply was lost", async () => {
    const inner = createInMemoryProvider();
    let losing = false;
    const lost = { success: false, error: createMemoryConnectionError("memory") } as const;
    const appendMessages: MemoryProvider["appendMessages"] = async (...args) => {
      const result = await inner.appendMessages(...args);
      return losing ? lost : result;
    };
    const provider = withFallback({ ...inner, appendMessages }, createInMemoryProvider(), {
      writes: "fallback",
      cooldownMs: 0,
    });
    losing = true;
    expectOk(await provider.appendMessages("c", users("1"), ALICE, CREATE));
    expectOk(await provider.appendMessages("c", users("2"), ALICE, CREATE));
    losing = false;
    expect(await readContents(provider, "c")).toEqual(["1", "2"]);
    expect(await readContents(inner, "c")).toEqual(["1", "2"]);
  });

  it("in the background as soon as the primary answers anything, and before a listing", async () => {
    const { provider, primary, setDown } = setUp();
    setDown(true);
    for (const id of ["a", "b"]) expectOk(await provider.appendMessages(id, users("1"), ALICE, CREATE));
    setDown(false);
    expectOk(await provider.getConversation("other"));
    await expect.poll(async () => ids(expectOk(await primary.findConversations(ALICE))).length).toBe(2);
    setDown(true);
    expectOk(await provider.appendMessages("d", users("1"), ALICE, CREATE));
    setDown(false);
    expect(ids(expectOk(await provider.findConversations(ALICE))).toSorted()).toEqual(["a", "b", "d"]);
  });

  it("to a conversation that was created again after its user was cleared", async () => {
    const { provider, setDown } = setUp();
    expectOk(await provider.appendMessages("c", users("old"), ALICE, CREATE));
    expectOk(await provider.getConversation("c"));
    expectOk(await provider.clearUserConversations("alice"));
    expectOk(await provider.appendMessages("c", users("1"), ALICE, CREATE));
    setDown(true);
    expectOk(await provider.appendMessages("c", users("2"), ALICE, CREATE));
    setDown(false);
    expect(await readContents(provider, "c")).toEqual(["1", "2"]);
  });

  it("by replayFallbackWrites, which continues where an outage stopped it", async () => {
    const { provider, primary, fallback, setDown } = setUp();
    setDown(true);
    for (const id of ["a", "b"]) expectOk(await provider.appendMessages(id, users("1"), ALICE, CREATE));
    expectError(await replayFallbackWrites(primary, fallback), "MemoryConnectionError");
    setDown(false);
    const done = { conversations: 2, writes: 2, deadLetters: 0 };
    expect(expectOk(await replayFallbackWrites(primary, fallback))).toEqual(done);
    const nothing = { conversations: 0, writes: 0, deadLetters: 0 };
    expect(expectOk(await replayFallbackWrites(primary, fallback))).toEqual(nothing);
    expect(await readContents(primary, "a")).toEqual(["1"]);
  });

  it("once, when two processes replay 250 writes at the same time, one of which is cut off", async () => {
    const { provider, primary, fallback, setDown, restart } = setUp({ cooldownMs: 60_000 });
    setDown(true);
    const texts = Array.from({ length: 250 }, (_, index) => String(index));
    for (const text of texts) expectOk(await provider.appendMessages("c", [user(text)], ALICE, CREATE));
    setDown(false);
    let calls = 0;
    const cut: VersionedMemoryProvider = {
      ...primary,
      appendMessages: async (...args) => {
        calls += 1;
        return calls > 120
          ? { success: false, error: createMemoryConnectionError("memory") }
          : primary.appendMessages(...args);
      },
    };
    const [first, second] = await Promise.all([
      replayFallbackWrites(cut, fallback),
      restart().getConversation("c"),
    ]);
    expect(first.success).toBe(false);
    expect(contents(expectOk(second)?.messages ?? [])).toEqual(texts);
    expect(await readContents(primary, "c")).toEqual(texts);
  });

  it("from a fallback and to a primary that have the ten methods alone", async () => {
    const primary = createInMemoryProvider();
    const fallback = tenOf(createInMemoryProvider());
    let isDown = false;
    const error = createMemoryConnectionError("memory");
    const appendMessages: MemoryProvider["appendMessages"] = async (...args) =>
      isDown ? { success: false, error } : primary.appendMessages(...args);
    const getConversation: MemoryProvider["getConversation"] = async (id) =>
      isDown ? { success: false, error } : primary.getConversation(id);
    const ten = { ...tenOf(primary), appendMessages, getConversation };
    const provider = withFallback(ten, fallback, { writes: "fallback", cooldownMs: 0 });
    expectOk(await provider.appendMessages("c", users("1"), ALICE, CREATE));
    isDown = true;
    expectOk(await provider.appendMessages("c", users("2"), ALICE, CREATE));
    isDown = false;
    expect(await readContents(provider, "c")).toEqual(["1", "2"]);
  });

  it("as replacements that go on with what the primary has, and as imports", async () => {
    const { provider, primary, setDown } = setUp();
    expectOk(await provider.storeMessages("c", users("1"), ALICE));
    const record = expectOk(await provider.exportConversation("c"));
    if (record === null) throw new Error("expected a conversation");
    setDown(true);
    expectOk(await provider.storeMessages("c", users("1", "2"), ALICE));
    expectOk(await provider.appendMessages("new", users("draft"), ALICE, CREATE));
    expectOk(await provider.storeMessages("new", users("final"), ALICE));
    expectOk(
      await provider.importConversation({
        ...record,
        conversationId: "moved",
        metadata: { at: new Date(3) },
      }),
    );
    setDown(false);
    expect(await readContents(provider, "c")).toEqual(["1", "2"]);
    expect(await readContents(provider, "new")).toEqual(["final"]);
    const moved = expectOk(await provider.getConversation("moved"));
    expect(moved).toMatchObject({ userId: "alice", messages: users("1"), metadata: { at: new Date(3) } });
    expect(ids(expectOk(await primary.findConversations(ALICE))).toSorted()).toEqual(["c", "moved", "new"]);
  });
});

describe("fallback writes become dead letters, readable and reported", () => {
  it("that another user made under an owner's id, with or without naming a user", async () => {
    const { provider, primary, fallback, setDown, deadLetters } = setUp();
    for (const id of ["c", "d"]) expectOk(await provider.appendMessages(id, users("a"), ALICE, CREATE));
    setDown(true);
    expectOk(await provider.appendMessages("c", users("m1", "m2"), MALLORY, CREATE));
    expectOk(await provider.appendMessages("c", users("m3")));
    expectOk(await provider.appendMessages("d", users("m4"), {}, { createIfMissing: "unowned" }));
    setDown(false);
    for (const id of ["c", "d"]) expect(await readContents(provider, id)).toEqual(["a"]);
    expect(deadLetters).toEqual([
      {
        id: expect.any(String),
        conversationId: "c",
        userId: "mallory",
        reason: "owner",
        writes: 2,
        messages: 3,
      },
      { id: expect.any(String), conversationId: "d", reason: "owner", writes: 1, messages: 1 },
    ]);
    const [kept] = expectOk(await findDeadLetters(fallback, MALLORY));
    expect(kept).toEqual({
      id: deadLetters[0]?.id,
      conversationId: "c",
      userId: "mallory",
      reason: "owner",
      messages: users("m1", "m2", "m3"),
    });
    expect(expectOk(await findDeadLetters(fallback, { conversationId: "d" }))).toHaveLength(1);
    expect(expectOk(await dropDeadLetter(fallback, kept?.id ?? ""))).toBe(true);
    expect(expectOk(await findDeadLetters(fallback))).toHaveLength(1);
    expect(expectOk(await primary.findConversations({})).map(({ userId }) => userId)).toEqual([
      "alice",
      "alice",
    ]);
  });

  it("whose conversation was erased in the primary, even if it was created again since", async () => {
    const { provider, primary, fallback, setDown, deadLetters } = setUp();
    for (const id of ["c", "d", "e"]) {
      expectOk(await provider.appendMessages(id, users("1"), ALICE, CREATE));
      expectOk(await provider.getConversation(id));
    }
    setDown(true);
    for (const id of ["c", "d", "e"]) expectOk(await provider.appendMessages(id, users("2"), ALICE, CREATE));
    setDown(false);
    // As a process does that has another fallback.
    for (const id of ["c", "d"]) expectOk(await primary.deleteConversation(id));
    expectOk(await primary.appendMessages("d", users("new"), ALICE, CREATE));
    expect(expectOk(await provider.getConversation("c"))).toBeNull();
    expect(await readContents(provider, "d")).toEqual(["new"]);
    expect(await readContents(provider, "e")).toEqual(["1", "2"]);
    expect(deadLetters.map(({ conversationId, reason }) => [conversationId, reason])).toEqual([
      ["c", "erased"],
      ["d", "erased"],
    ]);
    expect(expectOk(await findDeadLetters(fallback))).toHaveLength(2);
  });

  it("that replace or drop what has changed in the primary, and what follows them", async () => {
    const { provider, primary, setDown, deadLetters } = setUp();
    for (const id of ["c", "d"]) expectOk(await provider.appendMessages(id, users("1"), ALICE, CREATE));
    setDown(true);
    expectOk(await provider.storeMessages("c", users("x"), ALICE));
    expectOk(await provider.appendMessages("c", users("y"), ALICE));
    expectOk(await provider.appendMessages("d", users("2", "3"), ALICE, CREATE));
    expectOk(await provider.appendMessages("d", users("4"), ALICE, { dropLast: 1 }));
    setDown(false);
    expect(await readContents(provider, "c")).toEqual(["1"]);
    expect(await readContents(provider, "d")).toEqual(["1", "2", "4"]);
    expect(deadLetters).toMatchObject([{ conversationId: "c", reason: "changed", writes: 2, messages: 2 }]);
    setDown(true);
    expectOk(await provider.appendMessages("d", users("5"), ALICE, CREATE));
    expectOk(await provider.appendMessages("d", users("6"), ALICE, { dropLast: 1 }));
    setDown(false);
    // Of a process that reached the primary meanwhile.
    expectOk(await primary.appendMessages("d", users("between"), ALICE));
    expect(await readContents(provider, "d")).toEqual(
      ["1", "2", "4", "between", "5"].slice(0, 4).concat("6"),
    );
  });

  it("and are erased with their conversation and with their user", async () => {
    const { provider, fallback, setDown } = setUp();
    for (const id of ["c", "d"]) expectOk(await provider.appendMessages(id, users("a"), ALICE, CREATE));
    setDown(true);
    for (const id of ["c", "d"]) expectOk(await provider.appendMessages(id, users("m"), MALLORY, CREATE));
    setDown(false);
    for (const id of ["c", "d"]) expectOk(await provider.getConversation(id));
    expect(expectOk(await provider.deleteConversation("c"))).toBe(true);
    expect(expectOk(await findDeadLetters(fallback))).toHaveLength(1);
    expect(expectOk(await provider.clearUserConversations("mallory"))).toBe(0);
    expect(expectOk(await findDeadLetters(fallback))).toEqual([]);
  });

  it("whatever key their writer uses again, so that the owner's writes are never blocked", async () => {
    const { provider, fallback, setDown } = setUp();
    expectOk(await provider.appendMessages("c", users("a"), ALICE, CREATE));
    for (const text of ["m1", "m2"]) {
      setDown(true);
      const options = { ...CREATE, idempotencyKey: "k".repeat(255) };
      expectOk(await provider.appendMessages("c", users(text), MALLORY, options));
      setDown(false);
      expect(await readContents(provider, "c")).toEqual(["a"]);
    }
    const [kept] = expectOk(await findDeadLetters(fallback));
    expect(kept?.messages).toEqual(users("m1", "m2"));
  });

  it("once, also when a replay that was cut off is repeated and finds another reason", async () => {
    const { provider, primary, fallback, setDown } = setUp();
    expectOk(await provider.appendMessages("c", users("a"), ALICE, CREATE));
    setDown(true);
    expectOk(await provider.appendMessages("c", users("m"), MALLORY, CREATE));
    setDown(false);
    const error = createMemoryConnectionError("memory");
    const cut = { ...fallback, deleteConversation: async () => ({ success: false, error }) as const };
    expectError(await replayFallbackWrites(primary, cut), "MemoryConnectionError");
    expectOk(await primary.deleteConversation("c"));
    expect(expectOk(await replayFallbackWrites(primary, fallback)).deadLetters).toBe(1);
    expect(expectOk(await findDeadLetters(fallback))).toMatchObject([{ messages: users("m") }]);
  });

  it("an id that is none of them is refused", async () => {
    const fallback = createInMemoryProvider();
    expectOk(await fallback.appendMessages("c", users("1"), ALICE, CREATE));
    expectError(await dropDeadLetter(fallback, "c"), "MemoryValidationError");
    expect(await readContents(fallback, "c")).toEqual(["1"]);
  });
});

describe("what the fallback keeps for itself", () => {
  it("is in no listing, no page and no count, and answers to no id", async () => {
    const { provider, fallback, setDown } = setUp();
    expectOk(await provider.appendMessages("x", users("a"), ALICE, CREATE));
    setDown(true);
    expectOk(await provider.appendMessages("x", users("m"), MALLORY, CREATE));
    setDown(false);
    expectOk(await provider.getConversation("x"));
    setDown(true);
    for (const id of ["a", "b", "c"])
      expectOk(await provider.appendMessages(id, users("1", "2"), MALLORY, CREATE));
    expect(ids(expectOk(await provider.findConversations({}))).toSorted()).toEqual(["a", "b", "c"]);
    expect(ids(expectOk(await provider.findConversations(MALLORY))).toSorted()).toEqual(["a", "b", "c"]);
    const pages = [];
    for (const offset of [0, 1, 2, 3]) {
      pages.push(...ids(expectOk(await provider.findConversations({ limit: 1, offset }))));
    }
    expect(pages.toSorted()).toEqual(["a", "b", "c"]);
    for (const given of [[], ["mallory"]] as const) {
      const stats = expectOk(await provider.getStats(...given));
      expect(stats).toMatchObject({ totalConversations: 3, totalMessages: 6 });
    }
    expectError(await provider.getStats(undefined), "MemoryValidationError");
    const reserved = expectOk(await fallback.findConversations({})).filter(({ conversationId }) =>
      conversationId.startsWith("jaf:"),
    );
    expect(reserved.length).toBeGreaterThan(3);
    for (const { conversationId } of reserved) {
      expectError(await provider.getConversation(conversationId), "MemoryValidationError");
      expectError(await provider.readConversation(conversationId), "MemoryValidationError");
      expectError(await provider.appendMessages(conversationId, users("1")), "MemoryValidationError");
      expectError(await provider.deleteConversation(conversationId), "MemoryValidationError");
    }
  });

  it("is erased with the user, also where others' writes are in the same journal", async () => {
    const { provider, primary, fallback, setDown } = setUp();
    setDown(true);
    expectOk(await provider.appendMessages("c", users("m"), MALLORY, CREATE));
    expectConflict(await provider.appendMessages("c", users("a"), ALICE, CREATE), "owner");
    expectOk(await fallback.deleteConversation("c")); // As by a limit of the fallback.
    expectOk(await provider.appendMessages("c", users("a"), ALICE, CREATE));
    setDown(false);
    expectOk(await provider.clearUserConversations("mallory"));
    expect(JSON.stringify(expectOk(await fallback.findConversations({})))).not.toContain("mallory");
    expect(await readContents(provider, "c")).toEqual(["a"]);
    expect(expectOk(await primary.getConversation("c"))?.userId).toBe("alice");
  });

  it("doesn't block a primary that answers, when the fallback doesn't", async () => {
    const primary = createInMemoryProvider();
    const { primary: fallback, setDown } = setUp();
    const provider = withFallback(primary, fallback, { writes: "fallback", cooldownMs: 60_000 });
    setDown(true);
    expectOk(await provider.appendMessages("c", users("1"), ALICE, CREATE));
    expect(await readContents(provider, "c")).toEqual(["1"]);
    expectOk(await provider.findConversations(ALICE));
  });

  it("keeps no process alive and no promise pending after close", async () => {
    vi.useFakeTimers();
    try {
      const { provider, setDown } = setUp();
      setDown(true);
      expectOk(await provider.appendMessages("c", users("1"), ALICE, CREATE));
      setDown(false);
      expectOk(await provider.getConversation("other"));
      expect(vi.getTimerCount()).toBe(0);
      expectOk(await provider.close());
    } finally {
      vi.useRealTimers();
    }
  });
});
