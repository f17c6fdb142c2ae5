import { createInMemoryProvider, type Message, type RichMessage, sanitizeConversation } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { run } from "../../src/index.ts";
import { callModel } from "../../src/model-calls/call-model.ts";
import { openScope } from "../../src/run/scope.ts";
import { type ContextData, converse, stored, storing, talk } from "../support/conversations.ts";
import { assistant, calling, eventsOfType, result, says, setup, user } from "../support/setup.ts";
import { seed } from "../support/stores.ts";
import { returning } from "../support/tool-answers.ts";

const noInnerRuns = vi.fn();

/** The fate of each position, after checking that each has exactly one. */
function fatesOf({ ranges, messages, counts }: ContextData): string[] {
  const fates: string[] = [];
  for (const { from, to, fate, reason } of ranges) {
    expect(from).toBe(fates.length);
    expect(to).toBeGreaterThanOrEqual(from);
    for (let at = from; at <= to; at++) fates.push(reason === undefined ? fate : `${fate}: ${reason}`);
  }
  expect(fates).toHaveLength(messages);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(messages);
  return fates;
}

const ranges = (data: ContextData | undefined) =>
  data?.ranges.map(({ from, to, fate, reason }) => [
    from,
    to,
    fate,
    ...(reason === undefined ? [] : [reason]),
  ]);

describe("the context event", () => {
  it("reports that a whole history was sent", async () => {
    const { contexts } = await converse({ provider: await storing(talk(2)) });
    expect(contexts).toEqual([
      {
        agentName: "helper",
        messages: 5,
        ranges: [{ from: 0, to: 4, fate: "sent" }],
        counts: { sent: 5, repaired: 0, summarized: 0, trimmed: 0, dropped: 0 },
        sent: 5,
      },
    ]);
  });

  it("comes with each call, once for all attempts, after the call's start", async () => {
    const { events, contexts } = await converse({
      provider: await storing([]),
      tools: [returning("ok")],
      steps: [{ toolCalls: [{ name: "tool" }] }, Object.assign(new Error("busy"), { status: 503 }), "Done."],
    });
    const types = events.map(({ type }) => type).filter((type) => /^(context|llm_)/.test(type));
    expect(types.join(" ")).toBe(
      "llm_call_start context llm_call_end llm_call_start context llm_retry llm_call_end",
    );
    expect(contexts.map(ranges)).toEqual([[[0, 0, "sent"]], [[0, 2, "sent"]]]);
  });

  it("recognises a message with removed calls and their places between its parts", async () => {
    const unanswered: RichMessage = {
      ...calling(["c", "tool"]),
      content: [
        { type: "text", text: "I look." },
        { type: "tool-call", id: "c" },
        { type: "text", text: "So." },
      ],
    };
    const history = [user("a"), unanswered as Message, user("b"), assistant("B")];
    const { contexts } = await converse({ provider: await storing(history) });
    expect(contexts.map(ranges)).toEqual([
      [
        [0, 0, "sent"],
        [1, 1, "repaired"],
        [2, 4, "sent"],
      ],
    ]);
  });

  it("names what the sanitizer repaired and dropped", async () => {
    const provider = await storing([
      user("0"),
      calling(["a", "tool"], ["b", "tool"]),
      result("b", "2"),
      result("a", "3"),
      result("a", "4 again"),
      result("nobody", "5"),
      calling(["lost", "tool"]),
      assistant(""),
      { ...calling(["c", "tool"], ["gone", "tool"]), content: "8" },
      user("9"),
      result("c", "10"),
      { ...assistant("11"), tool_calls: [] },
    ]);
    const { contexts } = await converse({ provider });
    expect(ranges(contexts[0])).toEqual([
      [0, 1, "sent"],
      [2, 3, "repaired"],
      [4, 7, "dropped", "not-replayable"],
      [8, 8, "repaired"],
      [9, 9, "sent"],
      [10, 11, "repaired"],
      [12, 12, "sent"],
    ]);
  });

  it("counts from the first message, including dropped ones", async () => {
    const provider = createInMemoryProvider();
    await seed(provider, talk(5), {}, { maxMessages: 4 });
    const { contexts } = await converse({ provider });
    expect(ranges(contexts[0])).toEqual([
      [0, 5, "dropped", "not-stored"],
      [6, 10, "sent"],
    ]);
  });

  it("is correct if nothing is stored", async () => {
    const { config, events } = setup({ model: ["Done."] });
    await run(says("0", calling(["lost", "tool"]), result("nobody", "2"), "3"), config);
    expect(ranges(eventsOfType(events, "context")[0])).toEqual([
      [0, 0, "sent"],
      [1, 2, "dropped", "not-replayable"],
      [3, 3, "sent"],
    ]);
  });

  it("has results in the store's order, also after a resume", async () => {
    const provider = await storing([user("0"), calling(["a", "tool"], ["b", "tool"]), result("b", "2")]);
    const { contexts } = await converse({ provider, said: [], tools: [returning("a")] });
    expect(ranges(contexts[0])).toEqual([
      [0, 1, "sent"],
      [2, 3, "repaired"],
    ]);
    const again = await converse({ provider });
    expect(ranges(again.contexts[0])?.slice(0, 2)).toEqual(ranges(contexts[0]));
  });

  it("contains no message content, and is frozen", async () => {
    const provider = await storing([
      user("secret"),
      calling(["secret", "secret"]),
      result("secret", "secret"),
    ]);
    const { contexts } = await converse({
      provider,
      memory: {
        window: { maxMessages: 50 },
        compressionThreshold: 1,
        summary: { summarize: async () => "secret" },
      },
      said: ["another secret"],
    });
    expect(JSON.stringify(contexts)).not.toContain("secret");
    const [data] = contexts;
    for (const part of [
      data,
      data?.ranges,
      data?.ranges[0],
      data?.counts,
      data?.summary,
      data?.window,
      data?.compaction,
    ])
      expect(Object.isFrozen(part)).toBe(true);
    expect(data?.compaction?.outcome).toBe("stored");
  });

  it("isn't created without an observer", async () => {
    for (const listens of [true, false]) {
      const { config } = setup({ model: ["Done."] });
      const { onEvent, ...silent } = config;
      const state = says("Hi", "there");
      const scope = openScope(state, listens ? config : silent, { streaming: false }, noInnerRuns);
      const describe = vi.fn();
      const view: typeof scope.prepareContext = async (turn) => {
        const made = await scope.prepareContext(turn);
        return made.ok ? { ...made, toManifest: describe.mockImplementation(made.toManifest) } : made;
      };
      const agent = config.agentRegistry.get("helper");
      if (agent === undefined) throw new Error("no agent");
      expect(await callModel({ ...scope, prepareContext: view }, { state, agent })).toMatchObject({
        ok: true,
      });
      expect(describe).toHaveBeenCalledTimes(listens ? 1 : 0);
    }
  });
});

