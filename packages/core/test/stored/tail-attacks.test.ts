import type { Message, VersionedMemoryProvider } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { converse, stored, storing, talk } from "../support/conversations.ts";
import { shop } from "../support/interrupted.ts";
import { assistant, calling, result, user } from "../support/setup.ts";
import { tenMethods } from "../support/stores.ts";

/** The stored messages, events and outcomes of a run that reads everything and of one that reads the end. */
async function both(history: readonly Message[], maxMessages: number, said: readonly string[]) {
  return Promise.all(
    [true, false].map(async (all) => {
      const store = await storing(history);
      const turns: unknown[] = [];
      const { process } = shop({
        provider: all ? tenMethods(store) : store,
        memory: { window: { maxMessages } },
      });
      const ended = await process(["Done."], said, {
        middleware: [
          {
            name: "told",
            onStart: ({ userMessages: said, position }) => void turns.push({ said, position }),
          },
        ],
      });
      return { stored: (await stored(store)).messages, outcome: ended.outcome, turns };
    }),
  );
}

describe("new messages of a run that reads the end", () => {
  it("aren't duplicated if they retry more messages than were loaded", async () => {
    const history = [...talk(10), user("a"), user("b"), user("c")];
    const [whole, end] = await both(history, 1, ["a", "b", "c"]);
    expect(whole?.stored).toEqual([...history, assistant("Done.")]);
    expect(end).toEqual(whole);
  });

  it("aren't lost if only user messages were loaded", async () => {
    const history = [...talk(10), user("yes")];
    const [whole, end] = await both(history, 1, ["yes", "no"]);
    expect(whole?.stored).toEqual([...history, user("yes"), user("no"), assistant("Done.")]);
    expect(end).toEqual(whole);
  });

  it("are passed to middleware with all unanswered messages", async () => {
    const history = [...talk(10), user("a"), user("b"), user("c")];
    const [whole, end] = await both(history, 2, ["d"]);
    expect(end).toEqual(whole);
  });

  const words = fc.constantFrom("a", "b");
  const turns = fc.array(
    fc.oneof(
      words.map((word) => [user(word)]),
      words.map((word) => [user(word), assistant("ok")]),
      words.map((word) => [user(word), calling(["x", "look"]), result("x", "seen")]),
      words.map((word) => [user(word), calling(["x", "look"]), result("x", "seen"), assistant("ok")]),
    ),
    { maxLength: 8 },
  );

  it("are the same as in a run that reads everything", async () => {
    await fc.assert(
      fc.asyncProperty(
        turns,
        fc.integer({ min: 1, max: 4 }),
        fc.array(words, { maxLength: 4 }),
        async (drawn, maxMessages, said) => {
          const [whole, end] = await both(drawn.flat(), maxMessages, said);
          expect(end).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a provider that returns fewer messages than requested", () => {
  it("can have more messages, if it reports so", async () => {
    const history = [...talk(10), user("go"), assistant("on"), assistant("and on")];
    const store = await storing(history);
    const capped: VersionedMemoryProvider = {
      ...store,
      readConversation: (id, options = {}) => {
        const { messages } = options;
        const isLimited = typeof messages === "object" && "limit" in messages;
        return store.readConversation(id, isLimited ? { ...options, messages: { limit: 2 } } : options);
      },
    };
    const seen = async (provider: VersionedMemoryProvider) =>
      (await converse({ provider, memory: { window: { maxMessages: 6 } } })).views;
    expect(await seen(capped)).toEqual(await seen(await storing(history)));
  });
});
