import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  createInMemoryProvider,
  createSuccess,
  type MemoryProvider,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createAgentClient,
  createRunState,
  type Durability,
  type MemoryConfig,
  run,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { converse, talk } from "../context/conversations.ts";
import { assistant, deferred, errorOf, eventsOfType, says, setup, user } from "../support/setup.ts";
import { recordWrites, seed, storedMessages } from "../support/stores.ts";

const window = { maxMessages: 4 };

/** Notes what is asked of the store: `read`, `head`, or how many messages are written. */
function watching(inner: MemoryProvider) {
  const calls: (string | number)[] = [];
  const provider = {
    ...(inner as VersionedMemoryProvider),
    readConversation: (...args: Parameters<VersionedMemoryProvider["readConversation"]>) => {
      calls.push(args[1]?.messages === "none" ? "head" : "read");
      return (inner as VersionedMemoryProvider).readConversation(...args);
    },
    appendMessages: (...args: Parameters<MemoryProvider["appendMessages"]>) => {
      calls.push(args[1].length);
      return inner.appendMessages(...args);
    },
  } satisfies VersionedMemoryProvider;
  return { provider, calls, asked: () => calls.splice(0) };
}

/** A store that two processes share, with a conversation that the first has had a turn of. */
async function shared(memory: Partial<MemoryConfig> = {}) {
  const store = createInMemoryProvider();
  const here = watching(store);
  const there = watching(store);
  await seed(store, talk(20), memory.userId === undefined ? {} : { userId: memory.userId });
  const say = (
    to: { readonly provider: MemoryProvider },
    text: string,
    changes: Partial<MemoryConfig> = {},
  ) =>
    converse({
      provider: to.provider,
      memory: { window, durability: "turn", ...memory, ...changes },
      said: [text],
      steps: [`answer to ${text}`],
    });
  await say(here, "first");
  here.asked();
  return { store, here, there, say };
}

