import { expect } from "vitest";
import type { Message } from "../../../contract/message.ts";
import { trimStart } from "../../../in-memory/write.ts";
import {
  contents,
  expectInvalid,
  expectOk,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { answering, append, assistant, calling, hostile, user, users } from "../../fixtures/messages.ts";
import { forEachConcurrently } from "../../fixtures/timing.ts";
import { defineSpec, inputLimits, type Scenario } from "../../kit/spec.ts";

interface Case {
  readonly history: readonly Message[];
  readonly maxMessages: number;
  readonly kept: readonly Message[];
}

const single = [user("ask"), calling("a"), answering("a"), assistant("done")];
const parallel = [user("ask"), calling("a", "b", "c"), ...["a", "b", "c"].map(answering), assistant("done")];
const twice = [calling("a"), answering("a"), calling("b"), answering("b")];
const open = [user("ask"), calling("a", "b"), answering("a"), answering("b")];

const cases: Readonly<Record<string, Case>> = {
  "keeps all that fits": { history: single, maxMessages: 4, kept: single },
  "cuts before a group": { history: single, maxMessages: 3, kept: single.slice(1) },
  "cuts between a call and its result: both go": { history: single, maxMessages: 2, kept: single.slice(3) },
  "cuts after a group": { history: single, maxMessages: 1, kept: single.slice(3) },
  "cuts before parallel calls": { history: parallel, maxMessages: 5, kept: parallel.slice(1) },
  "cuts right behind parallel calls: all go": { history: parallel, maxMessages: 4, kept: parallel.slice(5) },
  "cuts in the middle of results: all go": { history: parallel, maxMessages: 3, kept: parallel.slice(5) },
  "cuts before the last of the results: all go": {
    history: parallel,
    maxMessages: 2,
    kept: parallel.slice(5),
  },
  "cuts into the first of two groups": { history: twice, maxMessages: 3, kept: twice.slice(2) },
  "cuts between two groups": { history: twice, maxMessages: 2, kept: twice.slice(2) },
  "keeps the last group whole when the cut falls into it": {
    history: twice,
    maxMessages: 1,
    kept: twice.slice(2),
  },
  "keeps a last group that is larger than the limit": { history: open, maxMessages: 2, kept: open.slice(1) },
  "keeps it whole for a limit of 1": { history: open, maxMessages: 1, kept: open.slice(1) },
};

async function expectKept(
  provider: Scenario["provider"],
  id: string,
  { history, kept }: Case,
  version = 1,
): Promise<void> {
  const { messages, metadata } = await readConversation(provider, id);
  expect(contents(messages)).toEqual(contents(kept));
  expect(messages).toEqual(kept);
  expect(metadata).toMatchObject({ totalMessages: kept.length, version, nextPosition: history.length });
}

const caseRules = Object.fromEntries(
  Object.entries(cases).map(([title, example]) => [
    title,
    async ({ provider }: Scenario) => {
      const { history, maxMessages } = example;
      expectOk(await append(provider, "at once", history, {}, { maxMessages }));
      await expectKept(provider, "at once", example);
      expectOk(await provider.storeMessages("stored", history, {}, { maxMessages }));
      await expectKept(provider, "stored", example);
      expectOk(await append(provider, "later", history));
      expectOk(await provider.appendMessages("later", [], {}, { maxMessages }));
      await expectKept(provider, "later", example, example.kept.length < history.length ? 2 : 1);
    },
  ]),
);

export const trimming = defineSpec(
  {
    level: "contract",
    subject: "options.maxMessages",
    why: "Models refuse a history in which a tool result has lost its call: the chat is stuck.",
    hint: "write(): trim last; move the cut past the tool results, or back to the last group.",
  },
  {
    ...caseRules,

    "drops the oldest in the step that appends": async ({ provider }) => {
      for (let index = 1; index <= 6; index++) {
        expectOk(await append(provider, "c", users(`${index}`), {}, { maxMessages: 3 }));
        expect((await readConversation(provider, "c")).messages.length).toBeLessThanOrEqual(3);
      }
      expect(await readContents(provider, "c")).toEqual(["4", "5", "6"]);
      expect(contents(expectOk(await provider.getRecentMessages("c", 2)))).toEqual(["5", "6"]);
      expect(expectOk(await provider.getStats()).totalMessages).toBe(3);
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        version: 6,
        totalMessages: 3,
      });
    },

    "applies to its write only": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), {}, { maxMessages: 2 }));
      expectOk(await provider.appendMessages("c", users("4", "5")));
      expect(await readContents(provider, "c")).toEqual(["2", "3", "4", "5"]);
    },

    "trims a batch over the limit": async ({ provider }) => {
      expectOk(await append(provider, "c", users("0")));
      expectOk(await provider.appendMessages("c", users("1", "2", "3", "4"), {}, { maxMessages: 2 }));
      expect(await readContents(provider, "c")).toEqual(["3", "4"]);
    },

    "never splits a group that arrives step by step": async ({ provider }) => {
      const add = async (...messages: readonly Message[]) => {
        expectOk(await append(provider, "c", messages, {}, { maxMessages: 3 }));
        return readContents(provider, "c");
      };
      expect(await add(user("ask"))).toEqual(["ask"]);
      expect(await add(calling("a", "b", "c"))).toEqual(["ask", "calls a,b,c"]);
      expect(await add(answering("a"))).toEqual(["ask", "calls a,b,c", "answers a"]);
      expect(await add(answering("b"))).toEqual(["calls a,b,c", "answers a", "answers b"]);
      expect(await add(answering("c"))).toEqual(["calls a,b,c", "answers a", "answers b", "answers c"]);
      expect(await add(assistant("done"))).toEqual(["done"]);
      expect(await add(calling("d"), answering("d"))).toEqual(["done", "calls d", "answers d"]);
      expect(await add(user("more"))).toEqual(["calls d", "answers d", "more"]);
      expect((await readConversation(provider, "c")).metadata).toMatchObject({ version: 8, nextPosition: 9 });
    },

    "trims the same for any sizes of batches": async ({ provider }) => {
      const history = [...parallel, ...twice, user("next"), ...open];
      for (const maxMessages of [1, 2, 3, 4, 5, 6, 7, 9, 12]) {
        const inOne = `one-${maxMessages}`;
        const inPairs = `pairs-${maxMessages}`;
        expectOk(await append(provider, inOne, history));
        for (let at = 0; at < history.length; at += 2) {
          expectOk(await append(provider, inPairs, history.slice(at, at + 2)));
        }
        expectOk(await provider.appendMessages(inOne, [], {}, { maxMessages }));
        expectOk(await provider.appendMessages(inPairs, [], {}, { maxMessages }));
        expect(await readContents(provider, inPairs)).toEqual(await readContents(provider, inOne));
      }
    },

    "continues in order after a trim": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), {}, { maxMessages: 1 }));
      expectOk(await provider.storeMessages("c", users("4", "5", "6"), {}, { maxMessages: 2 }));
      expectOk(await provider.appendMessages("c", users("7"), {}, { maxMessages: 5 }));
      expect(await readContents(provider, "c")).toEqual(["5", "6", "7"]);
      expect((await readConversation(provider, "c")).metadata).toMatchObject({
        version: 3,
        totalMessages: 3,
        nextPosition: 7,
      });
    },
  },
);

