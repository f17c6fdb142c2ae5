import { bare, statedClauses } from "./clauses.ts";
import { ownSentences } from "./own-words.ts";
import type { Remembered } from "./remembered.ts";
import { understood } from "./understood.ts";
import { userStatements } from "./user-statements.ts";

/** What may stand before "I" without changing what is said. */
const LEAD =
  /^(?:(?:please|well|so|and|but|actually|hi|hello|hey|there|yes|no|ok(?:ay)?|oh|also|now|fyi|btw|by the way|(?:remember|note)(?: that)?)(?:\s*[,:!–-]+\s*|\s+))*/i;
const OF_ONESELF = /^(?:i|we)(?:['’](m|re|ve|d|ll))?\s+(\S.*)$/is;
const SHORT: Readonly<Record<string, string>> = {
  m: "are ",
  re: "are ",
  ve: "have ",
  d: "would ",
  ll: "will ",
};
/** Tells of talking or thinking, not of oneself. */
const OF_TALKING =
  /^(?:(?:have|had|would|will|did|just|already|also|do|don['’]t|do not)\s+)*(?:said|say|told|tell|mean|meant|think|thought|guess|know|knew|see|saw|heard|hear|read|wrote|write|quote|ask(?:ed)?|wonder(?:ed)?|mention(?:ed)?|believe|suppose|hope|wish|understand|agree|repeat|copied|pasted)\b/i;
const OTHER_PERSON: Readonly<Record<string, string>> = {
  i: "you",
  am: "are",
  "i'm": "you are",
  "i've": "you have",
  me: "you",
  my: "your",
  mine: "yours",
  myself: "yourself",
  you: "me",
  your: "my",
  was: "were",
};
const LONGEST = 300;

/** What the texts state by "I …", as it is said to whoever stated it: `you live in Paris`. The oldest first. */
export const predicatesIn = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => ownSentences(understood(text)).flatMap(predicatesOf));

const predicatesOf = (sentence: string): readonly string[] =>
  statedClauses(sentence).flatMap((clause) => {
    const [, short = "", rest = ""] = OF_ONESELF.exec(clause.trim().replace(LEAD, "")) ?? [];
    const isOther = rest === "" || rest.length > LONGEST || OF_TALKING.test(rest);
    if (isOther || userStatements(clause, { isAnswer: false }) === "") return [];
    return [`you ${SHORT[short.toLowerCase()] ?? ""}${turned(bare(rest))}`];
  });

/** Only the verb of "I" becomes another: of "my dog was ill" it stays. */
function turned(rest: string): string {
  const [verb = "", ...others] = rest.split(/(\s+)/);
  const turn = (word: string): string => OTHER_PERSON[word.toLowerCase().replace("’", "'")] ?? word;
  return [turn(verb), ...others.map((word) => (/^(?:am|was)$/i.test(word) ? word : turn(word)))].join("");
}

const BESIDE =
  "^you (?:(?:are|have|do|not|don['’]t|aren['’]t|no longer|now|just|recently|currently|still|also|actually|really)\\s+)*";

/** Of which the newest word counts, and not each that was said. */
interface Topic {
  /** How it is called in "what is my …?". */
  readonly things: RegExp;
  /** What is left of a question for it. */
  readonly asked: RegExp;
  readonly told: RegExp;
}

const TOPICS: readonly Topic[] = [
  {
    things: /^(?:home|home town|city|town|country|address|residence)$/,
    asked: /^(?:live|based)$/,
    told: new RegExp(`${BESIDE}(?:live|living|moved|relocated|settled|reside|based)\\b`, "i"),
  },
  {
    things: /^(?:job|work|employer|profession|occupation|company|workplace)$/,
    asked: /^(?:work|do)$/,
    told: new RegExp(`${BESIDE}(?:work|working|employed|a job|got a job)\\b`, "i"),
  },
  {
    things: /^age$/,
    asked: /^old$/,
    told: /^you (?:are|turned)(?: (?:now|already|just))? \d+(?: years? old)?$/i,
  },
  {
    things: /^name$/,
    asked: /^called$/,
    told: /^you are \p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2}$/u,
  },
];

const ASKS =
  /\b(?:where|what|which|who|whom|when|how (old|tall|many|much|long|big))\b[^.?!]*?\b(?:do|am|was|did|have)\s+i\b([^.?!]*)/i;
const ASKS_INDIRECTLY =
  /\b(?:know|remember|tell me|remind me)\s+(?:where|what|which|who|when|how (old|tall|many|much|long|big))\s+i\b([^.?!]*)/i;
const ASKS_WHETHER = /^\W*(?:(?:so|and|hey|then)\W+)?(?:do|am|was|did|have)\s+i\b()([^.?!]*)\?/i;
/** What a question has beside what it asks for. */
const FILLING =
  /^(?:a|an|the|to|at|in|as|of|on|for|with|living|come|am|again|now|currently|please|still|actually|then|by|today)$/;
const MOST = 3;

/** What is asked of what the user stated by "I …": of "where do I live?" `["live"]`. `undefined`: something else. */
function askedWords(text: string): readonly string[] | undefined {
  const found = ASKS.exec(text) ?? ASKS_INDIRECTLY.exec(text) ?? ASKS_WHETHER.exec(text);
  if (found === null) return undefined;
  const [, how = "", rest = ""] = found;
  if (OF_TALKING.test(rest.trim())) return undefined;
  const words = wordsOf(`${how} ${rest}`).filter((word) => !FILLING.test(word));
  return words.length === 0 ? undefined : words;
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}'’-]+/gu) ?? [];

/** What was stated by "I …", and when, if that wasn't in this conversation. */
interface Told {
  readonly text: string;
  readonly day: string;
}

const toldIn = (remembered: readonly Remembered[], earlier: readonly string[]): readonly Told[] => [
  ...remembered.flatMap(({ words, day }) => predicatesIn([words]).map((text) => ({ text, day }))),
  ...predicatesIn(earlier).map((text) => ({ text, day: "" })),
];

/** Answers a question for what was stated by "I …". `undefined`: it is none. What came last stands last. */
export function answerPredicate(
  question: string,
  remembered: readonly Remembered[],
  earlier: readonly string[],
): string | undefined {
  const words = askedWords(question);
  if (words === undefined) return undefined;
  const told = toldIn(remembered, earlier);
  const topic = TOPICS.find(({ asked }) => words.length === 1 && asked.test(words[0] ?? ""));
  const found =
    topic === undefined
      ? told.filter(({ text }) => words.every((word) => wordsOf(text).includes(word)))
      : newest(told, topic);
  return asAnswer(found) ?? "You haven't told me that yet.";
}

/** What was stated by "I …" of what is called `thing`: of "job" where the user works. */
export function answerThing(
  thing: string,
  remembered: readonly Remembered[],
  earlier: readonly string[],
): string | undefined {
  const topic = TOPICS.find(({ things }) => things.test(thing));
  return topic === undefined ? undefined : asAnswer(newest(toldIn(remembered, earlier), topic));
}

/** Of an earlier day all that was said: which of it came last can't be told for sure. */
function newest(told: readonly Told[], topic: Topic): readonly Told[] {
  const fitting = told.filter(({ text }) => topic.told.test(text));
  const day = fitting.at(-1)?.day;
  return day === "" ? fitting.slice(-1) : fitting.filter((one) => one.day === day);
}

/** What isn't of this conversation is told with its day: since then it may have changed. */
function asAnswer(told: readonly Told[]): string | undefined {
  const last = [...new Map(told.map((one) => [one.text, one])).values()].slice(-MOST);
  if (last.length === 0) return undefined;
  const text = last.map((one) => one.text).join(", and ");
  const [day = "", ...others] = new Set(last.map((one) => one.day));
  const when = day === "" || others.length > 0 ? "" : `, as you said on ${day}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${when}.`;
}
