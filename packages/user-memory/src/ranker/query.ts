import { type CalendarDate, dateTerms, dayOf, daysLater, timeMentions } from "./dates.ts";
import type { MatchedDocument } from "./term-index.ts";
import { askedTerm, fold, isStopWord, NEGATION_TERM, TIME_TERM, termOf, tokenize } from "./tokenizer.ts";
import { WEIGHTS } from "./weights.ts";

const TEXT_LIMIT = 4_096;
/** Maximum number of words of a query, including the words that are added to it. */
const WORD_LIMIT = 40;
const DATE_LIMIT = 17;

/** A query for a day finds messages of that day and of this number of days after it. */
// Later messages can tell about the day.
const MENTIONED_WITHIN_DAYS = 7;
/** By how much the weight of a message falls with each day after the query's day. */
const LESS_A_DAY = 0.1;
/** The weight of a document from the right month, if the query asks for a day. */
const SAME_MONTH = 0.25;

const TEMPORAL =
  /^\W*when\b|\bwhen (?:did|was|is|were|are|do|does|will|has|have|had)\b|\b(?:what|which) (?:date|day|month|year|time|week)\b|\bhow (?:long|old)\b|\b(?:since|until) when\b/;

/** A word of a query, with its forms and its weight. */
interface QueryWord {
  /**
   * The words of the query that have this stem, in lower case without accents. Empty: the word isn't in the query, but
   * was added.
   */
  readonly forms: readonly string[];
  /** How much the word counts in a score: 1 for a usual word. */
  readonly share: number;
}

/** A query, parsed for the index and the ranker. */
export interface Query {
  /** The terms to find in the index: at most 98, each once. */
  readonly terms: readonly string[];
  /** The words by their stems: words of the query, followed by words that were added to it. At most 40 in all. */
  readonly words: ReadonlyMap<string, QueryWord>;
  /** The dates in the query, as index terms. The value is how well a document with this date matches, from 0 to 1. */
  readonly dates: ReadonlyMap<string, number>;
  /** All words of the query in order, in lower case without accents. */
  readonly spoken: readonly string[];
  /** Whether the query asks when something was. */
  readonly temporal: boolean;
  /**
   * How far the query is a request about several things (1) and not a question about one thing (0). Grows with the number
   * of words.
   */
  readonly breadth: number;
}

export interface QueryOptions {
  /** The current time in milliseconds since 1970. Absent: words such as `yesterday` have no date. */
  readonly now?: number | undefined;
  /**
   * The texts of the conversation before the query, oldest first. The words of the last two are added to the query, with
   * less weight than its own words. Default: none.
   */
  readonly context?: readonly string[] | undefined;
}

/** Parses a query. Reads only the first 4,096 UTF-16 units of the text, and of each text of the context. */
export function parseQuery(text: string, { now, context = [] }: QueryOptions = {}): Query {
  const folded = fold(text.slice(0, TEXT_LIMIT));
  const mentions = timeMentions(folded, now);
  const { words, breadth } = readWords(mentions.rest, {
    whole: folded,
    names: namesIn(text.slice(0, TEXT_LIMIT)),
    context: contextTerms(context),
  });
  const dates = dateWeights(mentions.dates);
  const temporal = TEMPORAL.test(folded);
  return {
    terms: [
      ...words.keys(),
      ...Array.from(words.keys(), askedTerm),
      ...dates.keys(),
      ...(temporal ? [TIME_TERM] : []),
    ],
    words,
    dates,
    spoken: tokenize(folded),
    temporal,
    breadth,
  };
}

/** Queries of at most this number of words ask about one thing. */
const NARROW = 8;
/** Queries of at least this number of words are requests about several things. */
const BROAD = 20;

const breadthOf = (words: number): number => Math.min(1, Math.max(0, (words - NARROW) / (BROAD - NARROW)));

/** Matches a capitalized word that follows another word or a comma, so that it doesn't begin a sentence. */
const NAME = /(?<=[\p{L}\p{N},;:)][^\S\n]*["'“‘(*]*)(?<![\p{L}\p{N}'’-])\p{Lu}[\p{L}\p{N}\p{M}'’-]+/gu;

/** Returns the words of a text that are written as names. */
const namesIn = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(NAME), ([name]) => tokenize(name)).flat());

interface Whole {
  /** The whole query, in lower case without accents. */
  readonly whole: string;
  readonly names: ReadonlySet<string>;
  /** The words of the conversation before the query, as stems. The first ones matter most. */
  readonly context: readonly string[];
}

interface ReadWords {
  readonly words: ReadonlyMap<string, QueryWord>;
  readonly breadth: number;
}

function readWords(text: string, { whole, names, context }: Whole): ReadWords {
  const said = formsOf(text);
  const breadth = breadthOf(said.size);
  const nameFactor = 1 + (WEIGHTS.name - 1) * breadth;
  const words = new Map<string, QueryWord>();
  for (const [term, forms] of said) {
    const factor = forms.some((form) => names.has(form)) ? nameFactor : 1;
    words.set(term, { forms, share: factor * wordShare(term) });
  }
  const add = (term: string, share: number) => {
    if (!words.has(term) && words.size < WORD_LIMIT) words.set(term, { forms: [], share });
  };
  if (words.size > 0) for (const [term, share] of wishTerms(whole)) add(term, share);
  // Without words of its own, only a question (`And for her?`) continues the context: `Thanks!` doesn't.
  if (words.size > 0 || QUESTION_MARK.test(whole))
    for (const term of context) add(term, WEIGHTS.context * wordShare(term));
  return { words, breadth };
}

