import { PHRASES, SPACELESS } from "./off-record-lexicon.ts";

const PREFIX = 3;
// Created on first use, because it would slow down the import of the package.
let phrasesByFirst: ReadonlyMap<string, readonly Phrase[]> | undefined;

/**
 * Whether the user asks in a message not to remember, save, note or pass on something, e.g. `don't add this to memory`.
 * In doubt, returns `true`.
 */
export function asksNotToKeep(text: string): boolean {
  const message = plain(text);
  if (SPACELESS.some((form) => form.test(message))) return true;
  const clauses = clausesOf(message);
  const keys = new Set(clauses.flatMap((clause) => clause.flatMap(keysOf)));
  phrasesByFirst ??= indexPhrases();
  const byFirst = phrasesByFirst;
  const known = new Map<string, readonly Phrase[]>();
  const phrasesOf = (key: string): readonly Phrase[] => {
    const found = known.get(key) ?? (byFirst.get(key) ?? []).filter((phrase) => isPossible(phrase, keys));
    known.set(key, found);
    return found;
  };
  return clauses.some((clause) =>
    clause.some((word, at) =>
      keysOf(word).some((key) => phrasesOf(key).some((phrase) => matchesAt(clause, at, phrase))),
    ),
  );
}

function keyOf(word: string): string {
  return word.endsWith("*") ? `${word.slice(0, PREFIX)}*` : word;
}

const keysOf = (word: string): readonly string[] => [word, `${word.slice(0, PREFIX)}*`];

/** Whether a message contains a word for each element of the phrase, in any order. */
// This quick check rules out most phrases before the exact check.
const isPossible = ({ elements }: Phrase, keys: ReadonlySet<string>): boolean =>
  elements.every(
    ({ sign, words }) =>
      sign !== "word" || words.has("$") || [...words].some((word) => keys.has(keyOf(word))),
  );

function indexPhrases(): ReadonlyMap<string, readonly Phrase[]> {
  const byFirst = new Map<string, Phrase[]>();
  for (const phrase of PHRASES.flatMap(phrasesIn)) {
    for (const first of firstOf(phrase)) {
      const key = keyOf(first);
      byFirst.set(key, [...(byFirst.get(key) ?? []), phrase]);
    }
  }
  return byFirst;
}

/**
 * Parses a lexicon. Its lines either name a list of words (`keep = save|store`) or contain phrases, separated by ` ; `.
 */
function phrasesIn(lexicon: string): readonly Phrase[] {
  const named = new Map<string, string>();
  const phrases: Phrase[] = [];
  for (const line of plain(lexicon)
    .split(/\n| ; /u)
    .filter((text) => text !== "")) {
    const whole = line.replace(/\$(\w+)/gu, (_, name: string) => named.get(name) ?? "");
    const [, name, words] = /^(\w+) = (.+)$/u.exec(whole) ?? [];
    if (name === undefined || words === undefined) phrases.push(parsePhrase(whole));
    else named.set(name, words);
  }
  return phrases;
}

/**
 * A pattern of words in a message, written as elements with spaces between them:
 *
 * - `save|saving`: one of these words. `memor*`: a word with this beginning.
 * - `_`: up to four words in one part of a clause (commas separate parts). `~`: up to six words, even across commas.
 * - `^` and `$`: the beginning and the end of a part. Words of courtesy (`please`) don't count.
 * - `memory|$`: the word or the end of a part.
 * - `-i|we`: none of these words directly before the phrase; adverbs in between don't count.
 * - `--i|we`: none of these words before the phrase in its part.
 * - `!not`: none of these words after the phrase in its part.
 * - `$keep`: the words that the line `keep = save|store` lists.
 */
interface Phrase {
  readonly conditions: readonly Element[];
  readonly elements: readonly Element[];
}

type Sign = "word" | "_" | "~" | "^" | "$" | "-" | "--" | "!";
interface Element {
  readonly sign: Sign;
  readonly words: ReadonlySet<string>;
  readonly beginnings: readonly string[];
}

const REACH = 8;
const COURTESY = wordsOf(
  "please pls plz kindly just and but so then also now though tho ok okay thanks thx anywhere anymore either again ever yet " +
    "bitte mal und aber also doch einfach danke ja halt also et mais alors merci s il te vous plait stp svp surtout y pero por " +
    "favor gracias e ma per favore grazie mas obrigado obrigada porfa en maar alsjeblieft aub i ale prosze и но а пожалуиста ve ama lutfen",
);
const ADVERBS = wordsOf(
  "really just usually often also still always simply actually normally generally even honestly literally probably mostly can " +
    "could do did would will me le la y te lo",
);

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

