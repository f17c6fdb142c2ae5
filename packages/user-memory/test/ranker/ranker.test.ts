import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery, rank } from "../../src/ranker/index.ts";
import { found, indexOf, search, type Told, talk } from "./documents.ts";

const plain = (...texts: readonly string[]): readonly Told[] => texts.map((text) => ({ text }));
const FILLER = plain(...Array.from({ length: 20 }, (_, index) => `filler${index} nothing`));

describe("words", () => {
  it("finds by other forms of a word", () => {
    expect(found(plain("He sold his bikes", "He swims"), "Who is selling a bike?")).toEqual([1]);
  });

  it("prefers the rarer word", () => {
    const documents = plain(
      "tea at home",
      "tea at work",
      "tea outdoors",
      "a violin",
      ...plain("tea").map(({ text }) => text),
    );
    expect(found(documents, "tea violin")[0]).toBe(4);
  });

  it("prefers several words to repetitions of one", () => {
    expect(found(plain("garden garden garden", "garden shed"), "garden shed")[0]).toBe(2);
  });

  it("prefers statements to questions", () => {
    expect(found(plain("Is the piano old?", "The piano is old."), "old piano")).toEqual([2, 1]);
  });

  it("prefers the shorter of two documents with the word", () => {
    const long = `violin ${Array.from({ length: 60 }, (_, at) => `thing${at}`).join(" ")}`;
    const documents = [...plain("the violin is old", long), ...FILLER];
    expect(found(documents, "violin")).toEqual([1, 2]);
  });

  it("uses the usual length for documents of unknown length", () => {
    const query = parseQuery("violin");
    const { size, documents } = indexOf(plain("the violin is old")).match(query.terms);
    const score = (length: number | undefined) =>
      rank(query, { size, documents: documents.map((one) => ({ ...one, length })) })[0]?.score ?? 0;
    expect(score(undefined)).toBe(score(20));
    expect(score(undefined)).toBeLessThan(score(3));
  });

  it("counts words about the form of the answer less than words about the topic", () => {
    const documents = [...plain("a list of the items in order", "the violin"), ...FILLER];
    expect(found(documents, "Can you list the items in order of the violin?")[0]).toBe(2);
  });

  it("finds preferences for a request", () => {
    const documents = [...plain("I always want metric units", "a recipe with butter"), ...FILLER];
    expect(found(documents, "Could you show me a recipe?")).toEqual([2, 1]);
    expect(found(documents, "Which recipe was it?")).toEqual([2]);
  });

  it("uses the given counts of words if only the best documents are given", () => {
    const documents = plain("tea and cake", "tea and bread", "tea and a violin");
    const query = parseQuery("tea violin");
    const all = indexOf(documents).match(query.terms);
    const holders = new Map([
      ["tea", 3],
      ["violin", 1],
    ]);
    const some = { size: 3, holders, documents: all.documents.filter(({ seq }) => seq === 3) };
    expect(rank(query, some)[0]?.score).toBe(rank(query, all)[0]?.score);
  });

  it("finds nothing without a common word, or without any word", () => {
    expect(search(plain("tea"), "violin")).toEqual([]);
    expect(search(plain("tea"), "what is it?")).toEqual([]);
    expect(search([], "tea")).toEqual([]);
  });

  it("finds text without spaces", () => {
    expect(found(plain("我昨天在北京买了一辆自行车", "今天下雨"), "北京的自行车")).toEqual([1]);
    expect(found(plain("ฉันชอบกินข้าวผัด", "วันนี้ฝนตก"), "ข้าวผัด")).toEqual([1]);
  });

  it("keeps the order for one word, whatever documents without it exist", () => {
    const documents = plain("tea", "tea tea", "tea. Tea? tea");
    expect(found([...documents, ...FILLER], "tea")).toEqual(found(documents, "tea"));
  });
});

