import fc from "fast-check";
import { describe, expect, it } from "vitest";
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

  it("keeps the vowels of scripts in which they are marks", () => {
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

  it("cuts a long word, and never through a character", () => {
    const [word] = tokenize("𝒜".repeat(10) + "𠀀".repeat(500));
    expect(word).not.toMatch(/\p{Surrogate}/u);
    expect(tokenize("x".repeat(1_000_000)).map((part) => part.length)).toEqual([64]);
  });

  it("gives folded words for any text, that fold to themselves", () => {
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
