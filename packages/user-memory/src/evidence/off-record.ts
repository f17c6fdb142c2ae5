import { PHRASES, SPACELESS } from "./off-record-lexicon.ts";

const PREFIX = 3;
// Made on first use, so that importing the package doesn't wait for it.
let phrasesByFirst: ReadonlyMap<string, readonly Phrase[]> | undefined;

/**
 * Whether the user asks in this message that something is not remembered, saved, noted or passed on: `don't add this to
 * memory`, `unter uns`. A generous check of fifteen languages that errs towards not keeping; it doesn't say what is meant.
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

/** Whether each element of the phrase has a word in the message: in most messages few phrases are left to look for. */
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

/** Of a lexicon: lines that name words, and phrases, in a line of their own or divided by ` ; `. */
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
 * A phrase is a line of elements: `save|saving` one of these words, `memor*` a word that begins so, `_` up to four words of the
 * same part of a clause, `~` up to six across commas, `^` and `$` the beginning and the end of a part, words of courtesy left
 * aside (also among words: `memory|$`). Conditions: `-i|we` no such word before, adverbs left aside; `--i|we` nowhere before in this part; `!not` nowhere
 * behind in it. A name as in `$keep` stands for the words that a line `keep = _` gives it. ` ; ` divides the phrases of a line.
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

/** What a phrase is found by: its first words, and those of them that are beginnings. */
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

/** Its words, and `,` where a part of it ends. */
type Clause = readonly string[];

const APOSTROPHES = /['’‘`´ʼ′＇]/gu;
/** Accents of letters; not the vowel signs of Indic scripts. */
const ACCENTS = /[\u0300-\u036f\u0640\u064b-\u0655]/gu;
const NEGATED =
  /(?<!\p{L})(do|does|did|is|are|was|were|should|must|need|could|would|wo|ca)(?: ?not|n ?'? ?t)(?!\p{L})/gu;

/** Lower case without accents, in one form of each sign. */
const plain = (text: string): string =>
  text
    .replace(APOSTROPHES, "'")
    .toLowerCase()
    .normalize("NFD")
    .replace(ACCENTS, "")
    .normalize("NFKC")
    .replaceAll("ı", "i")
    .replace(NEGATED, "$1nt");

/** The clauses of a plain text. */
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
