import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTermOf, termsOf } from "../../src/ranker/index.ts";
import { fold, tokenize } from "../../src/ranker/tokenizer.ts";

describe("fold", () => {
  it.each([
    ["Ｃafé", "cafe"],
    ["CRÈME BRÛLÉE", "creme brulee"],
    ["İstanbul", "istanbul"],
    ["Straße", "strasse"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ёлка", "елка"],
    ["שָׁלוֹם", "שלום"],
    ["مَرْحَبًا", "مرحبا"],
  ])("%s gives %s", (text, expected) => {
    expect(fold(text)).toBe(expected);
  });

  it("keeps vowels that are marks", () => {
    expect(fold("हिन्दी")).toBe("हिन्दी");
    expect(fold("ภาษาไทย")).toBe("ภาษาไทย".normalize("NFKD").normalize("NFC"));
    expect(fold("が")).toBe("が");
  });
});

describe("tokenize", () => {
  it.each([
    ["She's 8, isn't she?", ["she", "8", "not", "she"]],
    ["l’amie d'Anna", ["amie", "anna"]],
    ["the students' co-op (est. 1999)", ["the", "students", "co", "op", "est", "1999"]],
    ["हिन्दी में लिखो", ["हिन्दी", "में", "लिखो"]],
    ["안녕하세요 세계", ["안녕하세요", "세계"]],
    ["👋🏽 … !?", []],
    ["", []],
  ])("%s", (text, expected) => {
    expect(tokenize(text)).toEqual(expected);
  });

  it.each([
    ["我昨天在北京买了一辆自行车", "北京"],
    ["昨日東京でラーメンを食べました", "東京"],
    ["ฉันชอบกินข้าวผัด", "กิน"],
  ])("finds words in a language without spaces: %s", (text, word) => {
    expect(tokenize(text)).toContain(word);
  });

  it("finds a part of a Chinese compound", () => {
    expect(tokenize("中华人民共和国")).toContain("人民");
  });

  it("cuts a long word without splitting a character", () => {
    const [word] = tokenize("𝒜".repeat(10) + "𠀀".repeat(500));
    expect(word).not.toMatch(/\p{Surrogate}/u);
    expect(tokenize("x".repeat(1_000_000)).map((part) => part.length)).toEqual([64]);
  });

  it("returns words for any text that fold to themselves", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        for (const word of tokenize(text)) {
          expect(word.length).toBeGreaterThan(0);
          expect(word.length).toBeLessThanOrEqual(128);
        }
        expect(tokenize(fold(text))).toEqual(tokenize(text));
      }),
    );
  });
});

const names = (text: string, saidAt?: number) => termsOf(text, { saidAt }).map(({ term }) => term);

describe("termsOf", () => {
  it("returns stems with counts, without stop words", () => {
    expect(termsOf("She bakes bread. Baking is what she does!")).toEqual([
      { term: "bake", weight: 2 },
      { term: "bread", weight: 1 },
    ]);
  });

  it("returns the same with cached stems", () => {
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

  it("distinguishes a fact from its opposite", () => {
    expect(names("I don't eat meat")).toContain("not");
    expect(names("I dont eat meat")).toContain("not");
    expect(names("I eat meat")).not.toContain("not");
  });

  it("returns the date of the statement", () => {
    expect(names("rain", Date.UTC(2023, 6, 8, 23, 59))).toEqual([
      "rain",
      "@2023",
      "@07",
      "@2023-07",
      "@2023-07-08",
    ]);
  });

  it("returns the dates in the text, relative to the statement", () => {
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

  it("returns each term once, and the same terms for the same text", () => {
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
