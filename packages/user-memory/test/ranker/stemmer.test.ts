import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stem } from "../../src/ranker/stemmer.ts";

/** From the vocabulary that comes with the algorithm's definition. */
const PORTER2: readonly (readonly [string, string])[] = [
  ["consign", "consign"],
  ["consigned", "consign"],
  ["consistency", "consist"],
  ["consolation", "consol"],
  ["conspicuously", "conspicu"],
  ["generously", "generous"],
  ["communication", "communic"],
  ["knightly", "knight"],
  ["hopping", "hop"],
  ["hoping", "hope"],
  ["agreed", "agre"],
  ["ties", "tie"],
  ["cries", "cri"],
  ["gas", "gas"],
  ["kiwis", "kiwi"],
  ["say", "say"],
  ["happy", "happi"],
  ["rational", "ration"],
  ["relational", "relat"],
  ["hopefulness", "hope"],
  ["adjustment", "adjust"],
  ["controlling", "control"],
  ["apologies", "apolog"],
  ["news", "news"],
  ["proceeding", "proceed"],
  ["outings", "outing"],
  ["earrings", "earring"],
  ["sky", "sky"],
  ["gently", "gentl"],
];

describe("stem", () => {
  it.each(PORTER2)("%s gives %s", (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it.each([
    ["bought", "buying"],
    ["went", "goes"],
    ["children", "kids"],
    ["taught", "teaches"],
    ["mom", "mother"],
    ["three", "3"],
    ["photographs", "pictures"],
    ["women", "woman"],
  ])("%s and %s give the same", (one, other) => {
    expect(stem(one)).toBe(stem(other));
  });

  it.each([
    ["universe", "university"],
    ["found", "founder"],
    ["leave", "leaf"],
    ["live", "life"],
  ])("%s and %s stay apart", (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });

  it.each(["москва", "東京", "straßen", "καλημέρα", "abc123", "", "a".repeat(1_000)])(
    "%s stays as it is",
    (word) => {
      expect(stem(word)).toBe(word);
    },
  );

  it("always returns a stem", () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-z]{1,30}$/), (word) => stem(word).length > 0));
  });
});
