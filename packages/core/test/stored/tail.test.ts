import {
  createInMemoryProvider,
  type MemoryProvider,
  type Message,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MemoryConfig, run, type Summarize } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { converse, storing, talk } from "../support/conversations.ts";
import { approvalOf, interruptionsOf, locating, paying, shop } from "../support/interrupted.ts";
import { assistant, calling, errorOf, result, says, user } from "../support/setup.ts";
import { countingReads, seed, tenMethods } from "../support/stores.ts";

const window = { maxMessages: 4 };

const long = talk(500);

describe("a run with a window", () => {
  it("reads the end of a long conversation once, and reports its start position", async () => {
    const { provider, reads } = countingReads(await storing(long));
    const { ended, views, contexts } = await converse({ provider, memory: { window } });
    expect(reads).toEqual([9]);
    expect(views).toEqual([[...talk(1, 499), user("now")]]);
    expect(ended.historyFrom).toBe(996);
    expect(ended.finalState.messages).toEqual([...long.slice(996), user("now"), assistant("Done.")]);
    expect(contexts[0]?.messages).toBe(1_001);
    expect(contexts[0]?.ranges[0]).toEqual({ from: 0, to: 995, fate: "trimmed", reason: "not-loaded" });
    expect(contexts[0]?.counts).toEqual({ sent: 3, repaired: 0, summarized: 0, trimmed: 998, dropped: 0 });
  });

  it("appends at the conversation's end", async () => {
    const provider = await storing(long);
    await converse({ provider, memory: { window } });
    const read = await provider.readConversation("c");
    expect(read.success && read.data.conversation?.messages).toEqual([
      ...long,
      user("now"),
      assistant("Done."),
    ]);
  });

  it("distinguishes dropped messages from messages that weren't read", async () => {
    const provider = createInMemoryProvider();
    await seed(provider, long, {}, { maxMessages: 100 });
    const { contexts, ended } = await converse({ provider, memory: { window } });
    expect(ended.historyFrom).toBe(996);
    expect(contexts[0]?.ranges.slice(0, 2)).toEqual([
      { from: 0, to: 899, fate: "dropped", reason: "not-stored" },
      { from: 900, to: 995, fate: "trimmed", reason: "not-loaded" },
    ]);
  });

  it.each<[string, readonly Message[], number[]]>([
    ["a very long turn", [...long, user("go"), ...Array.from({ length: 9 }, () => assistant("on"))], [9, 72]],
    [
      "a turn that is longer still",
      [...long, user("go"), ...Array.from({ length: 90 }, () => assistant("on"))],
      [9, 72, 1_091],
    ],
    ["a result of long ago", [...long, result("old", "late")], [9, 1_001]],
  ])("reads everything if the end isn't enough: %s", async (_, history, expected) => {
    const { provider, reads } = countingReads(await storing(history));
    const { ended } = await converse({ provider, memory: { window } });
    expect(reads).toEqual(expected);
    expect(ended.historyFrom).toBe(expected.at(-1) === 72 ? 1_000 : 0);
  });

  it("reads everything without a window, with a plain function, or without a summary yet", async () => {
    for (const memory of [
      {},
      { window: (messages: readonly Message[]) => messages.slice(-3) },
      {
        window,
        compressionThreshold: 50,
        summary: { summarize: () => Promise.reject(new Error("not now")) },
      },
    ]) {
      const { provider, reads } = countingReads(await storing(long));
      await converse({ provider, memory });
      expect(Math.max(...reads)).toBe(1_000);
    }
  });

  it("reads the end for a window in steps", async () => {
    const { provider, reads } = countingReads(await storing(long));
    const { ended } = await converse({ provider, memory: { window: { maxMessages: 4, trimTo: 2 } } });
    expect(reads).toEqual([25]);
    expect(ended.historyFrom).toBe(978);
  });

  it("reads the end for a function with maxMessages, which gets only that", async () => {
    const { provider, reads } = countingReads(await storing(long));
    const given: (readonly Message[])[] = [];
    const select = (messages: readonly Message[]) => {
      given.push(messages);
      return messages.slice(-1);
    };
    const { views, contexts } = await converse({ provider, memory: { window: { maxMessages: 4, select } } });
    expect(reads).toEqual([9]);
    expect(given).toEqual([[...talk(1, 499), user("now")]]);
    expect(views).toEqual([[user("now")]]);
    expect(contexts[0]?.window).toEqual({ type: "function", limit: 4 });
    expect(contexts[0]?.ranges).toEqual([
      { from: 0, to: 995, fate: "trimmed", reason: "not-loaded" },
      { from: 996, to: 997, fate: "trimmed", reason: "older" },
      { from: 998, to: 999, fate: "trimmed", reason: "function" },
      { from: 1_000, to: 1_000, fate: "sent" },
    ]);
  });

  it.each<[string, Partial<MemoryConfig>]>([
    ["without a window", {}],
    ["with a window", { window: { maxMessages: 30 } }],
  ])("reads the messages that aren't in the summary %s", async (_, more) => {
    const { provider, reads } = countingReads(await storing(long));
    const memory = {
      compressionThreshold: 20,
      summary: { summarize: async () => "Much was said." },
      ...more,
    };
    await converse({ provider, memory });
    reads.length = 0;
    const { views, contexts, ended } = await converse({ provider, memory, said: ["then"] });
    expect(reads).toHaveLength(1);
    expect(reads[0]).toBeLessThan(100);
    expect(ended.historyFrom).toBeGreaterThan(900);
    const upTo = contexts[0]?.summary?.upTo ?? 0;
    expect(views[0]?.slice(1)).toEqual([
      ...long.slice(upTo + 1),
      user("now"),
      assistant("Done."),
      user("then"),
    ]);
    expect(contexts[0]?.ranges).toEqual([
      { from: 0, to: upTo, fate: "summarized" },
      { from: upTo + 1, to: 1_002, fate: "sent" },
    ]);
  });

  it("reads more if a summary needs more than the first read", async () => {
    const { provider, reads } = countingReads(await storing(long));
    await converse({
      provider,
      memory: { compressionThreshold: 400, summary: { summarize: async () => "Much was said." } },
    });
    reads.length = 0;
    const summarize = () => Promise.reject(new Error("not now"));
    const failing = { compressionThreshold: 20, summary: { summarize } } as const;
    const { contexts } = await converse({ provider, memory: failing, said: ["then"] });
    expect(reads.slice(0, 2)).toEqual([30, 410]);
    expect(contexts[0]?.counts.summarized).toBe(800);
  });

  it("finds its earlier outcome, however old", async () => {
    const { provider, reads } = countingReads(await storing(talk(3)));
    const { configOf } = shop({ provider, memory: { window } });
    const state = says("Hello");
    await run(state, configOf(["First."]));
    await provider.appendMessages("c", long);
    reads.length = 0;
    const again = await run(state, configOf([]));
    expect(again.outcome).toEqual({ status: "completed", output: "First." });
    expect(reads).toEqual([9, 1_008]);
  });

  it("reports a tokenizer that throws", async () => {
    const tokenizer = (): number => {
      throw new Error("no vocabulary");
    };
    const { ended } = await converse({
      provider: await storing(long),
      memory: { window: { memoryType: "token_window", maxTokens: 50, tokenizer } },
    });
    expect(errorOf(ended)).toMatchObject({ _tag: "InternalError", detail: "RunConfig.memory.window failed" });
  });

  it("resumes waiting calls with only the end", async () => {
    const { provider, reads } = countingReads(await storing(long));
    const { process, executed } = shop({ provider, memory: { window } });
    const waiting = await process([{ toolCalls: [paying(20), locating] }], ["Pay 20"]);
    expect(waiting.finalState.messages).toEqual([
      ...long.slice(996),
      user("Pay 20"),
      expect.objectContaining({ role: "assistant" }),
    ]);
    const approval = interruptionsOf(waiting).find(({ type }) => type === "approval");
    if (approval?.type !== "approval") throw new Error("no approval is waited for");
    const done = await process(["Paid."], [], {
      resume: {
        approvals: [{ toolCallId: "p", approvalId: approval.approvalId, approved: true }],
        toolResults: [{ toolCallId: "w", result: "here" }],
      },
    });
    expect(done.outcome).toEqual({ status: "completed", output: "Paid." });
    expect(executed).toEqual(["pay 20"]);
    expect(Math.max(...reads)).toBe(9);
  });
});

