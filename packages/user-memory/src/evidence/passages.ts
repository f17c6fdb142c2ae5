import { holdsSecret } from "@jaf/memory/internal";
import { isBlank, linesOf, type Span, sentencesIn, withLineFeeds, wordsIn } from "../text.ts";
import { thirdPartySpans } from "./third-party-text.ts";

/** Words of the user's own that can be quoted: whole sentences of one message, one behind the other. */
export interface Passage {
  /** Index of the message among those said. */
  readonly message: number;
  /** Where they stand in it. */
  readonly span: Span;
  /** As they stand there, in one line. */
  readonly text: string;
  /** See `Quotation.from`. */
  readonly from: "message" | "text";
}

/** The words of a turn: what can be quoted of it, and what isn't the user's own. */
export interface Quotable {
  readonly said: readonly string[];
  readonly passages: readonly Passage[];
  /** Of each message. */
  readonly thirdParty: readonly (readonly Span[])[];
}

/** A passage is as long as its words have one matter: sentences are added up to this. */
const MAX_WORDS = 60;
const MAX_LENGTH = 500;
/** A longer sentence is no sentence but a text without any; it is divided at its lines, or left out. */
const MAX_SENTENCE = 2_000;

const UNSEEN = /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|\p{Cs}/gu;
const SPACE = /[\s\p{Cc}]+/gu;
/** It may stand within a sentence: neither behind it nor before it is an empty line, an item of a list, or what was cut out. */
const SOFT_BREAK = /(?<![\n\ufffc])\n(?![^\S\n]*(?:\n|[-*+•‣◦▪–—#]\s|\d{1,3}[.)]\s|\ufffc|$))/gu;
const WINDOW = 500;
const BLANK = /\s*/uy;

/**
 * Divides what the user said into passages; the same text always into the same ones. A sentence is never cut, so that no
 * passage says the contrary of it, and one whose words are mostly somebody else's, or that holds a secret, is in none.
 * `isThirdParty`: the first message was announced as somebody's text.
 */
export function quotableOf(said: readonly string[], isThirdParty: (message: number) => boolean): Quotable {
  const thirdParty = said.map((text, message) =>
    isThirdParty(message) ? [{ start: 0, end: text.length }] : thirdPartySpans(text),
  );
  const spoken = said.filter((text) => text.trim() !== "").length;
  const passages = said.flatMap((text, message) => {
    const strange = thirdParty[message] ?? [];
    const spans = packed(text, ownSentences(text, strange));
    const isMessage =
      spoken === 1 &&
      strange.length === 0 &&
      spans.length === 1 &&
      !withLineFeeds(text.trim()).includes("\n");
    const from = isMessage ? ("message" as const) : ("text" as const);
    return spans.map((span) => ({ message, span, text: oneLine(text.slice(span.start, span.end)), from }));
  });
  return { said, passages: passages.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)), thirdParty };
}

/** A text as it is kept and compared: in one line, without what nobody sees. */
export const oneLine = (text: string): string => text.replace(UNSEEN, "").replace(SPACE, " ").trim();

/** What stands for what was cut out: a passage ends there. */
const CUT = "\ufffc";

/** A text without the sentences that hold a secret; without anything, where that isn't enough. */
export function withoutSecrets(text: string): string {
  if (!holdsSecret(text)) return text;
  const kept = sentencesOf(text, []).map(({ start, end }) => text.slice(start, end));
  const cut = kept.map((words) => (holdsSecret(words) ? `\n${CUT}\n` : words)).join("");
  return holdsSecret(cut) ? "" : cut;
}

interface Sentence extends Span {
  /** Whether it follows the one before in the text, with nothing left out. */
  readonly follows: boolean;
}

function ownSentences(text: string, thirdParty: readonly Span[]): readonly Sentence[] {
  const own: Sentence[] = [];
  let follows = false;
  let next = 0;
  for (const sentence of sentencesOf(text, thirdParty)) {
    while ((thirdParty[next]?.end ?? Number.POSITIVE_INFINITY) <= sentence.start) next++;
    const words = text.slice(sentence.start, sentence.end);
    const isOwn =
      ownShare(sentence, thirdParty, next) >= 0.5 &&
      words.length <= MAX_SENTENCE &&
      !words.includes(CUT) &&
      !holdsSecret(words);
    if (isOwn) own.push({ ...sentence, follows });
    follows = isOwn;
  }
  return own;
}

function ownShare({ start, end }: Span, thirdParty: readonly Span[], from: number): number {
  let taken = 0;
  for (let at = from; at < thirdParty.length; at++) {
    const span = thirdParty[at];
    if (span === undefined || span.start >= end) break;
    taken += Math.min(end, span.end) - Math.max(start, span.start);
  }
  return 1 - taken / (end - start);
}

function sentencesOf(text: string, thirdParty: readonly Span[]): readonly Span[] {
  const plain = withLineFeeds(text);
  const flowing = plain.replace(SOFT_BREAK, " ");
  const edges = thirdParty
    .filter((span) => hasOwnLines(plain, span))
    .flatMap(({ start, end }) => [start, end]);
  const divided = dividedAt(segmentsOf(flowing), edges);
  return divided.flatMap((span) =>
    span.end - span.start > MAX_SENTENCE ? linesIn(plain, span) : isEmpty(plain, span) ? [] : [span],
  );
}

const isEmpty = (text: string, { start, end }: Span): boolean => text.slice(start, end).trim() === "";

/** Whether a part has its lines to itself at one of its ends. */
const hasOwnLines = (text: string, { start, end }: Span): boolean =>
  start === 0 ||
  end === text.length ||
  text[start - 1] === "\n" ||
  /^ ?\n/u.test(text.slice(end, end + 2)) ||
  text[end - 1] === "\n";

/** A window at a time: to segment a long text at once takes time that grows with the square of its length. */
function segmentsOf(text: string): readonly Span[] {
  const spans: Span[] = [];
  let size = WINDOW;
  for (let from = wordsFrom(text, 0); from < text.length; from = wordsFrom(text, from)) {
    const isLast = from + size >= text.length;
    const found = [...sentencesIn(text.slice(from, from + size))];
    // The last one may go on behind the window.
    const whole = isLast ? found : found.slice(0, -1);
    for (const { segment, index } of whole)
      spans.push({ start: from + index, end: from + index + segment.length });
    size = whole.length === 0 ? 2 * size : WINDOW;
    from = whole.length === 0 ? from : (spans.at(-1)?.end ?? text.length);
  }
  return spans;
}

/** Where white space ends. */
function wordsFrom(text: string, from: number): number {
  BLANK.lastIndex = from;
  return from + (BLANK.exec(text)?.[0].length ?? 0);
}

function dividedAt(spans: readonly Span[], edges: readonly number[]): readonly Span[] {
  let next = 0;
  return spans.flatMap(({ start, end }) => {
    const cuts: number[] = [];
    for (let edge = edges[next]; edge !== undefined && edge < end; edge = edges[++next])
      if (edge > start) cuts.push(edge);
    return [start, ...cuts].map((from, index) => ({ start: from, end: cuts[index] ?? end }));
  });
}

const linesIn = (plain: string, { start, end }: Span): readonly Span[] =>
  linesOf(plain.slice(start, end))
    .filter((line) => !isBlank(line))
    .map((line) => ({ start: start + line.start, end: start + line.end }));

function packed(text: string, own: readonly Sentence[]): readonly Span[] {
  const spans: Span[] = [];
  let words = 0;
  for (const { start, end, follows } of own) {
    const last = spans.at(-1);
    const added = wordsIn(text.slice(start, end));
    const fits =
      follows && last !== undefined && words + added <= MAX_WORDS && end - last.start <= MAX_LENGTH;
    if (fits) spans[spans.length - 1] = { start: last.start, end };
    else spans.push({ start, end });
    words = fits ? words + added : added;
  }
  return spans;
}
