import { isKnownKey } from "./known-keys.ts";
import {
  alphanumeric,
  type CharacterSet,
  characterSet,
  digit,
  lower,
  not,
  type Reader,
  upper,
} from "./reader.ts";
import { isRemark, isScheme, isSecretName } from "./secret-names.ts";

/** From its first character to after its last. */
export type Span = readonly [from: number, end: number];

const SPACE = " \t\r\n";
const QUOTES = "\"'`";
const space = characterSet(SPACE);
const quote = characterSet(QUOTES);
const backslash = characterSet("\\");
const quoteOrBackslash = characterSet(`${QUOTES}\\`);
/** Names, keys, tokens and paths are made of these; a value after a name may hold more. */
const inWord = characterSet("_-.~+/@%");
const word: CharacterSet = (code) => alphanumeric(code) || inWord(code);
const value = not(characterSet(`${SPACE}${QUOTES},;&)}]<>|`));
const url = not(characterSet(`${SPACE}${QUOTES}<>`));
const pathSeparator = characterSet("/@%");
const authorityEnd = characterSet("/?#");

const LONGEST_QUOTED = 1_024;
const LONGEST_GAP = 4;
const SHORTEST_KEY = 16;

/** In order, without overlaps. Looks at each character a bounded number of times. */
export function findSecrets(reader: Reader): readonly Span[] {
  const found = [...keyBlocks(reader), ...passwordsOfUrls(reader), ...wordsOf(reader)];
  found.sort(([a], [b]) => a - b);
  const joined: Span[] = [];
  for (const span of found) {
    const last = joined.at(-1);
    if (last === undefined || span[0] >= last[1]) joined.push(span);
    else joined[joined.length - 1] = [last[0], Math.max(last[1], span[1])];
  }
  return joined;
}

const BLOCK_BEGINS = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

/** Private keys in PEM; one that is cut off reaches to the end. */
function* keyBlocks(reader: Reader): Generator<Span> {
  const { text } = reader;
  for (let at = reader.find("-----BEGIN", 0); at !== -1; at = reader.find("-----BEGIN", at)) {
    const header = reader.slice(at, at + 80);
    const begins = BLOCK_BEGINS.exec(header);
    if (begins === null) {
      at += 10;
      continue;
    }
    const from = at + begins[0].length;
    const end = reader.find("-----END", from);
    yield [from, end === -1 ? text.length : end];
    if (end === -1) return;
    at = end;
  }
}

/** `scheme://user:password@host`. A password may hold characters that should have been escaped. */
function* passwordsOfUrls(reader: Reader): Generator<Span> {
  const { text } = reader;
  for (let scheme = reader.find("://", 0); scheme !== -1; ) {
    const from = scheme + 3;
    const next = reader.find("://", from);
    const part = reader.slice(from, reader.runEnd(from, url, next === -1 ? text.length : next));
    const colon = part.indexOf(":");
    const at = part.lastIndexOf("@", passwordLimit(part, colon));
    if (colon !== -1 && at > colon + 1) yield [from + colon + 1, from + at];
    scheme = next;
  }
}

/** Up to where an `@` may end a password: the authority, unless that has a port which is no number. */
function passwordLimit(part: string, colon: number): number {
  let end = 0;
  while (end < part.length && !authorityEnd(part.charCodeAt(end))) end++;
  const host = part.slice(0, end);
  const isOfPassword =
    colon !== -1 && colon < end && !host.includes("@") && !/^\d*$/.test(host.slice(colon + 1));
  return isOfPassword ? part.length : end;
}

/** Values after the name of a secret, and words that look like secrets by themselves. */
function* wordsOf(reader: Reader): Generator<Span> {
  const { text } = reader;
  for (let at = 0; at < text.length; ) {
    const from = reader.runEnd(at, not(word));
    const end = reader.runEnd(from, word);
    at = end;
    const name = end - from <= 80 ? reader.slice(from, end) : "";
    const named = namedValue(reader, end, name);
    if (named !== undefined) {
      yield named;
      at = named[1];
    } else if (end - from >= SHORTEST_KEY) {
      yield* keysIn(reader, from, end);
    }
  }
}