describe("a history that begins later", () => {
  const setting = async () => {
    const provider = await storing(long);
    const { configOf, process } = shop({ provider, memory: { window } });
    const first = await process(["One."], ["Hi"]);
    return { provider, configOf, process, first };
  };

  it("can be passed in again", async () => {
    const { configOf, first, provider } = await setting();
    const next = await run(
      says(...first.finalState.messages, "And now?"),
      configOf(["Two."], { memory: { provider, autoStore: true, window } }),
    );
    expect(next.outcome).toEqual({ status: "completed", output: "Two." });
    const read = await provider.readConversation("c");
    expect(read.success && read.data.conversation?.messages.slice(-4)).toEqual([
      user("Hi"),
      assistant("One."),
      user("And now?"),
      assistant("Two."),
    ]);
  });

  it("is refused if it isn't the stored one, and if runs return the whole history", async () => {
    const { configOf, first, provider } = await setting();
    const { messages } = first.finalState;
    const forged = messages.with(1, assistant("I owe you 100."));
    const conflict = { _tag: "MemoryError", error: { _tag: "MemoryConflictError", reason: "version" } };
    expect(errorOf(await run(says(...forged, "Pay."), configOf([])))).toMatchObject(conflict);
    // It begins in the middle of a turn.
    expect(errorOf(await run(says(...messages.slice(1), "Pay."), configOf([])))).toMatchObject(conflict);
    const whole = configOf([], { memory: { provider, autoStore: true } });
    expect(errorOf(await run(says(...messages, "Pay."), whole))).toMatchObject(conflict);
  });

  it("is accepted from a client, with its decisions", async () => {
    const { process } = await setting();
    const waiting = await process([{ toolCalls: [paying(20)] }], ["Pay 20"]);
    const { approvalId } = approvalOf(waiting);
    const continuation = waiting.finalState.messages;
    expect(continuation.length).toBeLessThan(20);
    const approvals = [{ toolCallId: "p", approvalId, approved: true }];
    const done = await process(["Paid."], [], { resume: { messages: continuation, approvals } });
    expect(done.outcome).toEqual({ status: "completed", output: "Paid." });
  });

  it.each<[string, (copy: readonly Message[]) => readonly Message[], string]>([
    ["with a changed reply", (copy) => copy.with(-1, assistant("Forged.")), "not-a-prefix"],
    ["without any reply", () => [user("Pay.")], "not-a-prefix"],
    ["without the last reply", (copy) => copy.slice(0, -2), "not-a-prefix"],
    ["with a reply of its own", (copy) => [...copy, assistant("Sure.")], "not-a-prefix"],
    ["that begins with a reply", (copy) => copy.slice(1), "not-a-prefix"],
  ])("is refused from a client %s", async (_, change, code) => {
    const { process, first } = await setting();
    const refused = await process([], ["Go on."], {
      resume: { messages: change(first.finalState.messages) },
    });
    expect(errorOf(refused)).toMatchObject({ _tag: "ContinuationRejected", code });
  });
});

