import { expect } from "vitest";
import { trimStart } from "../../in-memory/trim.ts";
import type { Message } from "../../message.ts";
import { contents, expectOk } from "../expectations.ts";
import { forEachConcurrently } from "../for-each-concurrently.ts";
import { answering, calling, user } from "../messages.ts";
import { defineSpec, type Scenario } from "../spec.ts";
import { append } from "../writes.ts";

const LONGEST = 6;

/** A message that is a tool result or none. What isn't one calls tools where results follow, and is a user's elsewhere. */
function historyOf(results: readonly boolean[]): readonly Message[] {
  return results.map((isResult, index) => {
    if (isResult) return answering(`${index}`);
    return results[index + 1] === true ? calling(`${index}`) : user(`${index}`);
  });
}

/** Every order of tool results and other messages, up to so many. */
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

/** Each history is one conversation, which is written anew for each limit. */
const expectTrimmed = ({ provider }: Scenario, trim: Trim): Promise<void> =>
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
    hint: "write(): the cut moves past the tool results; where nothing is left, back to the last message that is none.",
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
