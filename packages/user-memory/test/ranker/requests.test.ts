import { describe, expect, it } from "vitest";
import { coverMessages, coverMore } from "../../src/ranker/cover.ts";
import { parseQuery } from "../../src/ranker/index.ts";
import type { Conversation } from "../../src/ranker/term-table.ts";
import { WEIGHTS } from "../../src/ranker/weights.ts";
import { found, search, type Told } from "./documents.ts";

const wordsOf = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");
const said = (text: string, conversationId: string, position = 0): Told => ({
  text,
  location: { conversationId, position },
});
const FILLER: readonly Told[] = Array.from({ length: 20 }, (_, at) => said(`filler${at} nothing`, `f${at}`));

describe("the breadth of a query", () => {
  it.each([
    [0, 0],
    [1, 0],
    [8, 0],
    [14, 0.5],
    [20, 1],
    [200, 1],
  ])("with %i words is %d", (count, breadth) => {
    expect(parseQuery(wordsOf(count)).breadth).toBe(breadth);
  });

  it("counts different content words", () => {
    expect(parseQuery(`${"tea and the tea ".repeat(40)}`).breadth).toBe(0);
  });

  it("doesn't grow with its context", () => {
    expect(parseQuery("And the second?", { context: [wordsOf(60)] }).breadth).toBe(0);
  });
});

describe("names", () => {
  const shareOf = (text: string, word: string) => parseQuery(text).words.get(word)?.share;

  it("count twice in a request, and once in a question", () => {
    expect(shareOf(`please ask Quill ${wordsOf(30)}`, "quill")).toBe(WEIGHTS.name);
    expect(shareOf("please ask Quill", "quill")).toBe(1);
  });

  it.each([
    ["begins a sentence", `Quill ${wordsOf(30)}`],
    ["begins a further sentence", `So it was. Quill ${wordsOf(30)}`],
    ["begins a line", `So it was\nQuill ${wordsOf(30)}`],
    ["isn't capitalized", `please ask quill ${wordsOf(30)}`],
  ])("are no word that %s", (_, text) => {
    expect(shareOf(text, "quill")).toBe(1);
  });

  it.each(["in “Quill” now", "with, Quill and", "the (Quill) of", "the *Quill* of"])(
    "can be marked: %s",
    (text) => {
      expect(shareOf(`so ${text} ${wordsOf(30)}`, "quill")).toBe(WEIGHTS.name);
    },
  );
});

describe("several documents of one message", () => {
  const message = { conversation: {} as Conversation, position: 0, row: 0, speaker: undefined, length: 0 };

  it("get less, the more better ones there are", () => {
    const items = [1, 0.9, 0.8].map((score) => ({ message, score }));
    expect(coverMessages(items).map(({ score }) => score)).toEqual([1, 0.45, 0.2]);
  });

  it("don't take the places of other messages", () => {
    const other = { ...message };
    const items = [1, 0.9, 0.8, 0.6].map((score, at) => ({ message: at === 3 ? other : message, score }));
    expect(coverMessages(items).map((one) => one.message === other)).toEqual([false, true, false, false]);
  });

  it("don't change items without a message", () => {
    const items = [2, 1].map((score) => ({ message: undefined, score }));
    expect(coverMessages(items)).toEqual(items);
  });

  it("let a question find another message with the word", () => {
    const documents = [
      said("my violin", "c"),
      said("a violin", "c"),
      said("the violin in a hall", "d"),
      ...FILLER,
    ];
    expect(found(documents, "violin").slice(0, 2)).toContain(3);
  });
});

describe("coverMore", () => {
  const conversation = (conversationId: string): Conversation => ({
    conversationId,
    members: [],
    at: [],
    latest: 0,
  });
  const [here, there] = [conversation("here"), conversation("there")];
  const item = (score: number, of: Conversation, position: number) => ({
    score,
    message: { conversation: of, position, row: 0, speaker: undefined, length: 0 },
  });
  const items = [item(1, here, 0), item(0.9, here, 4), item(0.8, here, 40), item(0.7, there, 4)];
  const positions = (breadth: number) =>
    coverMore(items, breadth).map(
      ({ message }) => `${message.conversation.conversationId} ${message.position}`,
    );

  it("changes nothing for a question", () => {
    expect(coverMore(items, 0)).toBe(items);
  });

  it("puts what was said near a better item behind other matters, but not what was said far away", () => {
    expect(positions(1)).toEqual(["here 0", "here 40", "there 4", "here 4"]);
  });

  it("does so less for a narrower request", () => {
    expect(positions(0.2)).toEqual(["here 0", "here 40", "here 4", "there 4"]);
  });

  it("keeps every item once, best first", () => {
    const many = Array.from({ length: 500 }, (_, at) => item(1 / (at + 1), at % 3 === 0 ? here : there, at));
    const covered = coverMore(many, 1);
    expect(new Set(covered.map(({ message }) => message)).size).toBe(500);
    expect(covered.every(({ score }, at) => score <= (covered[at - 1]?.score ?? 1))).toBe(true);
  });
});

