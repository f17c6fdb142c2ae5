/** Characters between the letters of a tag that a reader of the tag may ignore. */
const IGNORED_IN_A_TAG =
  /^[\s\p{Control}\p{Default_Ignorable_Code_Point}\p{Mark}\p{Dash_Punctuation}/\\_.|\u2044\u2215\u29f8]$/u;
const LETTER = /^[a-z]$/;
/** Matches signs that look like `<` but don't become `<` by normalisation (e.g. quotation marks, brackets). */
const ANGLE = /^[<\u00ab\u2039\u3008\u300a\u27e8\u27ea\u276e\u2770\u29fc\u02c2\u1438]$/u;
/**
 * Matches everything that may be read as `<`: signs that look like it, characters that normalisation converts into it,
 * and the beginnings of its escapes.
 */
const MAY_HOLD_A_BRACKET =
  // Few texts contain any of these characters.
  /[<&\\%\u00ab\u02c2\u1438\u2039\u226e\u2329\u276e\u2770\u27e8\u27ea\u29fc\u3008\u300a\ufe3d\ufe3f\ufe64\uff1c\u{e003c}]/u;
/** Matches invisible copies of ASCII characters. A model may read them as these ASCII characters. */
const TAG_CHARACTER = /^[\u{e0020}-\u{e007e}]$/u;
const TAG_OFFSET = 0xe0000;
const HAS_TAG_CHARACTER = /[\u{e0020}-\u{e007e}]|#x0*e00[2-7]|#0*917[56]/iu;

/**
 * Matches one character, plain or escaped: as in HTML (`&lt;`), as in a string literal (`\u003c`) or as in a URL
 * (`%3C`).
 */