const anyMessage = fc.oneof(
  { weight: 3, arbitrary: fc.constant(user("")) },
  { weight: 3, arbitrary: fc.constant(assistant("text")) },
  { weight: 1, arbitrary: fc.constant(assistant("")) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }), fc.constantFrom("", "text"))
      .map(([ids, content]): Message => ({ ...calling(...ids.map((id) => [id, "tool"] as const)), content })),
  },
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "c", "d").map((id) => result(id, "")) },
);

/** Each text is the position of its message, except for empty replies. */
const numbered = (messages: readonly Message[]): readonly Message[] =>
  messages.map((message, index) =>
    message.role === "assistant" && message.content === "" ? message : { ...message, content: `#${index}` },
  );

const isNumbered = ({ content }: Message) => content.startsWith("#");
const numbersOf = (messages: readonly Message[]) =>
  messages.filter(isNumbered).map(({ content }) => Number(content.slice(1)));
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

describe("the context event of any history", () => {
  const memories = fc.record({
    window: fc.constantFrom(
      undefined,
      { maxMessages: 6 },
      { maxMessages: 9, trimTo: 5 },
      { memoryType: "token_window" as const, maxTokens: 60 },
      (messages: readonly Message[]) => messages.filter((_, index) => index % 3 !== 1),
    ),
    compressionThreshold: fc.constantFrom(undefined, 2, 6),
    maxMessages: fc.constantFrom(undefined, 8),
  });

  it("has each position once, with the correct fate", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { maxLength: 24 }), memories, async (drawn, drawnMemory) => {
        const history = numbered(drawn);
        const { maxMessages, ...rest } = drawnMemory;
        const memory = JSON.parse(JSON.stringify({})) as object;
        Object.assign(
          memory,
          Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
        );
        const provider = createInMemoryProvider();
        await seed(provider, history, {}, maxMessages === undefined ? {} : { maxMessages });
        const before = await stored(provider);
        const dropped = history.length - before.messages.length;
        const said = numbered([...history, user("")]).slice(-1);
        const { views, contexts } = await converse({
          provider,
          said,
          memory: { ...memory, summary: { summarize: async ({ messages }) => `sum of ${messages.length}` } },
        });
        const [view = []] = views;
        const [data] = contexts;
        if (data === undefined) return; // The window has no room for the newest message.
        const fates = fatesOf(data);
        const at = (...wanted: readonly string[]) =>
          fates.flatMap((fate, position) =>
            wanted.includes(fate) || wanted.includes(fate.split(":")[0] ?? "") ? [position] : [],
          );
        const numbersAt = (positions: readonly number[]) =>
          numbersOf(positions.map((position) => [...history, ...said][position] as Message));
        const whole = sanitizeConversation([...before.messages, ...said]);

        expect(data.messages).toBe(history.length + 1);
        expect(data.sent).toBe(view.length);
        const summaries = data.summary === undefined ? 0 : 1;
        expect(at("sent", "repaired")).toHaveLength(view.length - summaries);
        expect(numbersAt(at("sent", "repaired"))).toEqual(sorted(numbersOf(view)));
        const kept = at("sent", "repaired", "summarized", "trimmed", "dropped: cut-turn");
        expect(numbersAt(kept)).toEqual(sorted(numbersOf(whole)));
        expect(fates.filter((fate) => fate === "dropped: not-stored")).toHaveLength(dropped);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a history of 10,000 messages", () => {
  it("is described in few ranges", async () => {
    const history = Array.from({ length: 2_500 }, (_, turn) => [
      user(`question ${turn}`),
      calling([`call_${turn}`, "tool"]),
      result(`call_${turn}`, "found"),
      assistant(`answer ${turn}`),
    ]).flat();
    const { contexts } = await converse({
      provider: await storing([...history, calling(["lost", "tool"])]),
      memory: { window: { maxMessages: 41 } },
    });
    expect(ranges(contexts[0])).toEqual([
      [0, 9_955, "trimmed", "not-loaded"],
      [9_956, 9_959, "trimmed", "older"],
      [9_960, 9_999, "sent"],
      [10_000, 10_000, "dropped", "not-replayable"],
      [10_001, 10_001, "sent"],
    ]);
  });
});