describe("neighbours", () => {
  const chat = talk("c", ["Hello", "Where did you buy the lamp?", "At the flea market", "Nice", "Bye"]);

  it("finds an answer without the words by the question before it", () => {
    const [first, second] = search([...chat, ...talk("d", ["I buy bread"])], "Where was the lamp bought?");
    expect(first?.seq ?? first?.location?.position).toBe(2);
    expect(first).toMatchObject({ location: { conversationId: "c", position: 2 } });
    expect(first).not.toHaveProperty("seq");
    expect(second).toMatchObject({ seq: 2 });
  });

  it("returns no location before the first message or far away", () => {
    const positions = search(talk("c", ["The lamp is new"]), "lamp", { limit: 100 }).map(
      ({ location }) => location?.position,
    );
    expect(positions).toEqual([0, 1, 2]);
  });

  it("adds to a message for the messages right before and after it", () => {
    const near = talk("near", ["violin lessons", "every tuesday", "x", "y", "z"]);
    const far = talk("far", ["violin lessons", "x", "y", "z", "every tuesday"]);
    expect(found([...far, ...near], "violin tuesday")[0]).toSatisfy((seq) => seq === 6 || seq === 7);
  });

  it("counts the conversation less, the more messages it has", () => {
    const conversation = (size: number) => {
      const texts = Array.from({ length: size }, (_, at) => (at === 0 || at === size - 1 ? "my tent" : "x"));
      return search([...talk("c", texts), ...FILLER], "tent")[0]?.reasons.conversation ?? 0;
    };
    expect(conversation(10)).toBeGreaterThan(conversation(60));
    expect(conversation(60)).toBeGreaterThan(0);
  });

  it("doesn't cross from one conversation into another", () => {
    const documents = [...talk("a", ["violin"]), ...talk("b", ["hello", "hello"])];
    expect(
      search(documents, "violin", { limit: 50 }).every(({ location }) => location?.conversationId === "a"),
    ).toBe(true);
  });

  it("prefers the conversation that matches the rest of the query", () => {
    const documents = [
      ...talk("other", ["my tent is green", "a", "b", "c", "d", "e", "nice weather"]),
      ...talk("norway", ["my tent is green", "a", "b", "c", "d", "e", "norway was cold"]),
    ];
    expect(found(documents, "tent norway").indexOf(8)).toBeLessThan(
      found(documents, "tent norway").indexOf(1),
    );
  });

  it("ranks several documents of one location separately", () => {
    const location = { conversationId: "c", position: 3 };
    const documents = [
      { text: "has a cat", location },
      { text: "plays the violin", location },
    ];
    expect(found(documents, "violin", { limit: 1 })).toEqual([2]);
    expect(found(documents, "cat", { limit: 1 })).toEqual([1]);
  });
});

describe("authors", () => {
  const documents: readonly Told[] = [
    { text: "I love sailing, Ada", author: "Ben Okri" },
    { text: "I love sailing too", author: "Ada" },
  ];

  it("prefers a named author, and doesn't search for the name", () => {
    expect(found(documents, "Does Ada love sailing?")).toEqual([2, 1]);
    expect(found(documents, "Does Ben love sailing?")).toEqual([1, 2]);
    expect(found(documents, "Okri's sailing")).toEqual([1, 2]);
  });

  it("searches for a name if there are no other words", () => {
    expect(found(documents, "Ada?")).toEqual([1]);
  });

  it("searches for a name if there is only one author", () => {
    const documents = [
      { text: "the user logs in", author: "user" },
      { text: "it logs out", author: "user" },
    ];
    expect(found(documents, "Which user logs?")).toEqual([1, 2]);
  });

  it("counts messages of the assistant half, also as neighbours", () => {
    const documents: readonly Told[] = [
      { text: "the violin is old", role: "assistant" },
      { text: "the violin is old", role: "user" },
    ];
    expect(search(documents, "violin").map(({ seq, reasons }) => [seq, reasons.role])).toEqual([
      [2, 1],
      [1, 0.5],
    ]);
  });

  it("counts questions like statements with a single author", () => {
    const asks = { text: "Which violin is old?", author: "Ada" };
    const alone = search([asks, ...FILLER], "violin")[0]?.score ?? 0;
    const other = { text: "a violin", author: "Ben" };
    const among = search([asks, other, ...FILLER], "violin").find(({ seq }) => seq === 1)?.score ?? 0;
    expect(alone).toBeGreaterThan(among);
  });

  it("searches for a name that no author has", () => {
    expect(found(plain("I met Ada", "I met Cem"), "Ada")).toEqual([1]);
  });
});

describe("time", () => {
  const said = (text: string, year: number, month: number, day: number): Told => ({
    text,
    saidAt: Date.UTC(year, month - 1, day),
  });

  it("prefers documents with a time if the query asks when", () => {
    const documents = plain("The concert was loud", "The concert was in june");
    expect(found(documents, "When was the concert?")).toEqual([2, 1]);
  });

  it("prefers messages of the day, then those soon after it", () => {
    const documents = [
      said("We ate at the harbour", 2022, 1, 1),
      said("We ate at the harbour", 2023, 7, 9),
      said("We ate at the harbour", 2023, 7, 7),
    ];
    expect(found(documents, "Where did they eat on 7 July 2023?")).toEqual([3, 2, 1]);
  });

  it("resolves yesterday to a day", () => {
    const documents = [said("We ate out", 2023, 8, 1), said("We ate out yesterday", 2023, 8, 1)];
    expect(found(documents, "eat on 31 July 2023")).toEqual([2, 1]);
  });

  it("finds documents by date alone", () => {
    const documents = [said("lunch", 2023, 5, 2), said("dinner", 2023, 6, 2)];
    expect(found(documents, "in May 2023")).toEqual([1]);
    expect(found(documents, "last month", { now: Date.UTC(2023, 6, 1) })).toEqual([2]);
  });
});

