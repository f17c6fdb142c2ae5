import { createInMemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { converse, storing, talk, writeSummary } from "../support/conversations.ts";
import { assistant, calling, result, user } from "../support/setup.ts";
import { seed } from "../support/stores.ts";

const rounds = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, at) => [calling([`${at}`, "tool"]), result(`${at}`, "ok")]).flat();

/** The messages. The store keeps only the last ones. */
async function keeping(kept: number, history: readonly Message[]) {
  const provider = createInMemoryProvider();
  await seed(provider, history, {}, { maxMessages: kept });
  return provider;
}

const windows = [
  ["no window", undefined],
  ["a window", { maxMessages: 40 }],
  ["a function", (messages: readonly Message[]) => messages],
] as const;

describe("a conversation without its beginning", () => {
  it.each(windows)("is sent from the first user message on, with %s", async (_, window) => {
    const history = [user("one"), ...rounds(3), assistant("done"), ...talk(2)];
    const { views, contexts } = await converse({
      provider: await keeping(9, history),
      memory: window === undefined ? {} : { window },
    });
    expect(views[0]).toEqual([...talk(2), user("now")]);
    expect(contexts[0]?.ranges).toEqual([
      { from: 0, to: 2, fate: "dropped", reason: "not-stored" },
      { from: 3, to: 7, fate: "dropped", reason: "cut-turn" },
      { from: 8, to: 12, fate: "sent" },
    ]);
    expect(contexts[0]).not.toHaveProperty("lacksUserMessage");
  });

  it.each(windows)("continues without a user message, and reports it, with %s", async (_, window) => {
    const { views, contexts, ended } = await converse({
      provider: await keeping(6, [user("one"), ...rounds(4)]),
      memory: window === undefined ? {} : { window },
      said: [],
    });
    expect(views[0]?.map(({ role }) => role[0]).join("")).toBe("atatat");
    expect(contexts[0]).toMatchObject({ lacksUserMessage: true, sent: 6 });
    expect(ended.outcome.status).toBe("completed");
  });

  it("keeps the messages after a summary, which begin with a user message", async () => {
    const provider = await keeping(9, [user("one"), ...rounds(3), assistant("done"), ...talk(2)]);
    await writeSummary(provider, { text: "before", upTo: 2 });
    const { views } = await converse({ provider, memory: { compressionThreshold: 50 } });
    expect(views[0]).toHaveLength(11);
    expect(views[0]?.[0]?.content).toContain("before");
  });
});

describe("a conversation that begins with a reply", () => {
  it("is sent unchanged if nothing was dropped", async () => {
    const history = [assistant("Hello, how can I help?"), ...talk(1)];
    const { views, contexts } = await converse({ provider: await storing(history) });
    expect(views[0]).toEqual([...history, user("now")]);
    expect(contexts[0]?.counts.sent).toBe(4);
  });
});