describe("a run in a conversation that its process had the last turn of", () => {
  it.each<Durability>(["turn", "step"])("reads nothing, durability %s", async (durability) => {
    const { here, say, store } = await shared({ durability });
    const { views, ended, events } = await say(here, "second");
    expect(here.asked()).toEqual([1, 1]);
    expect(views).toEqual([[user("first"), assistant("answer to first"), user("second")]]);
    expect(ended.historyFrom).toBe(38);
    expect(eventsOfType(events, "memory_loaded")).toEqual([{ conversationId: "c", messageCount: 4 }]);
    expect((await storedMessages(store)).slice(40)).toEqual([
      user("first"),
      assistant("answer to first"),
      user("second"),
      assistant("answer to second"),
    ]);
  });

  it("reads no messages in durability completed", async () => {
    const { here, say } = await shared({ durability: "completed" });
    const { views } = await say(here, "second");
    expect(here.asked()).toEqual(["head", 2]);
    expect(views).toEqual([[user("first"), assistant("answer to first"), user("second")]]);
  });

  it("reads nothing in a queue where nobody waits, and tells of the loading before what was stored", async () => {
    const { here, say } = await shared({ concurrency: "queue" });
    const { events } = await say(here, "second");
    expect(here.asked()).toEqual([1, 1]);
    const told = events.map(({ type }) => type).filter((type) => type.startsWith("memory"));
    expect(told).toEqual(["memory_loaded", "memory_stored", "memory_stored"]);
  });

  it("gives the model what one gets that reads, turn after turn, in each window", async () => {
    const windows = [
      { window },
      { window: { maxMessages: 6, trimTo: 3 } },
      { compressionThreshold: 6, summarize: async () => "Much was said." },
      { compressionThreshold: 6, summarize: async () => "Much was said.", window: { maxMessages: 8 } },
      {},
    ];
    for (const memory of windows) {
      const cached = await shared(memory);
      const reading = await shared({ ...memory, endCache: false });
      for (let turn = 0; turn < 30; turn++) {
        const [a, b] = [
          await cached.say(cached.here, `say ${turn}`),
          await reading.say(reading.here, `say ${turn}`),
        ];
        expect(a.views).toEqual(b.views);
        expect(a.ended.historyFrom).toBe(b.ended.historyFrom);
        expect(a.ended.finalState.messages).toEqual(b.ended.finalState.messages);
        expect(a.contexts.map(({ ranges }) => ranges)).toEqual(b.contexts.map(({ ranges }) => ranges));
      }
      const [fewer, all] = [cached.here.asked(), reading.here.asked()].map(
        (asked) => asked.filter((call) => call === "read").length,
      );
      expect(all).toBe(30);
      expect(fewer).toBeLessThan(15);
    }
  });

  it("gives the model the same JSON of values that a store may give back in another form", async () => {
    const odd: readonly object[] = [
      { minus: -0, none: undefined },
      { "2": "b", "1": "a", nested: { none: undefined } },
      JSON.parse('{"__proto__":{"a":1}}'),
      { lone: "\ud800" },
    ];
    const told = async (endCache: Partial<MemoryConfig>) => {
      const provider = createInMemoryProvider();
      await seed(provider, talk(1));
      const views: unknown[] = [];
      for (const fields of odd) {
        const said = [{ role: "user", content: "hi", ...fields } as never];
        await converse({ provider, memory: { durability: "turn", ...endCache }, said });
        const next = await converse({ provider, memory: { durability: "turn", ...endCache } });
        expect(next.ended.outcome.status).toBe("completed");
        views.push(next.views);
      }
      return JSON.stringify(views);
    };
    expect(await told({})).toBe(await told({ endCache: false }));
  });

  it("gives an agent client the additions alone", async () => {
    const { provider, asked } = watching(createInMemoryProvider());
    const model = createScriptedModel(["one", "two", "three"]);
    const agent = { name: "helper", instructions: () => "Help." };
    const client = createAgentClient(agent, {
      modelProvider: model,
      context: {},
      store: provider,
      memory: { window, durability: "turn" },
    }).forUser("ada");
    const first = await client.prompt("1");
    await client.continue(first.conversationId as string).prompt("2");
    asked();
    const third = await client.continue(first.conversationId as string).prompt("3");
    expect(asked()).not.toContain("read");
    expect(third.messages).toEqual([user("3"), expect.objectContaining({ content: "three" })]);
  });
});