export const trimmingLimits = defineSpec(inputLimits("options.maxMessages"), {
  "accepts the largest limit": async ({ provider }) => {
    const options = { maxMessages: Number.MAX_SAFE_INTEGER };
    expectOk(await provider.storeMessages("c", users("1"), {}, options));
    expectOk(await provider.appendMessages("c", users("2"), {}, options));
    expect(await readContents(provider, "c")).toEqual(["1", "2"]);
  },

  "refuses a limit that isn't a whole number from 1": async ({ provider }) => {
    expectOk(await provider.storeMessages("c", users("1")));
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null]) {
      const options = { maxMessages: hostile(value) };
      await expectInvalid(() => provider.appendMessages("c", [], {}, options), "options.maxMessages");
      await expectInvalid(() => provider.storeMessages("c", [], {}, options), "options.maxMessages");
    }
    expect(await readContents(provider, "c")).toEqual(["1"]);
  },
});

const LONGEST = 6;

/** Returns a history with one message for each boolean: a tool result for `true`, another message for `false`. */
function historyOf(results: readonly boolean[]): readonly Message[] {
  // `false` before a `true` stands for an assistant message with a tool call; any other `false` for a user message.
  return results.map((isResult, index) => {
    if (isResult) return answering(`${index}`);
    return results[index + 1] === true ? calling(`${index}`) : user(`${index}`);
  });
}

/** All possible orders of tool results and other messages, with up to `LONGEST` messages. */
const histories: readonly (readonly Message[])[] = Array.from({ length: LONGEST }, (_, index) => index + 1)
  .flatMap((length) =>
    Array.from({ length: 2 ** length }, (_, bits) =>
      Array.from({ length }, (_, index) => (bits & (1 << index)) !== 0),
    ),
  )
  .map(historyOf);

type Trim = (
  provider: Scenario["provider"],
  id: string,
  given: { readonly history: readonly Message[]; readonly maxMessages: number },
) => Promise<void>;

/**
 * Calls `trim` for each history and each limit. Expects that the conversation then contains the messages that the limit
 * allows.
 */
const expectTrimmed = ({ provider }: Scenario, trim: Trim): Promise<void> =>
  // Each history has one conversation, which is written again for each limit.
  forEachConcurrently(histories, async (history) => {
    const name = history.map(({ content }) => content).join("; ");
    for (let maxMessages = 1; maxMessages <= history.length; maxMessages++) {
      await trim(provider, name, { history, maxMessages });
      const kept = history.slice(trimStart(history, maxMessages, ({ role }) => role === "tool"));
      const recent = expectOk(await provider.getRecentMessages(name));
      expect(contents(recent), `at most ${maxMessages} of: ${name}`).toEqual(contents(kept));
    }
  });

export const smallHistories = defineSpec(
  {
    level: "contract",
    subject: "options.maxMessages, every small history",
    why: "Models refuse a history in which a tool result has lost its call: the chat is stuck.",
    hint: "write(): move the cut past the tool results; if nothing is left, back to the last message that isn't one.",
  },
  {
    "is trimmed right when it is stored": (scenario) =>
      expectTrimmed(scenario, async (provider, id, { history, maxMessages }) => {
        expectOk(await provider.storeMessages(id, history, {}, { maxMessages }));
      }),

    "is trimmed right by an empty batch": (scenario) =>
      expectTrimmed(scenario, async (provider, id, { history, maxMessages }) => {
        expectOk(await provider.storeMessages(id, history));
        expectOk(await provider.appendMessages(id, [], {}, { maxMessages }));
      }),

    "is trimmed right by the batch that completes it": (scenario) =>
      expectTrimmed(scenario, async (provider, id, { history, maxMessages }) => {
        const half = history.length >> 1;
        expectOk(await provider.storeMessages(id, history.slice(0, half)));
        expectOk(await append(provider, id, history.slice(half), {}, { maxMessages }));
      }),
  },
);
