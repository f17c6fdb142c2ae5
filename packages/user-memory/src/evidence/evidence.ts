import { ownContent } from "../facts/facts.ts";
import { type Span, UNSPACED } from "../text.ts";
import { oneLine, type Passage, type Quotable } from "./passages.ts";

/**
 * A fact that a model or your `extract` function proposes. The proposal points at words in the user's messages, and
 * these words are stored as a quotation. The sentence `fact` helps to find the words. In two cases, the sentence `fact`
 * is stored instead of the words:
 *
 * - The option `verify` accepts the sentence.
 * - The words are third-party text, which is never quoted as the user's words. The sentence is stored with trust
 *   `"external"`, so it waits for review. A user memory that isn't a store of this package doesn't get the sentence.
 */
export interface ProposedFact {
  /** The proposed fact as a sentence. */
  readonly fact: string;
  /**
   * The user's words that state the fact, copied exactly. Default: the passage of the user's messages that shares most
   * words with `fact`.
   */
  readonly evidence?: string | undefined;
  /** Confidence in the fact, from 0 to 1. Other values are clamped. */
  readonly score: number;
  /** Tags for the fact. Ignored if `Agent.remembers` has `tags`. */
  readonly tags?: readonly string[] | undefined;
  /** The topic of the fact, e.g. `"home-city"`. A newer fact with this key replaces the older fact. */
  readonly key?: string | undefined;
}

/** The words in the user's messages that support a proposed fact. */
export type Support =
  | { readonly kind: "quotation"; readonly passage: Passage }
  /** The supporting words are only in third-party text, in the message with the index `message`. */
  | { readonly kind: "third-party"; readonly words: string; readonly message: number }
  /** No words in the user's messages support the proposed fact. */
  | { readonly kind: "none" };

const NONE: Support = { kind: "none" };
/** Matches an ellipsis in the evidence, which stands for omitted words. */
const ELLIPSIS = /\s*(?:\[?(?:…|\.{3,})\]?)\s*/u;
const MAX_PARTS = 5;
/** Share of the words of a proposal that a passage must contain in order to support the proposal. */
const SHARED = 0.5;
/** The share for a proposal without evidence, and for evidence in several passages. */
const SHARED_WITH_FACT = 0.2;
/** Minimum number of words of a proposal that a passage must contain, if the proposal has so many. */
const MIN_SHARED = 2;

/**
 * Returns a function that finds the user's words that support a proposed fact. Without an exact match of the evidence,
 * it finds the passage that is most similar to the evidence or to the fact.
 */
