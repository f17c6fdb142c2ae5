import { describe, expect, test } from "vitest";
import { createFits } from "../../src/ranker/fit.ts";
import { createMemoryTermIndex, parseQuery, rank, termsOf } from "../../src/ranker/index.ts";

const FACTS = [
  "My team moved the design review to Thursdays at 10, which is great because Wednesdays are full.",
  "The rent is due on the 3rd.",
  "Our database is on the host atlas.",
  "I take lisinopril in the evening.",
  "The union vote is next Thursday.",
  "Mein Vater hatte letztes Jahr einen Herzinfarkt und ist seitdem zu Hause.",
  "Wie sagt man auf Schwedisch guten Morgen?",
  "Je prends le train de 7 h 12 pour Rennes le mardi.",
  "My son plays chess.",
  ...Array.from({ length: 12 }, (_, index) => `We released version ${index + 100} of fjord.`),
];

/** The facts that fit a query, best first. */
function fitting(text: string, facts: readonly string[] = FACTS): readonly string[] {
  const index = createMemoryTermIndex();
  for (const [at, fact] of facts.entries()) index.add({ seq: at + 1 }, termsOf(fact));
  const query = parseQuery(text);
  const matches = index.match(query.terms);
  const fits = createFits(query, matches);
  return rank(query, matches).flatMap(({ seq = 0, reasons }) =>
    fits(reasons) ? (facts[seq - 1] ?? []) : [],
  );
}

describe("a fact fits", () => {
  test.each([
    ["a specific word", "Which host is the database on?", "Our database is on the host atlas."],
    ["a common word of a question in the first person", "When do I take it in the evening?", FACTS[3]],
    ["a specific word that many facts contain, in the first person", "Can I deploy our fjord?", FACTS[20]],
    ["a word that is a pronoun in another language", "Which game does my son play?", "My son plays chess."],
    ["a question in another language", "Wann fährt mein Train nach Rennes?", FACTS[7]],
  ])("by %s", (_, query, fact) => expect(fitting(query)).toContain(fact));
});

describe("no fact fits", () => {
  test.each([
    ["thanks", "Thanks, that was great!"],
    ["a greeting", "Guten Morgen!"],
    ["a question that shares one common word", "How many people take part in the next game?"],
    ["a small share of a general question", "Who was the last leader of the Soviet Union in Moscow?"],
    ["connecting words of another language", "Und wie hat man mir den Weg nach Sizilien beschrieben?"],
    ["a round number", "What is 7 times 12?"],
    ["no word", "And the other one?"],
    ["nothing", ""],
  ])("by %s", (_, query) => expect(fitting(query)).toEqual([]));

  test("among no facts", () => expect(fitting("Which host is the database on?", [])).toEqual([]));
});

test("the only fact of a user fits a question about it", () => {
  expect(fitting("Where is my bicycle?", ["owns a bicycle"])).toEqual(["owns a bicycle"]);
});
