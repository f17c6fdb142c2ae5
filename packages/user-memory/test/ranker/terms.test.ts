import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTermOf, termsOf } from "../../src/ranker/index.ts";

const names = (text: string, saidAt?: number) => termsOf(text, { saidAt }).map(({ term }) => term);

describe("termsOf", () => {
  it("gives stems with how often they stand in the text, and leaves out what says nothing", () => {
    expect(termsOf("She bakes bread. Baking is what she does!")).toEqual([
      { term: "bake", weight: 2 },
      { term: "bread", weight: 1 },
    ]);
  });

  it("gives the same where the stems of many texts are kept, of words that say nothing, too", () => {
    const termOf = createTermOf();
    const texts = fc.array(
      fc.constantFrom("She ", "bakes ", "bread. ", "constructor ", "is ", "baking? ", "吃面包 "),
    );
    fc.assert(
      fc.property(texts, (words) => {
        const text = words.join("");
        expect(termsOf(text, { termOf })).toEqual(termsOf(text));
      }),
    );
  });

  it("marks the words of questions", () => {
    expect(names("The oven is new. Do you bake?")).toEqual(["oven", "new", "?bake"]);
    expect(names("你吃面包吗？").every((term) => term.startsWith("?"))).toBe(true);
  });

  it("keeps a fact and its contrary apart", () => {
    expect(names("I don't eat meat")).toContain("not");
    expect(names("I dont eat meat")).toContain("not");
    expect(names("I eat meat")).not.toContain("not");
  });

  it("gives the date on which it was said", () => {
    expect(names("rain", Date.UTC(2023, 6, 8, 23, 59))).toEqual([
      "rain",
      "@2023",
      "@07",
      "@2023-07",
      "@2023-07-08",
    ]);
  });

  it("gives the dates that it names, counted from when it was said", () => {
    const said = Date.UTC(2023, 6, 1);
    expect(names("It rained yesterday", said)).toEqual(
      expect.arrayContaining(["@when", "@2023-06-30", "@2023-07-01"]),
    );
    expect(names("It rained yesterday")).toEqual(["rain", "yesterday", "@when"]);
  });

  it.each([
    ["a megabyte without a space", "x".repeat(1_000_000)],
    ["Chinese without end", "我昨天在北京买了一辆自行车".repeat(20_000)],
    ["Thai without end", "ฉันชอบกินข้าวผัด".repeat(20_000)],
    ["marks on marks", `a${"\u0301\u0323".repeat(300_000)}`],
    ["apostrophes", `a${"'".repeat(300_000)}s`],
    ["ligatures that unfold", "\ufdfa".repeat(200_000)],
    ["dates", "yesterday last week may 5 2020-01-01 ".repeat(10_000)],
    ["numbers", "1 ".repeat(300_000)],
    ["sentences", "a?".repeat(300_000)],
    ["different words", Array.from({ length: 50_000 }, (_, index) => `w${index}`).join(" ")],
    ["halves of characters", "\ud800a".repeat(100_000)],
  ])("is bounded for %s", (_, text) => {
    const terms = termsOf(text, { saidAt: 0 });
    expect(terms.length).toBeLessThanOrEqual(256);
    for (const { term, weight } of terms) {
      expect(term.length).toBeLessThanOrEqual(130);
      expect(term).not.toMatch(/\p{Surrogate}/u);
      expect(Number.isInteger(weight) && weight >= 1).toBe(true);
    }
  });

  it("gives each term once, the same for the same text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.option(fc.integer({ min: 0, max: 2e12 }), { nil: undefined }),
        (text, saidAt) => {
          const terms = names(text, saidAt);
          expect(new Set(terms).size).toBe(terms.length);
          expect(names(text, saidAt)).toEqual(terms);
        },
      ),
    );
  });
});