describe("a run whose process knows an end that is no more", () => {
  const cases: [string, (store: MemoryProvider) => Promise<unknown>, readonly unknown[]][] = [
    ["was appended to", (store) => store.appendMessages("c", talk(1, 90)), [...talk(1, 90)]],
    ["was erased", (store) => store.deleteConversation("c"), []],
    [
      "was erased and made anew",
      async (store) => {
        await store.deleteConversation("c");
        await seed(store, talk(1, 90));
      },
      [...talk(1, 90)],
    ],
    ["was replaced", (store) => store.storeMessages("c", talk(1, 90)), [...talk(1, 90)]],
    [
      "had its end replaced",
      (store) => store.appendMessages("c", talk(1, 90), {}, { dropLast: 2 }),
      [...talk(1, 90)],
    ],
    [
      "was trimmed",
      (store) => store.appendMessages("c", [], {}, { maxMessages: 2 }),
      [user("first"), assistant("answer to first")],
    ],
    [
      "had its metadata changed alone",
      (store) => store.appendMessages("c", [], { title: "Orders" }),
      [user("first"), assistant("answer to first")],
    ],
  ];

  describe.each<Durability>(["turn", "step", "completed"])("in durability %s", (durability) => {
    it.each(cases)("begins anew from the store where the conversation %s", async (_, change, before) => {
      const { store, here, say } = await shared({ durability });
      await change(store);
      const { views, ended, events } = await say(here, "second");
      expect(ended.outcome.status).toBe("completed");
      expect(views).toEqual([[...before, user("second")]]);
      const stored = await storedMessages(store);
      expect(stored.filter(({ content }) => content === "second")).toHaveLength(1);
      expect(stored.slice(-2)).toEqual([user("second"), assistant("answer to second")]);
      expect(eventsOfType(events, "memory_loaded")).toHaveLength(1);
    });
  });

  it("leaves nothing of what was erased, in its turn and in what it stores", async () => {
    for (const durability of ["turn", "completed"] as const) {
      const { store, here, say } = await shared({ durability, userId: "ada" });
      await store.clearUserConversations("ada");
      const { ended, views } = await say(here, "second");
      const all = JSON.stringify([ended, views, await storedMessages(store)]);
      expect(all).not.toMatch(/question|first/);
    }
  });

  it("begins anew once its time to live is over", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const { here, say } = await shared({ ttl: 60 });
      vi.setSystemTime(Date.now() + 61_000);
      expect((await say(here, "second")).views).toEqual([[user("second")]]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is refused as any other while another process has the turn", async () => {
    const { here, there, say } = await shared();
    const asked = deferred();
    const answer = deferred();
    const other = converse({
      provider: there.provider,
      memory: { durability: "turn" },
      steps: [
        async () => {
          asked.resolve();
          await answer.promise;
          return "Done.";
        },
      ],
    });
    await asked.promise;
    const { ended, events, views } = await say(here, "second");
    expect(errorOf(ended)).toMatchObject({ error: { _tag: "MemoryConflictError", reason: "turn" } });
    expect(views).toEqual([]);
    expect(eventsOfType(events, "memory_stored")).toEqual([]);
    answer.resolve();
    expect((await other).ended.outcome.status).toBe("completed");
  });

  it("queues behind another process's turn, and begins with what that said", async () => {
    const { here, there, say } = await shared({ concurrency: "queue" });
    const asked = deferred();
    const answer = deferred();
    const other = converse({
      provider: there.provider,
      memory: { durability: "turn" },
      said: ["other"],
      steps: [
        async () => {
          asked.resolve();
          await answer.promise;
          return "Done.";
        },
      ],
    });
    await asked.promise;
    const waiting = say(here, "second");
    await new Promise((resolve) => setTimeout(resolve, 50));
    answer.resolve();
    await other;
    expect((await waiting).views).toEqual([[user("other"), assistant("Done."), user("second")]]);
  });

  it("asks input guardrails again, and takes what they say then", async () => {
    const { store, here } = await shared();
    await store.appendMessages("c", talk(1, 90));
    const asked: unknown[] = [];
    const guardrail = (input: unknown) => {
      asked.push(input);
      return { isValid: true } as const;
    };
    const { ended } = await converse({
      provider: here.provider,
      memory: { window, durability: "turn" },
      config: { initialInputGuardrails: [guardrail] },
    });
    expect(ended.outcome.status).toBe("completed");
    expect(asked).toEqual(["now", "now"]);
  });

  it("tells of no loading where the input is refused", async () => {
    const { store, here } = await shared();
    const { ended, events } = await converse({
      provider: here.provider,
      memory: { window, durability: "turn" },
      config: { initialInputGuardrails: [() => ({ isValid: false, errorMessage: "no" })] },
    });
    expect(errorOf(ended)).toMatchObject({ _tag: "InputGuardrailTripwire" });
    expect(ended.historyFrom).toBeUndefined();
    expect(eventsOfType(events, "memory_loaded")).toEqual([]);
    expect(await storedMessages(store)).toHaveLength(42);
  });

  it("mostly reads where another process takes every other turn", async () => {
    const { here, there, say } = await shared();
    const asked: unknown[] = [];
    for (let turn = 0; turn < 24; turn++) {
      await say(there, `there ${turn}`);
      await say(here, `here ${turn}`);
      asked.push(here.asked().join(" "));
    }
    const inVain = (from: number) => asked.slice(from).filter((calls) => calls !== "read 1 1").length;
    expect(inVain(0)).toBeGreaterThan(2);
    expect(inVain(12)).toBeLessThan(2);
    for (let turn = 0; turn < 20; turn++) await say(here, `alone ${turn}`);
    here.asked();
    await say(here, "at last");
    expect(here.asked()).toEqual([1, 1]);
  });
});

