import { expect, test } from "vitest";
import { questionIn } from "../src/evidence/user-input.ts";
import { isQuestion } from "../src/text.ts";

test.each([
  "Where do you live?",
  "Where? When?",
  'Did she say "when?"',
  "どこですか？",
  "أين تسكن؟",
  "Πού μένεις\u037E",
  "Πού μένεις;",
  "Έχεις ένα iPhone; ",
])("asks: %s", (text) => expect(isQuestion(text)).toBe(true));

test.each([
  "I moved to Oslo;",
  "Я живу в Риме;",
  "α = 3 in my model;",
  "12;",
  "I live in Rome. And you?",
  "Μένω στην Αθήνα. Πού μένεις;",
])("says something: %s", (text) => expect(isQuestion(text)).toBe(false));

test("a Greek question is found at the end of a message", () => {
  expect(questionIn("Ωραία. Πού μένεις;")).toBe("Πού μένεις;");
  expect(questionIn("Noted; thanks;")).toBe("");
});