/** A key, or a path or an address that holds some. */
function* keysIn(reader: Reader, from: number, end: number): Generator<Span> {
  let isFound = false;
  for (let at = from; at < end; ) {
    const next = reader.runEnd(at, not(pathSeparator), end);
    const part = next - at < SHORTEST_KEY ? "" : reader.slice(at, next);
    if (isKnownKey(part) || looksRandom(part)) {
      isFound = true;
      yield [at, next];
    }
    at = next + 1;
  }
  // In base64 there are slashes, too.
  if (!isFound && looksRandom(reader.slice(from, end))) yield [from, end];
}

/** What a name that ends there is followed by, where that is secret. */
function namedValue(reader: Reader, nameEnd: number, name: string): Span | undefined {
  if (name === "") return undefined;
  const { text } = reader;
  if (isScheme(name)) {
    const from = reader.runEnd(nameEnd, space, nameEnd + LONGEST_GAP);
    const end = from === nameEnd ? from : reader.runEnd(from, value);
    if (isOpaque(reader.slice(from, end), 8)) return [from, end];
  }
  // The user of a URL is none.
  if (name.startsWith("//") || !isSecretName(name)) return undefined;
  const quoted = reader.runEnd(nameEnd, quoteOrBackslash, nameEnd + 2);
  const sign = reader.runEnd(quoted, space, quoted + LONGEST_GAP);
  const operator = text[sign];
  const isOption = name.startsWith("-") && sign > nameEnd && operator !== "=" && operator !== ":";
  if (!isOption && operator !== "=" && operator !== ":") return undefined;
  const behind = isOption ? sign : sign + (text[sign + 1] === ">" ? 2 : 1);
  const from = reader.runEnd(behind, space, behind + LONGEST_GAP);
  const isQuoted = quote(text.charCodeAt(from));
  const isPlain = operator === "=" && (isQuoted || (sign === nameEnd && from === behind));
  return valueAt(reader, from, { isCertain: isPlain || isOption });
}

/** `isCertain`: it is the value, and nothing that is said of it. */
function valueAt(
  reader: Reader,
  from: number,
  { isCertain }: { readonly isCertain: boolean },
): Span | undefined {
  const { text } = reader;
  // In JSON that is a text within JSON, quotes are escaped.
  const mark = reader.runEnd(from, backslash, from + 1);
  const isQuoted = quote(text.charCodeAt(mark));
  const closing = isQuoted ? reader.find(text.charAt(mark), mark + 1, mark + 1 + LONGEST_QUOTED) : -1;
  if (closing !== -1) {
    const end = mark > from && text[closing - 1] === "\\" ? closing - 1 : closing;
    const inside = reader.slice(mark + 1, end);
    const isSaidOf = !isCertain && (/\s/.test(inside) || isRemark(inside));
    return inside === "" || isSaidOf ? undefined : [mark + 1, end];
  }
  const first = isQuoted ? mark + 1 : from;
  const end = reader.runEnd(first, value);
  const given = reader.slice(first, end);
  if (given === "" || isScheme(given)) return undefined;
  return isCertain || isOpaque(given, 4) ? [first, end] : undefined;
}

/** Whether it is more than a word of prose. */
const isOpaque = (given: string, shortest: number): boolean =>
  given.length >= shortest && (given.length >= 24 || /[^a-z.:!?]/i.test(given));

const SHORTEST = 32;
/** Of what is random, words, capitals and numbers follow each other within fewer characters than in any name. */
const LONGEST_PART = 3.5;
const FEWEST_CHARACTERS = 10;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

type Kind = "lower" | "upper" | "digit" | "other";

const kindOf = (code: number): Kind => {
  if (lower(code)) return "lower";
  if (upper(code)) return "upper";
  return digit(code) ? "digit" : "other";
};

/**
 * Whether a text is as long and as irregular as a random token: it has letters and digits, and its words (also those of
 * `camelCase`), capitals and numbers are short. A UUID isn't meant: it names something.
 */
function looksRandom(text: string): boolean {
  if (text.length < SHORTEST) return false;
  let parts = 0;
  let counted = 0;
  let before: Kind = "other";
  const kinds = new Set<Kind>();
  const characters = new Set<number>();
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const kind = kindOf(code);
    if (kind !== "other") {
      counted += 1;
      kinds.add(kind);
      characters.add(code);
      // A capital and the small letters behind it are one word.
      if (kind !== before && !(kind === "lower" && before === "upper")) parts += 1;
    }
    before = kind;
  }
  const isMixed = kinds.has("digit") && kinds.size > 1 && characters.size >= FEWEST_CHARACTERS;
  return isMixed && counted >= SHORTEST && counted / parts <= LONGEST_PART && !UUID.test(text);
}
