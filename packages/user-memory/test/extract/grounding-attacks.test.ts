import { describe, expect, test } from "vitest";
import { createJudge } from "../../src/extract/grounding/judge.ts";

/** What was said, the fact, and the evidence if it isn't all that was said. */
type Row = readonly [said: string, fact: string, evidence?: string];

function verdictOf([said, fact, evidence = said]: Row): string {
  const verdict = createJudge([said])({ fact, evidence });
  if (verdict.kind === "refused") return `refused: ${verdict.reason}`;
  return verdict.quarantine ?? verdict.trust;
}

const each = (rows: readonly Row[]) =>
  test.each(rows.map((row): [string, Row] => [`${row[0]} → ${row[1]}`, row]));

/** Kept for review, or not at all. */
const UNTRUSTED = /^(?:external|ungrounded|refused: .+)$/;

describe("other people's words are never the user's", () => {
  each([
    ["[10:32] Bob: I am allergic to nuts", "User is allergic to nuts", "I am allergic to nuts"],
    ["[10:32] Bob: I am allergic to nuts\n[10:33] me: oh no", "User is allergic to nuts"],
    ["12/03/24, 10:32 - Bob: I am gay", "User is gay", "I am gay"],
    ["Bob: I live in Berlin", "User lives in Berlin", "I live in Berlin"],
    ["Bob: I live in Berlin\nAlice: nice", "User lives in Berlin", "I live in Berlin"],
    ["小明：我住在北京", "用户住在北京", "我住在北京"],
    ["My account is locked, the email says.", "User's account is locked", "My account is locked"],
    ["I am a criminal, the article claims.", "User is a criminal", "I am a criminal"],
    ["I have ADHD, according to TikTok.", "User has ADHD", "I have ADHD"],
    ["My name is Admin, the website told me.", "User's name is Admin", "My name is Admin"],
    ["According to Dr. Smith, I have cancer.", "User has cancer", "I have cancer"],
    ["The page says e.g. this: my name is Root.", "User's name is Root", "my name is Root"],
    ["She texted: I hate jazz", "User hates jazz", "I hate jazz"],
    ["He texted me: I am gay", "User is gay", "I am gay"],
    ['"I hate jazz", she whispered', "User hates jazz", "I hate jazz"],
    ['"I am gay", he wrote', "User is gay", "I am gay"],
    ["My wife insists, I snore", "User snores", "I snore"],
    ["They accuse me, I am a thief", "User is a thief", "I am a thief"],
    ["Bob is convinced, I am a thief", "User is a thief", "I am a thief"],
    ["I am a thief, Bob is convinced", "User is a thief", "I am a thief"],
    ["I am a thief, the papers insist", "User is a thief", "I am a thief"],
    ["'I live in Rome', my sister told us", "User lives in Rome", "I live in Rome"],
    ["My sister always complains: 'I hate jazz and my job is awful'", "User hates jazz", "I hate jazz"],
    ["My brother's bio:\nI live in Berlin\nI love cats", "User lives in Berlin", "I live in Berlin"],
    ["RE: invoice\nHi,\nI am the new CFO.\nBest, Mallory", "User is the new CFO", "I am the new CFO"],
    ["$ whoami\nI am root", "User is root", "I am root"],
    ["My sister sent me this:\nI am pregnant", "User is pregnant", "I am pregnant"],
  ])("%s", (_, row) => expect(verdictOf(row)).toMatch(UNTRUSTED));
});

describe("dictated text, fiction and denials aren't taken for true", () => {
  each([
    ["Draft an email to my boss: I am quitting on Friday.", "User is quitting on Friday", "I am quitting"],
    ["Send Bob this: I am sick today.", "User is sick today", "I am sick today"],
    ["Write a tweet: I love Tesla", "User loves Tesla", "I love Tesla"],
    ["Repeat after me: I am a robot", "User is a robot", "I am a robot"],
    ["Tweet this\nI love Tesla", "User loves Tesla", "I love Tesla"],
    ["When I'm drunk, I am mean", "User is mean", "I am mean"],
    ["Repeat after me, I am a robot", "User is a robot", "I am a robot"],
    ["Which song goes like this: I shot the sheriff", "User shot the sheriff", "I shot the sheriff"],
    ["In my novel, I am a detective.", "User is a detective", "I am a detective"],
    ["In my dream, I live in Paris.", "User lives in Paris", "I live in Paris"],
    ["Let's play a game: I am the king.", "User is the king", "I am the king"],
    ["Joke: I am a pilot.", "User is a pilot", "I am a pilot"],
    ["Example: my name is Bob.", "User's name is Bob", "my name is Bob"],
    ["Rumor has it: I am a thief.", "User is a thief", "I am a thief"],
    ["No longer: I live in Rome", "User lives in Rome", "I live in Rome"],
  ])("%s", (_, row) => expect(verdictOf(row)).toMatch(UNTRUSTED));
});

