import { createInMemoryProvider, isSuccess, type Message } from "@jaf/memory";
import { expect, test } from "vitest";
import { createMessageSearch } from "../../src/message-search/message-search.ts";

const say = (content: string, role: Message["role"] = "user"): Message => ({ role, content });

async function found(messages: readonly Message[], query: string, options = {}) {
  const provider = createInMemoryProvider();
  const metadata = { userId: "ada", title: "Trip" };
  await provider.appendMessages("c1", messages, metadata, { createIfMissing: true });
  const result = await createMessageSearch(provider).search("ada", query, options);
  if (!isSuccess(result)) throw new Error(result.error.message);
  return result.data;
}

/** The words that a search marks in the passage. */
const marked = ({ passage, matches }: Awaited<ReturnType<typeof found>>[number]) =>
  matches.map(({ start, end }) => passage.slice(start, end));

const filler = "We talk about the weather and the garden, as on most days of that long summer. ".repeat(30);

test("a long message is found with the passage that matches best, and its words are marked", async () => {
  const text = `${filler}\nMy dogs are Bruno and Rex. ${filler}\nThe dogs of the ferry bark. ${filler}`;
  const [first] = await found([say(text)], "What are my dog's ferries?", { limit: 1 });
  expect(first?.message.content).toBe(text);
  expect(first?.passage.length).toBeLessThanOrEqual(500);
  expect(text).toContain(first?.passage);
  expect(first && marked(first)).toEqual(["dogs", "ferry"]);
  expect(first?.metadata).toMatchObject({ title: "Trip", totalMessages: 1 });
});

test("words are marked in any form, with accents, and in scripts without spaces", async () => {
  const [german] = await found([say("Die CAFÉS in Straßburg, Deployed!")], "cafe strassburg deploying");
  expect(german && marked(german)).toEqual(["CAFÉS", "Straßburg", "Deployed"]);
  const [japanese] = await found([say("私は東京に住んでいます。")], "東京");
  expect(japanese && marked(japanese)).toEqual(["東京"]);
});

test("a message that only its neighbour matches has no marked words", async () => {
  const [, neighbour] = await found([say("My dog is Bruno."), say("Lovely!", "assistant")], "dog");
  expect(neighbour).toMatchObject({ passage: "Lovely!", matches: [], position: 1 });
});

test("the messages from a position on are left out, in their conversation only", async () => {
  const messages = [say("apples"), say("more apples"), say("apples again")];
  const positions = async (conversationId: string) =>
    (await found(messages, "apples", { except: { conversationId, position: 1 } })).map(
      ({ position }) => position,
    );
  expect(await positions("c1")).toEqual([0]);
  expect(await positions("c2")).toHaveLength(3);
});

test.each([{ position: -1 }, { position: 0.5 }, { position: "0" }, {}])(
  "an invalid exception is refused: %j",
  async (except) => {
    const search = createMessageSearch(createInMemoryProvider());
    const result = await search.search("ada", "x", { except: { conversationId: "c", ...except } as never });
    expect(result).toMatchObject({ success: false, error: { _tag: "MemoryValidationError" } });
  },
);

test("a message of a megabyte is found with one short passage", async () => {
  const long = `${"lorem ipsum ".repeat(90_000)}\nThe zeppelin lands in Bergen.`;
  const [first] = await found([say(long)], "zeppelin", { limit: 1 });
  expect(first?.passage).toBe("The zeppelin lands in Bergen.");
});