export function createSupportFinder(quotable: Quotable): (proposal: ProposedFact) => Support {
  // A passage whose words are rarer in the passages counts as more similar.
  const { said, passages, thirdParty } = quotable;
  const texts = said.map(normalizeText);
  const looked = lazily(() => {
    const contents = new Map(passages.map((passage) => [passage, ownContent({ fact: passage.text })]));
    return { contents, rarity: rarities([...contents.values()]) };
  });

  const mostSimilarPassage = (
    wanted: string,
    { among = passages, share = SHARED } = {},
  ): Passage | undefined => {
    const { contents, rarity } = looked();
    const terms = [...ownContent({ fact: wanted })];
    const enough = Math.max(Math.min(MIN_SHARED, terms.length), share * terms.length);
    const weigh = (shared: readonly string[]) => shared.reduce((sum, term) => sum + rarity(term), 0);
    const [best] = among
      .map((passage) => ({ passage, shared: terms.filter((term) => contents.get(passage)?.has(term)) }))
      .filter(({ shared }) => shared.length >= enough)
      .map(({ passage, shared }) => ({ passage, weight: weigh(shared) }))
      .toSorted((a, b) => b.weight - a.weight);
    return best !== undefined && best.weight > 0 ? best.passage : undefined;
  };

  return ({ fact, evidence = "" }) => {
    const found = messageSpansOf(evidence, texts);
    const quoted = passages.filter(({ message, span }) =>
      found.some((match) => match.message === message && overlap(match, span)),
    );
    const [first, second] = quoted;
    if (first !== undefined) {
      return {
        kind: "quotation",
        passage: (second && mostSimilarPassage(fact, { among: quoted, share: SHARED_WITH_FACT })) ?? first,
      };
    }
    const other = found.find((match) => thirdParty[match.message]?.some((span) => overlap(match, span)));
    if (other !== undefined) return ofOther(other, said);
    if (found.length > 0) return NONE;
    const passage =
      evidence.trim() === ""
        ? mostSimilarPassage(fact, { share: SHARED_WITH_FACT })
        : (mostSimilarPassage(evidence) ?? mostSimilarPassage(fact));
    return passage === undefined ? NONE : { kind: "quotation", passage };
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const ofOther = ({ message, start, end }: MessageSpan, said: readonly string[]): Support => ({
  kind: "third-party",
  words: oneLine((said[message] ?? "").slice(start, end)),
  message,
});

/** Returns a function that weighs words: a word weighs more if fewer passages contain it. */
function rarities(contents: readonly ReadonlySet<string>[]): (term: string) => number {
  const counts = new Map<string, number>();
  for (const content of contents) for (const term of content) counts.set(term, (counts.get(term) ?? 0) + 1);
  const weights = new Map([...counts].map(([term, count]) => [term, Math.log(1 + contents.length / count)]));
  return (term) => weights.get(term) ?? 0;
}

interface MessageSpan extends Span {
  readonly message: number;
}

const overlap = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

function messageSpansOf(evidence: string, texts: readonly NormalizedText[]): readonly MessageSpan[] {
  const parts = evidence
    .split(ELLIPSIS)
    .map((part) => normalizeText(part).text)
    .filter((part) => part !== "");
  if (parts.length === 0 || parts.length > MAX_PARTS) return [];
  return texts.flatMap((text, message) => spansIn(text, parts).map((span) => ({ ...span, message })));
}

/** Finds the parts of evidence in a text. Returns `[]` if a part isn't found. */
function spansIn(text: NormalizedText, parts: readonly string[]): readonly Span[] {
  // The parts are the texts between the ellipses of the evidence. A single part gives all its matches. Several parts
  // give one match each, in order.
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return text.all(only);
  const spans: Span[] = [];
  let from = 0;
  for (const part of parts) {
    const found = text.next(part, from);
    if (found === undefined) return [];
    spans.push(found.span);
    from = found.end;
  }
  return spans;
}

interface Found {
  /** The match, in the original text. */
  readonly span: Span;
  /** The end of the match in the normalized text. A search for the next match begins here. */
  readonly end: number;
}

/** The letters and digits of a text in lower case, and searches that return positions in the original text. */
interface NormalizedText {
  readonly text: string;
  /** Finds the next match of the normalized text `wanted`, from the offset `from` on. Matches only whole words. */
  readonly next: (wanted: string, from: number) => Found | undefined;
  /** Finds the first matches of the normalized text `wanted`, at most `MAX_MATCHES`. */
  readonly all: (wanted: string) => readonly Span[];
}

/** Maximum number of matches that are returned. */
// Only a text that was made to slow down the search exceeds these limits.
const MAX_MATCHES = 32;
/** Maximum number of positions that one search tries. */
const MAX_TRIES = 1_000;
const LETTER = /[\p{L}\p{N}]/u;
/** Matches characters of scripts in which words don't begin after a space, e.g. Chinese or Korean. */
const DENSE = new RegExp(String.raw`[${UNSPACED}\p{sc=Hangul}]`, "u");

/** Reduces a text to its letters and digits, in lower case without accents. */
function normalizeText(text: string): NormalizedText {
  const units: string[] = [];
  const starts: number[] = [];
  let at = 0;
  const letter = LETTER;
  for (const character of text) {
    for (const unit of character.normalize("NFKD").toLowerCase()) {
      if (!letter.test(unit)) continue;
      units.push(unit);
      for (let index = 0; index < unit.length; index++) starts.push(at);
    }
    at += character.length;
  }
  const normalized = units.join("");

  const isWithinWord = (offset: number): boolean => {
    const [before, after] = [characterAt(text, offset - 1), characterAt(text, offset)];
    return LETTER.test(before) && LETTER.test(after) && !DENSE.test(before) && !DENSE.test(after);
  };
  const next = (wanted: string, from: number): Found | undefined => {
    for (
      let index = normalized.indexOf(wanted, from), tries = 0;
      index !== -1 && tries < MAX_TRIES;
      tries++
    ) {
      const start = starts[index] ?? 0;
      const end = endOf(text, starts[index + wanted.length - 1] ?? 0);
      if (!isWithinWord(start) && !isWithinWord(end))
        return { span: { start, end }, end: index + wanted.length };
      index = normalized.indexOf(wanted, index + 1);
    }
    return undefined;
  };
  return {
    text: normalized,
    next,
    all: (wanted) => {
      const spans: Span[] = [];
      for (let found = next(wanted, 0); found && spans.length < MAX_MATCHES; found = next(wanted, found.end))
        spans.push(found.span);
      return spans;
    },
  };
}

const characterAt = (text: string, index: number): string => {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
};

const endOf = (text: string, start: number): number => start + characterAt(text, start).length;
