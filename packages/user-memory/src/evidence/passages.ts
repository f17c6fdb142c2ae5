import { holdsSecret } from "@jaf/memory/internal";
import { isBlank, linesOf, type Span, sentencesIn, withLineFeeds, wordsIn } from "../text.ts";
import { thirdPartySpans } from "./third-party-text.ts";

/** The user's own words that can be quoted: consecutive whole sentences of one message. */
export interface Passage {
  /** Index of the passage's message in the turn's messages (`said`). */
  readonly message: number;
  /** The range of the passage in the text of its message. */
  readonly span: Span;
  /** The words of the passage as one line. */
  readonly text: string;
  /**
   * `"message"`: the passage is the user's only message in the turn, and this message is short. `"text"`: in every
   * other case.
   */
  readonly from: "message" | "text";
}

/** The user's messages of a turn, with their quotable passages and third-party text. */
export interface Quotable {
  readonly said: readonly string[];
  readonly passages: readonly Passage[];
  /** The ranges of third-party text in each message, by the message's index in `said`. */
  readonly thirdParty: readonly (readonly Span[])[];
}

/** Maximum number of words in a passage. */
// The limits are low, so that a passage is about one topic.
const MAX_WORDS = 60;
/** Maximum length of a passage in UTF-16 units. */
const MAX_LENGTH = 500;
/** Maximum length of a sentence in UTF-16 units. A longer sentence is split at its line breaks. */
const MAX_SENTENCE = 2_000;

const UNSEEN = /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|\p{Cs}/gu;
const SPACE = /[\s\p{Cc}]+/gu;
/** Matches a line break that can be within a sentence, but e.g. no line break before a list item. */
const SOFT_BREAK = /(?<![\n\ufffc])\n(?![^\S\n]*(?:\n|[-*+•‣◦▪–—#]\s|\d{1,3}[.)]\s|\ufffc|$))/gu;
const WINDOW = 500;
const BLANK = /\s*/uy;

/**
 * Splits the user's messages into passages of whole sentences. `isThirdParty` returns whether the message with this
 * index is third-party text as a whole.
 */
export function quotableOf(said: readonly string[], isThirdParty: (message: number) => boolean): Quotable {
  // Sentences are never cut, so a passage can't state the opposite of what the user said. Sentences with a secret and
  // third-party sentences are left out.
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

/** Converts a text into one line without invisible characters, for storage and comparison. */
export const oneLine = (text: string): string => text.replace(UNSEEN, "").replace(SPACE, " ").trim();

/** The character that replaces a removed sentence. No passage continues across this character. */
const CUT = "\ufffc";

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END[^\n]{0,60}|$)/g;

/** Removes the sentences that contain secrets from a text. Returns `""` if the rest still contains a secret. */
export function withoutSecrets(text: string): string {
  if (!holdsSecret(text)) return text;
  // A private key has several lines, and its inner ones look like any other text.
  const keyless = text.replace(PRIVATE_KEY, CUT);
  if (keyless !== text) return withoutSecrets(keyless);
  const kept = sentencesOf(text, []).map(({ start, end }) => text.slice(start, end));
  const cut = kept.map((words) => (holdsSecret(words) ? `\n${CUT}\n` : words)).join("");
  return holdsSecret(cut) ? "" : cut;
}

interface Sentence extends Span {
  /** Whether the sentence directly before this one is one of the user's own sentences. */
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

/** Whether a range of a text starts at the beginning of a line or ends at the end of a line. */
const hasOwnLines = (text: string, { start, end }: Span): boolean =>
  start === 0 ||
  end === text.length ||
  text[start - 1] === "\n" ||
  /^ ?\n/u.test(text.slice(end, end + 2)) ||
  text[end - 1] === "\n";

/** Splits a text into sentences. */
function segmentsOf(text: string): readonly Span[] {
  // Reads the text in short pieces, because splitting a long text takes quadratic time.
  const spans: Span[] = [];
  let size = WINDOW;
  for (let from = wordsFrom(text, 0); from < text.length; from = wordsFrom(text, from)) {
    const isLast = from + size >= text.length;
    const found = [...sentencesIn(text.slice(from, from + size))];
    // The last sentence of a window can continue after the window.
    const whole = isLast ? found : found.slice(0, -1);
    for (const { segment, index } of whole)
      spans.push({ start: from + index, end: from + index + segment.length });
    size = whole.length === 0 ? 2 * size : WINDOW;
    from = whole.length === 0 ? from : (spans.at(-1)?.end ?? text.length);
  }
  return spans;
}

/** Returns the offset after the white space that begins at `from`. */
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