const turns = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant([user("u"), assistant("a")]) },
      {
        weight: 2,
        arbitrary: fc.constant([user("u"), calling(["x", "look"]), result("x", "seen"), assistant("a")]),
      },
      { weight: 1, arbitrary: fc.constant([user("u"), calling(["x", "look"])]) },
      {
        weight: 1,
        arbitrary: fc.constant([user("u"), calling(["x", "look"], ["y", "look"]), result("y", "seen")]),
      },
      { weight: 1, arbitrary: fc.constant([user("u")]) },
    ),
    { maxLength: 24 },
  )
  .map((drawn) =>
    drawn.flat().map((message, index) => ({ ...message, content: `${message.content} ${index}` })),
  );

/** Returns the messages that it was made from. */
const summarize: Summarize = async ({ previous = "", messages }) =>
  `${previous} ${messages.map((message) => messageText(message)).join(",")}`;

const small = fc.integer({ min: 2, max: 6 });

const memories: fc.Arbitrary<Partial<MemoryConfig>> = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map((maxMessages) => ({ window: { maxMessages } })),
  small.map((maxMessages) => ({ window: { maxMessages, trimTo: maxMessages >> 1 } })),
  small.map((maxMessages) => ({
    window: { maxMessages, select: (messages: readonly Message[]) => messages.slice(-3) },
  })),
  fc
    .integer({ min: 1, max: 12 })
    .map((compressionThreshold) => ({ compressionThreshold, summary: { summarize } })),
  fc.tuple(small, small).map(([maxMessages, compressionThreshold]) => ({
    compressionThreshold,
    summary: { summarize },
    window: { maxMessages, trimTo: maxMessages >> 1 },
  })),
);

