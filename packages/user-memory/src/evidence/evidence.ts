import { ownContent } from "../facts/facts.ts";
import { type Span, UNSPACED } from "../text.ts";
import { oneLine, type Passage, type Quotable } from "./passages.ts";

/**
 * A fact that a model or your `extract` function proposes. It points at words of the user, which are stored as a quotation.
 * The proposal itself only helps to find them and is never shown.
 */
export interface ProposedFact {
  /** The fact as a sentence. */
  readonly fact: string;
  /** The user's words that state the fact, copied exactly. Default: the user's words that share most with the fact. */
  readonly evidence?: string | undefined;
  /** Confidence in [0, 1]; other values are clamped. It doesn't raise trust. */
  readonly score: number;
  /** Ignored if the agent's spec has tags: facts only get those. */
  readonly tags?: readonly string[] | undefined;
  /** The topic, e.g. `"home-city"`. Of all facts with the same key, the newest is current. */
  readonly key?: string | undefined;
}

/** The support for a proposal in the user's messages. */
export type Support =
  | { readonly kind: "quotation"; readonly passage: Passage }
  /** The words are only in third-party text. */
  | { readonly kind: "third-party"; readonly words: string; readonly message: number }
  /** Nothing in the messages supports it. */
  | { readonly kind: "none" };

const NONE: Support = { kind: "none" };
/** An omission in the evidence. */
const ELLIPSIS = /\s*(?:\[?(?:…|\.{3,})\]?)\s*/u;
const MAX_PARTS = 5;
/**
 * The share of words that must be among the user's: for evidence, and for a fact in the model's wording. At least two words.
 */
const SHARED = 0.5;
const SHARED_WITH_FACT = 0.2;
const MIN_SHARED = 2;

/**
 * Returns a function that finds which of the user's words support a proposal:
 * 1. It looks for the evidence in the messages. Case, spaces, accents and punctuation don't matter, and an ellipsis can stand
 *    for omitted words between parts in order. If the evidence is in a passage, the passage is the support; if only in
 *    third-party text, that text is; if anywhere else, there is no support.
 * 2. If the evidence isn't found, it takes the passage that shares at least half of the evidence's words, or else half of the
 *    fact's. Of several, the one that shares the most words, rare words weighing more.
 * 3. If there is no evidence, a fifth of the fact's words is enough, since the user is later shown the passage, not the fact.
 *
 * In 2 and 3 at least two words must be shared, unless there is only one. Returns `kind: "none"` if nothing supports the
 * proposal.
 */
export function createSupportFinder(quotable: Quotable): (proposal: ProposedFact) => Support {
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

/** Returns the weight of a word: the fewer passages contain it, the higher. */
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

/** Finds all parts in order, or all matches of a single part. */
function spansIn(text: NormalizedText, parts: readonly string[]): readonly Span[] {
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
  /** In the original text. */
  readonly span: Span;
  /** In the normalized text, to continue the search. */
  readonly end: number;
}

/** The letters and digits of a text, with their positions. */
interface NormalizedText {
  readonly text: string;
  /** Finds the next whole-word match of a normalized text from an offset on. */
  readonly next: (wanted: string, from: number) => Found | undefined;
  /** Finds the first matches. */
  readonly all: (wanted: string) => readonly Span[];
}

/** Maximum number of matches. Only crafted texts have more. */
const MAX_MATCHES = 32;
const MAX_TRIES = 1_000;
const LETTER = /[\p{L}\p{N}]/u;
/** Scripts without spaces at the start of each word. */
const DENSE = new RegExp(String.raw`[${UNSPACED}\p{sc=Hangul}]`, "u");

/** Converts a text to lower case in NFKD without marks. */
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