describe("an end isn't used", () => {
  it("for another user, who is refused", async () => {
    const { here, say } = await shared({ userId: "ada" });
    const { ended, views } = await say(here, "second", { userId: "bob" });
    expect(errorOf(ended)).toMatchObject({ error: { reason: "owner" } });
    expect(ended.finalState.messages).toEqual([user("second")]);
    expect(views).toEqual([]);
    expect(here.asked()).toEqual(["read"]);
  });

  it.each<Durability>(["turn", "completed"])(
    "for nobody after a user, nor for a user after nobody, durability %s",
    async (durability) => {
      const { here, say } = await shared({ userId: "ada", durability });
      await converse({ provider: here.provider, memory: { window, durability } });
      expect(here.asked()[0]).toBe("read");
      await say(here, "third", { userId: "ada" });
      expect(here.asked()[0]).toBe("read");
    },
  );

  it("for a window that needs more", async () => {
    const { here, say } = await shared();
    const { views } = await say(here, "second", { window: { maxMessages: 12 } });
    expect(here.asked()).toContain("read");
    expect(views[0]).toHaveLength(11);
  });

  it("where it is switched off", async () => {
    const { here, say } = await shared();
    await say(here, "second", { endCache: false });
    expect(here.asked()).toEqual(["read", 1, 1]);
  });

  it("without asking for the same run again, which is told how it ended", async () => {
    const { here } = await shared();
    const { config } = setup({
      model: ["once"],
      config: {
        memory: { provider: here.provider, autoStore: true, window, durability: "turn" },
        conversationId: "c",
      },
    });
    const state = says("job");
    const copy = structuredClone(state);
    const { outcome } = await run(state, config);
    expect(outcome).toEqual({ status: "completed", output: "once" });
    expect((await run(copy, config)).outcome).toEqual(outcome);
    expect((await run(state, config)).outcome).toEqual(outcome);
    expect((await run({ ...state }, config)).outcome).toEqual(outcome);
  });

  it("without asking for a run whose id the application gave", async () => {
    const { here } = await shared();
    const state = createRunState({
      agentName: "helper",
      context: {},
      messages: [user("job")],
      runId: says("x").runId,
    });
    const { config } = setup({
      model: ["once"],
      config: {
        memory: { provider: here.provider, autoStore: true, window, durability: "turn" },
        conversationId: "c",
      },
    });
    await run(state, config);
    expect(here.asked()).toEqual(["head", 1, 1]);
  });

  it("after a run that failed, was interrupted, or left more than its limits allow", async () => {
    const failed = await shared();
    await converse({
      provider: failed.here.provider,
      memory: { window, durability: "turn" },
      steps: [new Error("down")],
    });
    failed.here.asked();
    await failed.say(failed.here, "second");
    expect(failed.here.asked()).toContain("read");

    const large = await shared({ endCache: { maxBytes: 1_000 } });
    await large.say(large.here, "second");
    expect(large.here.asked()).toContain("read");
  });

  it("of more conversations than are to be kept", async () => {
    const { provider, asked } = watching(createInMemoryProvider());
    const say = (conversationId: string) =>
      converse({
        provider,
        memory: { window, durability: "turn", endCache: { maxConversations: 2 } },
        config: { conversationId },
      });
    for (const id of ["a", "b", "c"]) await say(id);
    asked();
    for (const id of ["c", "b"]) await say(id);
    expect(asked()).toEqual([1, 1, 1, 1]);
    await say("a");
    expect(asked()).toContain("read");
  });

  it("where the store drops messages by itself, before that is known", async () => {
    const store = createInMemoryProvider();
    const { provider, asked } = watching(store);
    await seed(store, talk(5));
    const say = () => converse({ provider, memory: { window, durability: "turn", maxMessages: 10 } });
    for (let turn = 0; turn < 3; turn++) await say();
    asked();
    await say();
    expect(asked()).toEqual(["head", 1, 1]);
    expect(await storedMessages(store)).toHaveLength(10);
  });

  it.each([undefined, { maxMessages: 6 }])(
    "for more than the store keeps by a limit of its own, with the window %o",
    async (ownWindow) => {
      const converseAll = async (endCache?: false) => {
        const store = createInMemoryProvider({ maxMessagesPerConversation: 5 });
        const { provider, asked } = watching(store);
        await seed(store, talk(1));
        const memory = { durability: "turn", ...(endCache === false ? { endCache } : {}) } as const;
        const told: unknown[] = [];
        for (let turn = 0; turn < 5; turn++) {
          const window = ownWindow === undefined ? {} : { window: ownWindow };
          const { views, ended } = await converse({
            provider,
            memory: { ...memory, ...window },
            said: [`${turn}`],
          });
          told.push(views, ended.finalState.messages, ended.historyFrom);
        }
        return { told, asked: asked() };
      };
      const [kept, read] = [await converseAll(), await converseAll(false)];
      expect(kept.told).toEqual(read.told);
      expect(kept.asked).toContain("head");
      expect(kept.asked.filter((call) => call === "read").length).toBeLessThan(5);
    },
  );

  it("where the store doesn't tell how many messages a write has left, without a look at the head", async () => {
    const store = createInMemoryProvider();
    const { provider, asked } = watching(store);
    await seed(store, talk(5));
    const quiet: MemoryProvider = {
      ...provider,
      appendMessages: async (...args) => {
        const written = await provider.appendMessages(...args);
        return written.success ? createSuccess(undefined) : written;
      },
    };
    const say = () => converse({ provider: quiet, memory: { window, durability: "turn" } });
    await say();
    asked();
    await say();
    expect(asked()).toEqual(["head", 1, 1]);
  });

  it("of messages that hold bytes, of which each reader gets its own", async () => {
    const { here, say } = await shared();
    const parts = [{ type: "file", data: new Uint8Array([1, 2, 3]), mediaType: "application/pdf" }];
    await converse({
      provider: here.provider,
      memory: { window, durability: "turn" },
      said: [{ role: "user", content: parts } as never],
    });
    here.asked();
    await say(here, "second");
    expect(here.asked()).toContain("read");
  });
});

