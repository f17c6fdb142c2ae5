import type { Clause } from "./clauses.ts";

/**
 * A phrase is a line of elements: `save|saving` one of these words, `memor*` a word that begins so, `_` up to four words of the
 * same part of a clause, `~` up to six across commas, `^` and `$` the beginning and the end of a part, words of courtesy left
 * aside (also among words: `memory|$`). Conditions: `-i|we` no such word before, adverbs left aside; `--i|we` nowhere before in this part; `!not` nowhere
 * behind in it. A name as in `$keep` stands for the words that a line `keep = _` gives it. ` ; ` divides the phrases of a line.
 */
export interface Phrase {
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

export function parsePhrase(line: string): Phrase {
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
export const firstOf = ({ elements: [first] }: Phrase): readonly string[] => [...(first?.words ?? [])];

export const matchesAt = (clause: Clause, at: number, { conditions, elements }: Phrase): boolean =>
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
