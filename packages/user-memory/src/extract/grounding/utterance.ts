import { foreignRanges, type Range } from "./sources.ts";
import { normalised, type Word, wordsOf } from "./words.ts";

/** Of a longer message, its beginning is looked at. */
const LOOKED_AT = 20_000;

/** Words that follow each other between commas and conjunctions. */
export type Segment = readonly Word[];

/** A sentence in the user's own words. */
export interface Sentence {
  readonly words: readonly Word[];
  readonly segments: readonly Segment[];
  readonly isQuestion: boolean;
}

/** What a user said in one message, taken apart. */
export interface Utterance {
  readonly text: string;
  /** All words, whoever's. */
  readonly words: readonly Word[];
  /** Whether each of the words is the user's own. */
  readonly own: readonly boolean[];
  /** Of the user's own words only. */
  readonly sentences: readonly Sentence[];
}

const SENTENCE = /(?:[.!?…]+(?=[\s"'”’»)\]]|$)|[。！？]+|\n+)/gu;
const BREAK = /[,;:()[\]{}，、；：—–•]|\s-\s/u;
const CONJUNCTIONS = new Set(
  "and but because since so while when although though which who whereas und aber weil obwohl während et mais parce car tandis y pero porque aunque mientras".split(
    " ",
  ),
);

export function readUtterance(said: string): Utterance {
  const text = normalised(said.slice(0, LOOKED_AT));
  const words = wordsOf(text);
  const foreign = foreignRanges(text);
  const own = words.map((word) => !foreign.some((range) => covers(range, word)));
  return { text, words, own, sentences: sentencesOf(text, words, own) };
}

const covers = ({ start, end }: Range, word: Word): boolean => word.start < end && word.end > start;

function sentencesOf(text: string, words: readonly Word[], own: readonly boolean[]): readonly Sentence[] {
  const ends = [...text.matchAll(SENTENCE)].map(({ 0: sign, index }) => ({ sign, at: index }));
  const sentences: Sentence[] = [];
  let from = 0;
  for (const { sign, at } of [...ends, { sign: "", at: text.length }]) {
    const to = nextFrom(words, from, at);
    for (const run of ownRuns(words, own, { start: from, end: to }).map(withoutLead)) {
      sentences.push({ words: run, segments: segmentsOf(text, run), isQuestion: asks(text, run, sign) });
    }
    from = to;
  }
  return sentences;
}

function nextFrom(words: readonly Word[], from: number, at: number): number {
  let to = from;
  while (to < words.length && (words[to]?.start ?? 0) < at) to += 1;
  return to;
}

/** The words of a range that are the user's own, where they follow each other. */
function ownRuns(words: readonly Word[], own: readonly boolean[], { start, end }: Range): readonly Word[][] {
  const runs: Word[][] = [];
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

function withoutLead(words: readonly Word[]): readonly Word[] {
  const spoken = words
    .slice(0, 5)
    .map(({ text }) => text)
    .join(" ");
  const lead = LEADS.find((one) => spoken.startsWith(one));
  return lead === undefined ? words : words.slice(lead.split(" ").length);
}

function segmentsOf(text: string, words: readonly Word[]): readonly Segment[] {
  const segments: Word[][] = [];
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    const isNew =
      before === undefined ||
      (before.end <= word.start && BREAK.test(text.slice(before.end, word.start))) ||
      CONJUNCTIONS.has(word.text);
    if (isNew) segments.push([word]);
    else segments.at(-1)?.push(word);
  }
  return segments;
}

const ASKING_SIGN = /^(?:吗|嗎|呢|か|かな)$/u;

function asks(text: string, words: readonly Word[], sign: string): boolean {
  const [first] = words;
  const last = words.at(-1);
  if (/[?？]/u.test(sign)) return true;
  if (first !== undefined && text[first.start - 1] === "¿") return true;
  return last?.sign === true && ASKING_SIGN.test(last.text);
}
