import { isAsked, type SentenceEnd, sentenceEnds } from "./ends.ts";
import { type Token, tokensSaid } from "./person.ts";
import type { Range } from "./range.ts";
import { foreignRanges } from "./sources.ts";
import { normalised, wordsOf } from "./words.ts";

/** In UTF-16 units. Of a longer message, its beginning is looked at; of one in a long turn, its share, but never less than the least. */
const LOOKED_AT = { message: 20_000, turn: 100_000, least: 2_500 };

/** Words that follow each other between commas and conjunctions. */
export type Segment = readonly Token[];

/** A sentence in the user's own words. */
export interface Sentence {
  readonly words: readonly Token[];
  readonly segments: readonly Segment[];
  /** Those of the segments that stand behind a colon. */
  readonly announced: ReadonlySet<Segment>;
  readonly isQuestion: boolean;
}

/** What a user said in one message, taken apart. */
export interface Utterance {
  readonly text: string;
  /** All words, whoever's. */
  readonly words: readonly Token[];
  /** Whether each of the words is the user's own. */
  readonly own: readonly boolean[];
  /** Of the user's own words only. */
  readonly sentences: readonly Sentence[];
}

const BREAK = /[,;:()[\]{}，、；：—–•،؛]|\s-\s/u;
const COLON = /[:：]/u;
const CONJUNCTIONS = new Set(
  "and but because since so while when although though which who whereas und aber weil obwohl während et mais parce car tandis y pero porque aunque mientras".split(
    " ",
  ),
);

/** The messages of a turn. */
export function readUtterances(said: readonly string[]): readonly Utterance[] {
  const total = said.reduce((sum, { length }) => sum + Math.min(length, LOOKED_AT.message), 0);
  const share = Math.max(LOOKED_AT.least, Math.floor(LOOKED_AT.turn / said.length));
  const most = total > LOOKED_AT.turn ? Math.min(LOOKED_AT.message, share) : LOOKED_AT.message;
  return said.map((message) => readUtterance(message, most));
}

function readUtterance(said: string, most: number): Utterance {
  const text = normalised(said.slice(0, most));
  const words = tokensSaid(wordsOf(text));
  const own = ownOf(words, foreignRanges(text, { isCut: said.length > most }));
  return { text, words, own, sentences: sentencesOf(text, words, own) };
}

/** In one pass, for there may be as many ranges as words. */
function ownOf(words: readonly Token[], foreign: readonly Range[]): readonly boolean[] {
  const ranges = foreign.toSorted((a, b) => a.start - b.start);
  let [next, reached] = [0, 0];
  return words.map(({ start, end }) => {
    for (let range = ranges[next]; range !== undefined && range.start < end; range = ranges[next]) {
      reached = Math.max(reached, range.end);
      next += 1;
    }
    return reached <= start;
  });
}

function sentencesOf(text: string, words: readonly Token[], own: readonly boolean[]): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let from = 0;
  for (const end of sentenceEnds(text)) {
    const to = nextFrom(words, from, end.at);
    for (const run of ownRuns(words, own, { start: from, end: to }).map(withoutLead)) {
      sentences.push({ words: run, ...segmentsOf(text, run), isQuestion: asks(text, run, end) });
    }
    from = to;
  }
  return sentences;
}

function nextFrom(words: readonly Token[], from: number, at: number): number {
  let to = from;
  while (to < words.length && (words[to]?.start ?? 0) < at) to += 1;
  return to;
}

/** The words of a range that are the user's own, where they follow each other. */
function ownRuns(
  words: readonly Token[],
  own: readonly boolean[],
  { start, end }: Range,
): readonly Token[][] {
  const runs: Token[][] = [];
  for (let index = start; index < end; index++) {
    const word = words[index];
    if (word === undefined || own[index] !== true) continue;
    if (index > start && own[index - 1] === true) runs.at(-1)?.push(word);
    else runs.push([word]);
  }
  return runs;
}

/** Asks to remember what follows; the `not` in it denies nothing of that. */
const LEADS: readonly string[] = [
  "please do not forget",
  "do not forget",
  "never forget",
  "bitte vergiss nicht",
  "vergiss nicht",
  "ne oublie pas",
  "no olvides",
];

function withoutLead(words: readonly Token[]): readonly Token[] {
  const spoken = words
    .slice(0, 5)
    .map(({ text }) => text)
    .join(" ");
  const lead = LEADS.find((one) => spoken.startsWith(one));
  return lead === undefined ? words : words.slice(lead.split(" ").length);
}

function segmentsOf(text: string, words: readonly Token[]): Pick<Sentence, "segments" | "announced"> {
  const segments: Token[][] = [];
  const announced = new Set<Segment>();
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    const between = before === undefined || before.end > word.start ? "" : text.slice(before.end, word.start);
    const isDash = word.text === "-" && /^\s-\s$/u.test(text.slice(word.start - 1, word.end + 1));
    if (before === undefined || BREAK.test(between) || isDash || CONJUNCTIONS.has(word.text)) {
      const segment = [word];
      segments.push(segment);
      if (COLON.test(between)) announced.add(segment);
    } else segments.at(-1)?.push(word);
  }
  return { segments, announced };
}

const ASKING_SIGN = /^(?:吗|嗎|呢|か|かな)$/u;

function asks(text: string, words: readonly Token[], end: SentenceEnd): boolean {
  const [first] = words;
  const last = words.at(-1);
  if (isAsked(end)) return true;
  if (first !== undefined && text[first.start - 1] === "¿") return true;
  return last?.sign === true && ASKING_SIGN.test(last.text);
}
