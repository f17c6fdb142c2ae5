import { withoutLinks } from "./links.ts";

export interface LineOptions {
  /** `"keep"`: links stay as they are. Default: text and host stay. */
  readonly links?: "keep";
  /** In UTF-16 units. */
  readonly maxLength: number;
}

/** Of a longer text, this many times the length of a line is looked at. */
const LOOKED_AT = 8;

/** These scripts, and pictures that are put together, need joiners; between other letters they only hide something. */
const JOINED =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{sc=Arabic}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}][\ufe0f]?)[\u200c\u200d]/u;
const INVISIBLE = new RegExp(
  `(?!${JOINED.source})[\\p{Default_Ignorable_Code_Point}\\p{Cs}\\ufff9-\\ufffb]`,
  "gu",
);
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]+/u;
const SPACE = /[\s\p{Cc}]+/gu;
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;
/** Letters of ASCII in another dress: full-width, circled, mathematical. */
const DRESSED_LETTER = /[\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9\u{1d400}-\u{1d7cb}]/gu;

const LINE_START = /^(?:[-*+•‣⁃◦·●○■▪–—>#=~|]+(?=\s|$)|#+|`{3,}|~{3,}|>+|\s)+/u;
const HEADING = /#{2,}(?=\s|$)/gu;
const CODE_FENCE = /`{3,}|~{3,}/gu;
/** What could be a tag, a token, or a byte as some vocabularies write it. */
const TAG = /[<＜]([|｜/!?]?[^<>＜＞\s\d=][^<>＜＞]{0,200}|0x[\da-f]{1,2})[>＞]/giu;
const BRACKET_TOKEN = /[[［](\/?\s*(?:[A-Z][A-Z_]{2,}|inst|sys|system(?:[ _]prompt)?))[\]］]/giu;
const ROLE =
  /(^|[.!?…;|"'`()\]}>*_。！？]\s*)((?:[*_`"'([{#]{1,8}\s*)?(?:system|assistant|user|human|developer|tool|function|model|ai|bot|instructions?)(?:\s(?:message|prompt|note))?[*_`"')\]}]*)\s*[:：﹕︓꞉∶]\s*/giu;

/**
 * A fact as one line that is nothing but text: no line break, nothing invisible, no bullet, role or chat-template token of
 * its own. `""` where nothing is left.
 */
export function lineOf(text: string, { links, maxLength }: LineOptions): string {
  const visible = text
    .slice(0, LOOKED_AT * maxLength)
    .replace(INVISIBLE, "")
    .replace(DRESSED_LETTER, (letter) => letter.normalize("NFKC"))
    .replace(PILED_MARKS, "$1");
  const lines = visible
    .split(LINE_BREAK)
    .map((line) => lineStart(links === "keep" ? line : withoutLinks(line)));
  const line = lineStart(lines.join(" ").replace(SPACE, " ").trim());
  return cut(line.trim(), maxLength);
}

function lineStart(line: string): string {
  const plain = withoutTags(line.replace(HEADING, "").replace(CODE_FENCE, "`"))
    .replace(BRACKET_TOKEN, (token, name: string) =>
      name === name.toUpperCase() || /^\/?\s*(?:inst|sys)/i.test(name) ? `(${name})` : token,
    )
    .replace(LINE_START, "");
  return plain.replace(ROLE, "$1$2 - ");
}

/** What could be a tag or a token gets round brackets, twice for `<<SYS>>`. */
const withoutTags = (line: string): string => line.replace(TAG, "($1)").replace(TAG, "($1)");

function cut(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  const head = line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "");
  const atWord = head.replace(/\s+\S*$/, "");
  return `${(atWord.length > head.length / 2 ? atWord : head).trimEnd()}…`;
}