describe("a ranking", () => {
  const word = fc.constantFrom(
    "tea",
    "violin",
    "garden",
    "lamp",
    "harbour",
    "tuesday?",
    "2023-07-07",
    "yesterday",
  );
  const told = fc.record(
    {
      text: fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" ")),
      location: fc.record({
        conversationId: fc.constantFrom("a", "b"),
        position: fc.integer({ min: 0, max: 9 }),
      }),
      author: fc.constantFrom("Ada", "Ben"),
      saidAt: fc.constantFrom(Date.UTC(2023, 6, 7), Date.UTC(2023, 6, 8), Date.UTC(2024, 0, 1)),
    },
    { requiredKeys: ["text"] },
  );
  const documents = fc.array(told, { maxLength: 25 });
  const query = fc
    .array(fc.oneof(word, fc.constantFrom("Ada", "when was", "Ben")), { minLength: 1, maxLength: 5 })
    .map((words) => words.join(" "));

  it("is the same for any order of the matches", () => {
    fc.assert(
      fc.property(documents, query, fc.integer({ min: 1, max: 40 }), (all, text, limit) => {
        const parsed = parseQuery(text);
        const matches = indexOf(all).match(parsed.terms);
        const reversed = {
          ...matches,
          documents: matches.documents.map((one) => ({ ...one, terms: [...one.terms].reverse() })).reverse(),
        };
        expect(rank(parsed, reversed, { limit })).toEqual(rank(parsed, matches, { limit }));
      }),
    );
  });

  it("with a limit is the start of the one without", () => {
    fc.assert(
      fc.property(documents, query, fc.integer({ min: 0, max: 10 }), (all, text, limit) => {
        const whole = search(all, text, { limit: Number.POSITIVE_INFINITY });
        expect(search(all, text, { limit })).toEqual(whole.slice(0, limit));
      }),
    );
  });

  it("contains each item once, best first, with scores above 0 that follow from their reasons", () => {
    fc.assert(
      fc.property(documents, query, (all, text) => {
        const items = search(all, text, { limit: 1_000 });
        const names = items.map(({ seq, location }) => (seq === undefined ? JSON.stringify(location) : seq));
        expect(new Set(names).size).toBe(items.length);
        // The best score follows from the reasons. Others fall, e.g. for a better document of the same message.
        const byReasons = items.map(
          ({ reasons: { words, neighbours, author, time, date, conversation, role } }) => {
            return ((words + neighbours) * author * time + date + conversation) * role;
          },
        );
        expect(Math.max(0, ...byReasons)).toBeCloseTo(items[0]?.score ?? 0, 9);
        for (const [at, { score }] of items.entries()) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(items[at - 1]?.score ?? Number.POSITIVE_INFINITY);
        }
      }),
    );
  });

  it("contains every matching document", () => {
    fc.assert(
      fc.property(documents, query, (all, text) => {
        const parsed = parseQuery(text);
        const matches = indexOf(all).match(parsed.terms);
        const ranked = new Set(rank(parsed, matches, { limit: 1_000 }).map(({ seq }) => seq));
        const byWord = matches.documents.filter(({ terms }) =>
          terms.some(({ term }) => parsed.words.has(term)),
        );
        if (parsed.words.size > 0 && !/Ada|Ben/.test(text)) {
          expect(byWord.filter(({ seq }) => !ranked.has(seq))).toEqual([]);
        }
      }),
    );
  });

  it("puts the later statement first among equals, then the one stored later", () => {
    const documents: readonly Told[] = [
      { text: "tea", saidAt: 2 },
      { text: "tea", saidAt: 3 },
      { text: "tea", saidAt: 2 },
    ];
    expect(found(documents, "tea")).toEqual([2, 3, 1]);
  });

  it("returns reasons", () => {
    const documents: readonly Told[] = [
      ...talk("c", ["I bought a lamp yesterday", "Was it cheap?"]).map((one) => ({
        ...one,
        saidAt: Date.UTC(2023, 6, 8),
      })),
      ...FILLER,
    ];
    const [first] = search(documents, "When did Ada buy a cheap lamp, on 7 July 2023?");
    expect(first).toMatchObject({ seq: 1, reasons: { terms: ["buy", "lamp"], author: 3, time: 1.3 } });
    expect(first?.reasons.words).toBeGreaterThan(0);
    expect(first?.reasons.neighbours).toBeGreaterThan(0);
    expect(first?.reasons.date).toBeGreaterThan(0);
    expect(first?.reasons.conversation).toBeGreaterThan(0);
  });
});
