import { ownContent } from "../facts/facts.ts";
import { type Span, UNSPACED } from "../text.ts";
import { oneLine, type Passage, type Quotable } from "./passages.ts";

/**
 * A fact that a model, or a function of the application's, proposes. It points at words of the user's, which are remembered
 * as a quotation; it is itself a way to find them, and never shown.
 */
export interface ProposedFact {
  readonly fact: string;
  /** The user's words that say it, as they stand there. Absent: the words of theirs that share most with the fact count. */
  readonly evidence?: string | undefined;
  /** How sure it is, in [0, 1]; what lies outside is brought inside. It makes nothing more trusted. */
  readonly score: number;
  /** Dropped where the agent's spec has tags of its own: a fact gets these, and no others. */
  readonly tags?: readonly string[] | undefined;
  /** What the fact is about, e.g. `"home-city"`: of all facts with one key, the newest counts. */
  readonly key?: string | undefined;
}

/** What supports a proposal. */
export type Support =
  | { readonly kind: "quotation"; readonly passage: Passage }
  /** Its words stand in somebody else's text alone. */
  | { readonly kind: "third-party"; readonly words: string; readonly message: number }
  /** The user said nothing like it. */
  | { readonly kind: "none" };

const NONE: Support = { kind: "none" };
/** Where a model leaves something out. */
const ELLIPSIS = /\s*(?:\[?(?:…|\.{3,})\]?)\s*/u;
const MAX_PARTS = 5;
/** Of the words of evidence, so many must be among the user's; of a fact, which is worded anew, so many. Two at least. */
const SHARED = 0.5;
const SHARED_WITH_FACT = 0.2;
const MIN_SHARED = 2;

/**
 * Returns a function that finds which of the user's words support a proposal:
 * 1. It looks for the evidence in the messages. Case, spaces, accents and punctuation don't matter, and an ellipsis may stand for
 *    words left out between parts in order. If that is in a passage, the passage is the support; if only in somebody else's
 *    text, that text is; if anywhere else, there is no support.
 * 2. If the evidence isn't found, it takes the passage that shares at least half of the evidence's words, or else half of the
 *    fact's. Of several, the one that shares the most words, rare words weighing more.
 * 3. If there is no evidence, a fifth of the fact's words is enough, since the user is later shown the passage, not the fact.
 *
 * In 2 and 3 at least two words must be shared, unless there is only one. Returns `kind: "none"` if nothing supports the proposal.
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

/** The fewer passages hold a word, the more it counts. */
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

/** Where all parts stand, one behind the other; wherever the first does, if it is the only one. */
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
  /** In the text as it stands. */
  readonly span: Span;
  /** In the normalized text: where to search on. */
  readonly end: number;
}

/** A text's letters and digits alone, and where each of them stands. */
interface NormalizedText {
  readonly text: string;
  /** The next match of a normalized text, as whole words, from an offset in this one on. */
  readonly next: (wanted: string, from: number) => Found | undefined;
  /** Its first matches. */
  readonly all: (wanted: string) => readonly Span[];
}

/** A text with more matches than this was made to have them. */
const MAX_MATCHES = 32;
const MAX_TRIES = 1_000;
const LETTER = /[\p{L}\p{N}]/u;
/** In these scripts no space tells where a word begins. */
const DENSE = new RegExp(String.raw`[${UNSPACED}\p{sc=Hangul}]`, "u");

/** In small letters, without accents, and with one form of each letter (NFKD, the marks left out). */
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