describe("an end that is kept", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is dropped five minutes after the store was read", async () => {
    const { here, say } = await shared();
    vi.advanceTimersByTime(3 * 60_000);
    await say(here, "second");
    expect(here.asked()).toEqual([1, 1]);
    vi.advanceTimersByTime(3 * 60_000);
    await say(here, "third");
    expect(here.asked()).toContain("read");
  });
});

it("keeps no end longer than there is its provider, which may be another for each request", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const store = createInMemoryProvider();
  await seed(store, talk(1));
  const said = async () => {
    const { ended } = await converse({ provider: { ...store }, memory: { durability: "turn" } });
    return new WeakRef(ended.finalState.messages.at(-1) as object);
  };
  const replies = [await said(), await said(), await said()];
  await vi.waitFor(() => {
    collect();
    expect(replies.some((reply) => reply.deref() !== undefined)).toBe(false);
  });
});

describe("what a run stores in the metadata", () => {
  it("expects the incarnation, the version and the metadata version with its first write", async () => {
    const { provider, writes } = recordWrites(createInMemoryProvider());
    await seed(provider, talk(5));
    const say = () => converse({ provider, memory: { window, durability: "turn" } });
    await say();
    writes.length = 0;
    await say();
    expect(writes[0]?.options).toMatchObject({
      expectedIncarnation: expect.any(String),
      expectedVersion: 3,
      expectedMetadataVersion: 2,
    });
    expect(writes[1]?.options).not.toHaveProperty("expectedMetadataVersion");
  });
});