const QUESTION_MARK = /[?？؟]/;

/** A question with at most this number of words can continue the conversation before it. */
const SHORT = 2;

/** Whether a text is a question that only says together with the conversation before it what it is about. */
export const isFollowUp = (text: string): boolean =>
  QUESTION_MARK.test(text) && formsOf(fold(text.slice(0, TEXT_LIMIT))).size <= SHORT;

/** How many of the last texts of a conversation are a query's context: a message of the user, and the reply to it. */
const CONTEXT_TEXTS = 2;

/** Returns the words of the last texts before a query, as stems. The most frequent words come first. */
function contextTerms(context: readonly string[]): readonly string[] {
  // A long reply has more words than a query can have. Those that it repeats name its topic.
  const counts = new Map<string, number>();
  for (const text of context.slice(-CONTEXT_TEXTS).reverse()) {
    for (const word of tokenize(fold(text.slice(0, TEXT_LIMIT)))) {
      const term = termOf(word);
      if (term !== undefined && term !== NEGATION_TERM) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([term]) => term);
}

function formsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>();
  for (const word of tokenize(text)) {
    const term = termOf(word);
    if (term === undefined || term === NEGATION_TERM) continue;
    const forms = words.get(term);
    if (forms !== undefined) forms.push(word);
    else if (words.size < WORD_LIMIT) words.set(term, [word]);
  }
  return words;
}

function dateWeights(dates: readonly CalendarDate[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const raise = (date: CalendarDate, weight: number) => {
    const term = dateTerms(date).at(-1);
    if (term === undefined || (weights.size >= DATE_LIMIT && !weights.has(term))) return;
    weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  };
  for (const date of dates) raise(date, 1);
  for (const { year, month, day } of dates) {
    if (year === undefined || month === undefined || day === undefined) continue;
    raise({ year, month }, SAME_MONTH);
    const at = Date.UTC(year, month - 1, day);
    for (let days = 1; days <= MENTIONED_WITHIN_DAYS; days++)
      raise(dayOf(daysLater(at, days)), 1 - LESS_A_DAY * (days + 1));
  }
  return weights;
}

/** Words about the form of the answer (`list`) or about an earlier conversation (`discuss`). */
// They say little about the topic of a query.
const ABOUT_ASKING = `
mention discuss tell conversation summary summarize list order item aspect different various throughout across
earlier previous previously former formerly
`;
const ABOUT_ASKING_SHARE = 0.25;

/** Words with which users state preferences, e.g. `always`. */
const WISHES = ["always", "whenever", "prefer"];
const WISH_SHARE = 0.6;

const REQUEST =
  /\b(?:can|could|would|will) you\b|\b(?:help|show|give|teach|advise) me\b|\bhow (?:do|can|could|should|would|might) i\b|\bwhat (?:should|would|could)\b|\bwhat are (?:some|the|good)\b|\b(?:suggest|recommend|advi[cs]e|tips?|ideas?)|\bi(?:'m| am) (?:looking|trying|planning|thinking)\b|\bi (?:want|need|would like)\b|\bi'd like\b/;

const stems = (words: readonly string[]): readonly string[] => words.flatMap((word) => termOf(word) ?? []);

const aboutAsking: ReadonlySet<string> = new Set(stems(ABOUT_ASKING.trim().split(/\s+/)));
const wishes: ReadonlyMap<string, number> = new Map(stems(WISHES).map((term) => [term, WISH_SHARE]));
const none: ReadonlyMap<string, number> = new Map();

/** Returns how much an English word counts in a score, from 0 to 1. */
const wordShare = (term: string): number => (aboutAsking.has(term) ? ABOUT_ASKING_SHARE : 1);

/**
 * Returns words to add to a query, and how much each counts in a score. Only a request (`can you …`) gets words, which
 * find the user's preferences (`always`).
 */
const wishTerms = (query: string): ReadonlyMap<string, number> =>
  REQUEST.test(query.replaceAll("’", "'")) ? wishes : none;

/** The authors that a query names. */
export interface NamedAuthors {
  /** The named authors, with their order in the query, from 0. */
  readonly order: ReadonlyMap<string, number>;
  /** The words of the query (as stems) that are names of the authors in `order`. */
  readonly names: ReadonlySet<string>;
}

/** Finds the authors that a query names. An author is named if the query contains a word of the author's name. */
export function namedAuthors(query: Query, documents: readonly MatchedDocument[]): NamedAuthors {
  const firstAt = new Map<string, number>();
  const names = new Set<string>();
  const authors = new Set(documents.map((document) => document.author));
  for (const author of authors) {
    if (author === undefined || authors.size === 1) continue;
    const found = tokenize(author).filter((word) => isName(word) && query.spoken.includes(word));
    if (found.length === 0) continue;
    firstAt.set(author, Math.min(...found.map((word) => query.spoken.indexOf(word))));
    for (const [term, { forms }] of query.words) {
      if (forms.length > 0 && forms.every((form) => found.includes(form))) names.add(term);
    }
  }
  const positions = [...new Set(firstAt.values())].sort((a, b) => a - b);
  return { order: new Map(Array.from(firstAt, ([author, at]) => [author, positions.indexOf(at)])), names };
}

const isName = (word: string) => word.length > 1 && !isStopWord(word);