const PIECES =
  // Escapes of HTML can be nested any number of times (`&amp;lt;`).
  /&(?:amp;|#0*38;|#x0*26;)*(?:#x(?<hex>[0-9a-f]+);?|#(?<decimal>[0-9]+);?|(?<less>lt);?|(?<other>[a-z]+);)|(?<escaped>\\u003c|\\u\{3c\}|\\x3c|%3c)|[\s\S]/giu;

interface Sign {
  /** `<`, a letter from a to z, `:`, or `.` for a character that can't be in a tag. */
  readonly sign: string;
  /** The index in the text at which the character or its escape begins. */
  readonly start: number;
  readonly end: number;
}

/** Matches a valid tag: letters with single hyphens between them. */
const TAG = /^[a-z]+(?:-[a-z]+)*$/;

/**
 * Wraps an untrusted text in an opening and a closing tag for a prompt. Each tag is on its own line. If the text itself
 * contains something that can be read as one of these tags, the angle bracket of this forged tag is replaced by a round
 * bracket. All other text stays unchanged.
 *
 * Forged tags are also found if they have capitals, spaces, invisible, accented or full-width characters, prefixes,
 * escapes, or Greek, Cyrillic or phonetic letters that look Latin. No list of similar characters is complete: a forged
 * tag becomes harder, not impossible.
 *
 * `tag` may contain letters from a to z and single hyphens between them (e.g. `"user-memory"`). Throws a `TypeError`
 * for any other tag.
 */
export function wrapInTag(tag: string, text: string): string {
  if (!TAG.test(tag))
    throw new TypeError("Invalid tag: expected lower-case letters and single hyphens between them.");
  return `<${tag}>\n${withoutTag(tag, text)}\n</${tag}>`;
}

function withoutTag(tag: string, text: string): string {
  if (!MAY_HOLD_A_BRACKET.test(text)) return text;
  // First read the text without the invisible characters, then with the ASCII characters of which they are copies.
  const shown = withoutBrackets(tag, text, (character) => character);
  return HAS_TAG_CHARACTER.test(shown) ? withoutBrackets(tag, shown, plainOf) : shown;
}

const plainOf = (character: string): string =>
  TAG_CHARACTER.test(character)
    ? String.fromCodePoint((character.codePointAt(0) ?? 0) - TAG_OFFSET)
    : character;

function withoutBrackets(tag: string, text: string, read: (character: string) => string): string {
  const signs = signsOf(text, read);
  const seen = signs.map(({ sign }) => sign).join("");
  let safe = "";
  let done = 0;
  for (const { index, 0: brackets } of seen.matchAll(openingOf(tag))) {
    for (const { start, end } of signs.slice(index, index + brackets.length)) {
      safe += `${text.slice(done, start)}(`;
      done = Math.max(done, end);
    }
  }
  return safe + text.slice(done);
}

/** Returns a pattern that matches the brackets before the name of the tag. */
function openingOf(tag: string): RegExp {
  // If several brackets follow one another, it only matches from the first one: a match from each bracket would take
  // quadratic time.
  const letters = tag.replaceAll("-", "");
  return new RegExp(`(?<!<)<+(?=(?:[a-z]{0,32}:+)?${[...letters].join(":*")})`, "g");
}

/** Returns the signs of the text as a lenient parser of tags would read them. */
function signsOf(text: string, read: (character: string) => string): readonly Sign[] {
  const signs: Sign[] = [];
  for (const { 0: piece, index, groups = {} } of text.matchAll(PIECES)) {
    for (const part of read(characterOf(piece, groups)).normalize("NFKD").toLowerCase()) {
      const sign = signOf(letterOf(part));
      // Several characters in a row that can't be in a tag become one sign.
      if (sign === "" || (sign === "." && signs.at(-1)?.sign === ".")) continue;
      signs.push({ sign, start: index, end: index + piece.length });
    }
  }
  return signs;
}

/** Returns the character that a matched escape stands for, or `""` if it stands for none. */
function characterOf(piece: string, groups: Readonly<Record<string, string | undefined>>): string {
  // Of the named entities, only `&lt;` is known.
  const { hex, decimal, less, other, escaped } = groups;
  if (less !== undefined || escaped !== undefined) return "<";
  if (other !== undefined) return "";
  if (hex === undefined && decimal === undefined) return piece;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function signOf(character: string): string {
  if (LETTER.test(character) || character === ":") return character;
  if (ANGLE.test(character)) return "<";
  return IGNORED_IN_A_TAG.test(character) ? "" : ".";
}

/** For each letter: Cyrillic, Greek, Armenian, Latin and phonetic letters that look like it. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "\u0430\u03b1\u0251\u1d00",
  b: "\u044c\u0185\u0299",
  c: "\u0441\u03f2\u1d04",
  d: "\u0501\u0257\u1d05",
  e: "\u0435\u04bd\u1d07",
  f: "\u0493\u0192\ua730",
  g: "\u0261\u0581\u0262",
  h: "\u04bb\u0570\u043d\u029c",
  i: "\u0456\u03b9\u0131\u026a\u04cf",
  j: "\u0458\u03f3\u1d0a",
  k: "\u043a\u03ba\u1d0b",
  l: "\u0142\u029f",
  m: "\u043c\u1d0d",
  n: "\u0578\u043f\u0274",
  o: "\u043e\u03bf\u0585\u1d0f",
  p: "\u0440\u03c1\u1d18",
  q: "\u051b\u0566",
  r: "\u0433\u0280",
  s: "\u0455\ua731",
  t: "\u0442\u03c4\u1d1b",
  u: "\u03c5\u057d\u1d1c",
  v: "\u03bd\u0475\u1d20",
  w: "\u051d\u0461\u03c9\u1d21",
  x: "\u0445\u03c7",
  y: "\u0443\u03b3\u028f",
  z: "\u0290\u1d22",
};

const letters: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, alikes]) => [...alikes].map((alike) => [alike, letter])),
);

/** Returns the letter from a to z that a lower-case character looks like, otherwise the character itself. */
const letterOf = (character: string): string => letters.get(character) ?? character;