/** Two consecutive runs. The first can make the summary that the second uses. */
async function twoRuns(
  store: VersionedMemoryProvider,
  {
    provider,
    memory,
    said,
  }: {
    readonly provider: MemoryProvider;
    readonly memory: Partial<MemoryConfig>;
    readonly said: readonly string[];
  },
) {
  const { configOf, executed } = shop({ provider, memory });
  const results = [];
  for (const words of [said, ["and then?"]]) {
    const steps = [{ toolCalls: [{ name: "look", id: "z" }] }, "Done.", "Done."];
    const model = createScriptedModel(steps);
    const ended = await run(says(...words), configOf([], { modelProvider: model }));
    const stored = await store.getConversation("c");
    const conversation = stored.success ? stored.data : null;
    const { incarnation: _, ...summary } = conversation?.metadata?.["jafSummary"] ?? {};
    results.push({
      outcome: ended.outcome,
      views: model.requests.map(({ state }) => state.messages),
      stored: conversation?.messages,
      summary,
    });
  }
  return { results, executed };
}

describe("a run that reads the end", () => {
  it("begins a stepwise window at the same message as a run that reads everything", async () => {
    const window = { maxMessages: 8, trimTo: 4 };
    // The sanitizer drops the abandoned call, so indexes and positions differ.
    const start = [assistant("Hello."), user("a"), calling(["x", "look"]), user("b"), assistant("c")];
    const beginnings = new Set<string>();
    for (let turns = 30; turns < 90; turns++) {
      const store = await storing([...start, ...talk(turns)]);
      const end = await converse({ provider: store, memory: { window } });
      await store.deleteConversation("c");
      await seed(store, [...start, ...talk(turns)]);
      const whole = await converse({ provider: tenMethods(store), memory: { window } });
      expect(end.ended.historyFrom).toBeGreaterThan(0);
      expect(end.views).toEqual(whole.views);
      beginnings.add(JSON.stringify(end.views[0]?.[0]));
    }
    expect(beginnings.size).toBeLessThan(30);
  });

  it.each<Partial<MemoryConfig>>([
    { window },
    { window: { maxMessages: 6, trimTo: 3 } },
    { compressionThreshold: 6, summary: { summarize } },
    { compressionThreshold: 6, summary: { summarize }, window: { maxMessages: 8 } },
  ])("sends the same messages as a run that reads everything, in each turn, with %o", async (memory) => {
    const [end, whole] = await Promise.all(
      [false, true].map(async (all) => {
        const store = await storing(talk(20));
        const provider = all ? tenMethods(store) : store;
        const views: unknown[] = [];
        for (let turn = 0; turn < 20; turn++) {
          const said = [`say ${turn}`];
          views.push((await converse({ provider, memory: { durability: "turn", ...memory }, said })).views);
        }
        return views;
      }),
    );
    expect(end).toEqual(whole);
  });

  it("has the same messages, output and stored conversation as a run that reads everything", async () => {
    await fc.assert(
      fc.asyncProperty(
        turns,
        memories,
        fc.constantFrom<readonly string[]>([], ["now"], ["now", "please"]),
        async (history, memory, said) => {
          const [end, whole] = await Promise.all(
            [false, true].map(async (all) => {
              const store = await storing(history);
              return twoRuns(store, { provider: all ? tenMethods(store) : store, memory, said });
            }),
          );
          expect(end).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });
});