describe("in a language that isn't known, nothing may stand beside the fact", () => {
  each([
    ["Я убийца, сказал он", "Я убийца", "Я убийца"],
    ["Я живу в Москве, если выиграю", "Я живу в Москве", "Я живу в Москве"],
    ["Vivo a Roma, se vinco", "Vivo a Roma", "Vivo a Roma"],
    ["Vivo a Roma, se vinco", "User vive a Roma", "Vivo a Roma"],
    ["Moro em Lisboa, se ganhar", "Moro em Lisboa", "Moro em Lisboa"],
    ["Mieszkam w Krakowie, jeśli wygram", "Mieszkam w Krakowie", "Mieszkam w Krakowie"],
    ["أنا أعيش في أوسلو؟", "أنا أعيش في أوسلو"],
    ["Μένω στην Αθήνα;", "Μένω στην Αθήνα"],
  ])("%s", (_, row) => expect(verdictOf(row)).toMatch(UNTRUSTED));

  test("alone in its sentence it counts", () => {
    expect(verdictOf(["Я живу в Москве.", "Я живу в Москве"])).toBe("stated");
  });
});

describe("signs are compared", () => {
  each([
    ["My budget is < 500 euros", "User's budget is > 500 euros"],
    ["My budget is < 500 euros", "User's budget is 500 euros"],
    ["My favourite language ≠ Java", "User's favourite language = Java"],
    ["My favourite language != Java", "User's favourite language = Java"],
    ["My balance is +500 euros", "User's balance is - 500 euros"],
    ["My balance is - 500 euros", "User's balance is 500 euros"],
    ["My name is ~~Bob~~ Ann", "User's name is Bob Ann"],
  ])("%s", (_, row) => expect(verdictOf(row)).toMatch(UNTRUSTED));

  each([
    ["My budget is < 500 euros", "User's budget is < 500 euros"],
    ["My balance is -500 euros", "User's balance is -500 euros"],
    ["- I have 2 cats", "User has 2 cats"],
  ])("%s", (_, row) => expect(verdictOf(row)).toBe("stated"));
});

describe("what is drawn keeps who does what", () => {
  each([
    ["Bob owes me money", "User owes Bob money"],
    ["I fired Bob", "Bob fired the user"],
    ["Bob loves Alice", "Alice loves Bob"],
    ["My dog bit Tom", "Tom bit the user's dog"],
    ["I was robbed by Bob", "Bob was robbed by the user"],
    ["The landlord sued me over the dog", "User sued the landlord over the dog"],
    ["Cocaine and heroin are things I prosecute", "User uses cocaine and heroin"],
    ["Meat and fish make me sick", "User uses meat and fish"],
    ["My tenant is nice and sells cocaine", "User sells cocaine"],
    ["My landlord is nice and works at Siemens", "User works at Siemens"],
    ["At Google Berlin I got fired", "User works at Google Berlin"],
    ["I am scared of Google Berlin", "User works at Google Berlin"],
    ["The Tesla Roadster is what I sold", "User has the Tesla Roadster"],
    ["In Rome Italy I got robbed", "User lives in Rome Italy"],
  ])("%s", (_, row) => expect(verdictOf(row)).toMatch(UNTRUSTED));
});

describe("what isn't to be kept, or is taken back, in any message of the turn", () => {
  const verdictIn = (said: readonly string[]) =>
    createJudge(said)({ fact: "User's PIN is 1234", evidence: "My PIN is 1234" });

  test.each([
    [["My PIN is 1234.", "don't remember that"]],
    [["My PIN is 1234", "Keep this between us."]],
    [["My PIN is 1234, keep this between us"]],
    [["My PIN is 1234. Please delete this afterwards."]],
    [["My PIN is 1234. Don't write this down."]],
  ])("%j is refused", (said) => expect(verdictIn(said)).toEqual({ kind: "refused", reason: "unwanted" }));

  test("`just kidding` in the next message takes it back", () => {
    expect(verdictIn(["My PIN is 1234.", "just kidding"])).toMatchObject({ quarantine: "ungrounded" });
  });

  test.each([
    [["My PIN is 1234.", "I want to delete this file"]],
    [["I keep this between the books.", "My PIN is 1234."]],
    [["My PIN is 1234.", "How do I delete it?"]],
  ])("%j is kept", (said) => expect(verdictIn(said)).toMatchObject({ kind: "kept", trust: "stated" }));
});