describe("recency", () => {
  const told = [said("the tent is green", "old"), ...FILLER, said("the tent is green", "new")];
  const recencyOf = (query: string) =>
    search(told, query, { limit: 50 }).flatMap(({ seq, reasons }) =>
      seq === 1 || seq === 22 ? [[seq, reasons.recency]] : [],
    );

  it("doesn't count in a question", () => {
    expect(recencyOf("tent")).toEqual([
      [22, 1],
      [1, 1],
    ]);
  });

  it("counts in a request, most for the latest conversation", () => {
    const [newer, older] = recencyOf(`tent ${wordsOf(30)}`);
    expect(newer).toEqual([22, 1 + WEIGHTS.recency]);
    expect(older?.[0]).toBe(1);
    expect(older?.[1]).toBeLessThan(1.01);
  });
});

describe("the latest of equally good statements", () => {
  const at = (text: string, saidAt: number, more: Partial<Told> = {}): Told => ({ text, saidAt, ...more });
  const oslo = at("I live in Oslo", 1);
  const bergen = at("We have moved, so that I live in Bergen", 2);

  it("comes first", () => {
    expect(found([oslo, bergen, ...FILLER], "Where do I live?")).toEqual([2, 1]);
    expect(found([bergen, oslo, ...FILLER], "Where do I live?")).toEqual([1, 2]);
  });

  it("doesn't come before a statement of more of the question", () => {
    expect(found([at("I live in Oslo with Ada", 1), bergen, ...FILLER], "Where do I live with Ada?")).toEqual(
      [1, 2],
    );
  });

  it("doesn't come first if it fits much worse", () => {
    const long = at(`I live ${wordsOf(80)}`, 2);
    expect(found([oslo, long, ...FILLER], "Where do I live?")).toEqual([1, 2]);
  });

  it("is no question", () => {
    expect(found([oslo, at("Do I live a long and good life?", 2), ...FILLER], "Where do I live?")[0]).toBe(1);
  });

  it("isn't looked for in talk of several people, in messages with roles, or for a date", () => {
    const byTwo = [
      at("I live in Oslo", 1, { author: "Ada" }),
      at("We have moved, so that I live in Bergen", 2, { author: "Ben" }),
    ];
    expect(found([...byTwo, ...FILLER], "Where do I live?")).toEqual([1, 2]);
    const roles = [oslo, bergen].map((one) => ({ ...one, role: "user" as const }));
    expect(found([...roles, ...FILLER], "Where do I live?")).toEqual([1, 2]);
    const dated = [at("I live in Oslo", Date.UTC(2020, 1, 1)), at("I live in Bergen", Date.UTC(2021, 1, 1))];
    expect(found([...dated, ...FILLER], "Where do I live in February 2020?")[0]).toBe(1);
  });
});

describe("the context of a query", () => {
  const context = ["What does the flat in Alfama cost?", "The flat costs 1,400 euros."];

  it("adds words with less weight", () => {
    const { words } = parseQuery("And in Graça?", { context });
    expect(words.get("graca")?.share).toBe(1);
    expect(words.get("flat")).toEqual({ forms: [], share: WEIGHTS.context });
  });

  it("adds the last two texts only, the most frequent words first", () => {
    const { words } = parseQuery("And in Graça?", { context: ["zebra", ...context] });
    expect(words.has("zebra")).toBe(false);
    expect([...words.keys()].slice(0, 3)).toEqual(["graca", "flat", "cost"]);
  });

  it("finds something for a question without words of its own, but not for thanks", () => {
    const documents = [said("The flat in Graça costs less", "c"), ...FILLER];
    const query = (text: string) => parseQuery(text, { context }).words.size;
    expect(query("And for the other one?")).toBeGreaterThan(0);
    expect(query("Thanks!")).toBe(0);
    expect(query("")).toBe(0);
    expect(found(documents, "And for the other one?")).toEqual([]);
  });

  it("doesn't change a query with many words, and never makes more than 98 terms", () => {
    const many = wordsOf(60);
    expect(parseQuery(many, { context })).toEqual(parseQuery(many));
    const long = Array.from({ length: 500 }, (_, at) => `z${at}`).join(" ");
    for (const text of ["Can you show me this?", `Can you show me when, on 1 May 2023? ${many}`, "when?"])
      expect(parseQuery(text, { context: [long, long] }).terms.length).toBeLessThanOrEqual(98);
  });
});