function parsePhrase(line: string): Phrase {
  const elements = line.split(" ").map(parseElement);
  const first = elements.findIndex(({ sign }) => sign === "word");
  return { conditions: elements.slice(0, first), elements: elements.slice(first) };
}

function parseElement(source: string): Element {
  const sign = (/^(?:--|[-!]|[_~^$]$)/u.exec(source)?.[0] ?? "word") as Sign;
  const words = (sign === "word" ? source : source.slice(sign.length)).split("|");
  const beginnings = words.filter((word) => word.endsWith("*")).map((word) => word.slice(0, -1));
  return { sign, words: new Set(words), beginnings };
}

/** Returns the words that a phrase can start with. */
const firstOf = ({ elements: [first] }: Phrase): readonly string[] => [...(first?.words ?? [])];

const matchesAt = (clause: Clause, at: number, { conditions, elements }: Phrase): boolean =>
  follows(clause, at, elements, 0) && conditions.every((condition) => holds(clause, at, condition));

function follows(clause: Clause, at: number, elements: readonly Element[], index: number): boolean {
  const element = elements[index];
  if (element === undefined) return true;
  const next = (place: number): boolean => follows(clause, place, elements, index + 1);
  if (element.sign === "word") {
    if (element.words.has("$") && isEnd(clause, at) && next(at)) return true;
    return isOneOf(element, clause[at]) && next(at + 1);
  }
  if (element.sign !== "_" && element.sign !== "~") return holds(clause, at, element) && next(at);
  const reach = element.sign === "~" ? 6 : 4;
  for (let place = at; place <= at + reach && place < clause.length; place += 1) {
    if (next(place)) return true;
    if (clause[place] === "," && element.sign === "_") return false;
  }
  return false;
}

function isOneOf({ words, beginnings }: Element, word: string | undefined): boolean {
  return (
    word !== undefined && (words.has(word) || beginnings.some((beginning) => word.startsWith(beginning)))
  );
}

function holds(clause: Clause, at: number, element: Element): boolean {
  if (element.sign === "$") return isEnd(clause, at);
  if (element.sign === "!") return isAbsent(element, clause.slice(at, at + REACH));
  const before = clause.slice(Math.max(0, at - REACH), at).reverse();
  if (element.sign === "^") return isBreak(before.find((word) => !COURTESY.has(word)));
  if (element.sign === "-")
    return !isOneOf(
      element,
      before.find((word) => !ADVERBS.has(word)),
    );
  return isAbsent(element, before);
}

function isAbsent(element: Element, part: Clause): boolean {
  const end = part.indexOf(",");
  return !part.slice(0, end < 0 ? part.length : end).some((word) => isOneOf(element, word));
}

function isEnd(clause: Clause, at: number): boolean {
  return isBreak(clause.slice(at, at + REACH).find((word) => !COURTESY.has(word)));
}

const isBreak = (word: string | undefined): boolean => word === undefined || word === ",";

/** The words of a clause. A `,` among the words marks the end of a part. */
type Clause = readonly string[];

const APOSTROPHES = /['’‘`´ʼ′＇]/gu;
/** Matches marks whose absence doesn't change a word, e.g. accents and Arabic vowel marks. */
// Vowel signs of Indic scripts aren't matched, because words differ by them.
const ACCENTS = /[\u0300-\u036f\u0640\u064b-\u0655]/gu;
const NEGATED =
  /(?<!\p{L})(do|does|did|is|are|was|were|should|must|need|could|would|wo|ca)(?: ?not|n ?'? ?t)(?!\p{L})/gu;

/** Converts a text to lower case without accents, and variants of a negation (`do not`, `don't`) into one form. */
const plain = (text: string): string =>
  text
    .replace(APOSTROPHES, "'")
    .toLowerCase()
    .normalize("NFD")
    .replace(ACCENTS, "")
    .normalize("NFKC")
    .replaceAll("ı", "i")
    .replace(NEGATED, "$1nt");

/** Splits a text, normalized by {@link plain}, into clauses. */
function clausesOf(text: string): readonly Clause[] {
  const clauses: string[][] = [[]];
  for (const [found] of text.matchAll(
    /[\p{L}\p{M}\p{N}]+|[.!?;\n…؟।。！？]|[,:()"“”„«»–—、，：،]|(?<!\p{L})-/gu,
  )) {
    if (/^[\p{L}\p{N}]/u.test(found)) clauses.at(-1)?.push(found);
    else if (/^[.!?;\n…؟।。！？]/u.test(found)) clauses.push([]);
    else clauses.at(-1)?.push(",");
  }
  return clauses;
}
