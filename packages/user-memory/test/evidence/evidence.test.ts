import { describe, expect, test } from "vitest";
import { createSupportFinder } from "../../src/evidence/evidence.ts";
import { quotableOf } from "../../src/evidence/passages.ts";

const GARDEN = "I planted three apple trees behind the house.";
const SISTER = "My sister Ana isn't a doctor, she is a nurse in Évora.";
const SAID = [GARDEN, SISTER, "Look:\n> my bank is Acme, and I own a yacht"];

const support = (proposal: { readonly fact?: string; readonly evidence?: string }, said = SAID) =>
  createSupportFinder(quotableOf(said, () => false))({ fact: "x", score: 1, ...proposal });
const found = (proposal: { readonly fact?: string; readonly evidence?: string }, said = SAID) => {
  const result = support(proposal, said);
  return result.kind === "quotation" ? result.passage.text : result.kind;
};

describe("evidence is found in the user's messages", () => {
  test.each([
    ["as it stands", "planted three apple trees"],
    ["in another case", "PLANTED Three apple Trees"],
    ["with other spaces and punctuation", "planted  three apple-trees , behind: the “house”!"],
    ["with something left out", "I planted … behind the house"],
    ["with something left out, in three dots", "I planted [...] the house"],
    ["abbreviated, by half of its words", "planted apple trees, garden"],
  ])("%s", (_, evidence) => expect(found({ evidence })).toBe(GARDEN));

  test("in another form of the letters, and without accents", () => {
    expect(found({ evidence: "a nurse in E\u0301vora" })).toBe(SISTER);
    expect(found({ evidence: "a nurse in Evora" })).toBe(SISTER);
    expect(found({ evidence: "ｎｕｒｓｅ in Évora" })).toBe(SISTER);
    expect(found({ evidence: "猫が 二匹" }, ["私は東京に住んでいます。猫が二匹います。"])).toBe(
      "私は東京に住んでいます。猫が二匹います。",
    );
  });

  test("extended to whole sentences, so no 'not' is cut away", () => {
    expect(found({ fact: "The user's sister is a doctor", evidence: "a doctor" })).toBe(SISTER);
  });

  test.each([
    ["in words that the user didn't say", { evidence: "I own a boat and a plane" }],
    ["within a word", { evidence: "ante" }],
    ["nowhere", { fact: "The user owns a castle" }],
    ["in one word of many", { fact: "The user sold apple shares at a loss in spring" }],
  ])("and not %s", (_, proposal) => expect(found(proposal)).toBe("none"));

  test("without evidence, by the passage that shares most of the fact's rarer words", () => {
    expect(found({ fact: "The user's sister Ana works as a nurse" })).toBe(SISTER);
    expect(found({ fact: "The user has apple trees" })).toBe(GARDEN);
  });

  test("in third-party text, as third-party", () => {
    expect(support({ fact: "The user's bank is Acme", evidence: "my bank is Acme" })).toEqual({
      kind: "third-party",
      words: "my bank is Acme",
      message: 2,
    });
    expect(found({ evidence: "my bank is Acme" }, [...SAID, "Well, my bank is Acme indeed."])).toBe(
      "Well, my bank is Acme indeed.",
    );
  });
});