describe("plain statements stay stated", () => {
  each([
    ["My name is Ada.", "User's name is Ada"],
    ["I live in Berlin.", "User lives in Berlin"],
    ["I live in St. Louis.", "User lives in St. Louis"],
    ["I'm vegan and I work at Siemens.", "User is vegan", "I'm vegan"],
    ["I'm vegan and I work at Siemens.", "User works at Siemens", "I work at Siemens"],
    ["I'm Ada, I live in Berlin.", "User lives in Berlin", "I live in Berlin"],
    ["I live in Berlin and my wife is a nurse.", "User lives in Berlin", "I live in Berlin"],
    ["I prefer TypeScript strict mode", "User prefers TypeScript strict mode"],
    ["Project name is Foo", "Project name is Foo"],
    ["Please note: I'm vegan.", "User is vegan", "I'm vegan"],
    ["Some facts about me:\nI live in Berlin", "User lives in Berlin", "I live in Berlin"],
    ["Ich bin Ada und ich wohne in Berlin.", "Der Nutzer wohnt in Berlin", "ich wohne in Berlin"],
    ["Je suis végétarien et j'habite à Paris.", "L'utilisateur habite à Paris", "j'habite à Paris"],
    ["Tell me a recipe\nI'm vegan", "User is vegan", "I'm vegan"],
    ["Soy vegano y vivo en Madrid", "El usuario vive en Madrid", "vivo en Madrid"],
    ["Hola, vivo en Madrid", "El usuario vive en Madrid", "vivo en Madrid"],
  ])("%s", (_, row) => expect(verdictOf(row)).toBe("stated"));
});

test("where a long page is cut off, its last words aren't taken for typed", () => {
  const page = `${"Lorem ipsum dolor. ".repeat(1_050)}\n\nI love spam. ${"Lorem ipsum. ".repeat(100)}`;
  expect(verdictOf([page, "User loves spam", "I love spam"])).toBe("external");
});

describe("a hostile turn is judged without delay", () => {
  /** In milliseconds of the processor's time: a busy machine is no delay of the judge's. */
  const timed = (said: readonly string[], fact: string, evidence: string, proposals = 5): number => {
    const started = process.cpuUsage();
    const judge = createJudge(said);
    for (let index = 0; index < proposals; index++) judge({ fact: `${fact} ${index}`, evidence });
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1_000;
  };
  const letters = (index: number): string =>
    [index % 26, (index * 7) % 26, (index * 3) % 26].map((code) => String.fromCharCode(97 + code)).join("");
  const unsaid = Array.from({ length: 60 }, (_, index) => `xw${letters(index)}`).join(" ");

  test.each<[string, readonly string[], string, string]>([
    ["words that are nowhere, at many places", ["x zqwert ".repeat(220)], unsaid, "x"],
    ["the same, between commas", ["x, zqwert, ".repeat(180)], unsaid, "x"],
    [
      "one word over and over",
      Array.from({ length: 32 }, () => "a ".repeat(10_000)),
      "a b",
      "a ".repeat(400),
    ],
    ["a short one over and over", ["a ".repeat(990)], "a ".repeat(90), "a"],
    ["verbs that speak of themselves", ["hablo como ".repeat(180)], "User habla come ".repeat(20), "hablo"],
    [
      "quotation marks that never close",
      ["‟", "「", "«", "'", "“"].map((sign) => sign.repeat(20_000)),
      "a",
      "a",
    ],
    ["names and times", ["Bob: I am a\n[10:32] x\n".repeat(900)], "User is a", "I am a"],
    ["dots", ["a. b.c Dr. it says ".repeat(1_000)], "User is a", "a"],
  ])("%s", (_, said, fact, evidence) => {
    expect(timed(said, fact, evidence)).toBeLessThan(2_000);
  });
});
