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

/** How often a link within a link is looked for. */
const PASSES = 4;

const IMAGE = /!\[([^[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()]*)*(?:\s[^()]*)?\)|\[[^[\]]*\])/g;
const LINK = /\[([^[\]]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s[^()]*)?\)/g;
/** Behind an address: what a reader may still take for its query, on the other side of a quotation mark or a bracket. */
const QUERY_BEHIND = /(?:["'`|^{}()[\]][^\s<>?#:]{0,200}[?#][^\s<>"'`()[\]]*[\p{L}\p{N}][^\s<>"'`()[\]]*)?/u;
const WITHIN = "[^\\s<>\"'`|^{}()[\\]]";
/** A backslash is a slash to browsers. */
const ADDRESS = new RegExp(
  String.raw`(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{1,20}:[/\\]{2}|//(?=[\w-]+\.|\[))(?:(?:${WITHIN}*@)?\[[^\s\]]{0,60}\]${WITHIN}*|${WITHIN}+)${QUERY_BEHIND.source}`,
  "giu",
);
const MAIL = /(?<![a-z0-9])mailto:([^\s<>"'`()[\]?]*)(?:\?[^\s<>"'`()[\]]*)?/giu;
/** What runs or holds data, whatever stands behind it. */
const INLINE_ADDRESS = /(?<![a-z0-9])(?:javascript|vbscript|data|blob):[^\s<>"'`()[\]]+/giu;
const HOST_WITH_QUERY =
  /(?<![\w@.-])((?:(?:[\w-]+\.)+[a-z]{2,}|(?:(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:.]{2,45}\]|localhost)(?=[:/\\]))(?::\d{1,5})?(?:[/\\][^\s?#<>"'`()]*)?)[?#][^\s<>"'`()]*/giu;
const TRAILING = /[.,;:!?…。、！？|`]+$/u;

/**
 * Nothing in the text leads anywhere any more: a markdown image becomes its alternative text, a markdown link its text and
 * the host, an address the host and path, one for mail whom it is for. What could carry data out (credentials, query,
 * fragment) is gone.
 */
function withoutLinks(text: string): string {
  let plain = text;
  for (let pass = 0; pass < PASSES; pass++) {
    const before = plain;
    plain = plain.replace(IMAGE, "$1").replace(LINK, (_, label: string, url: string) => labelled(label, url));
    if (plain === before) break;
  }
  return plain
    .replaceAll("](", "] (")
    .replaceAll("![", "! [")
    .replace(INLINE_ADDRESS, "(link)")
    .replace(MAIL, "$1")
    .replace(ADDRESS, displayedAddress)
    .replace(HOST_WITH_QUERY, "$1");
}

function labelled(label: string, url: string): string {
  const [host = ""] = hostAndPathOf(url).split("/");
  if (label.trim() === "") return host;
  return host === "" ? label : `${label} (${host})`;
}

function displayedAddress(address: string): string {
  const [trailing = ""] = TRAILING.exec(address) ?? [];
  return `${hostAndPathOf(address.slice(0, address.length - trailing.length))}${trailing}`;
}

/** Host and path, as far as there is a host. */
function hostAndPathOf(address: string): string {
  const [, rest = ""] = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}(.*)$/iu.exec(address) ?? [];
  const [authorityAndPath = ""] = rest.split(/[?#]/);
  const [authority = "", ...path] = authorityAndPath.replaceAll("\\", "/").split("/");
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return [host, ...path].join("/").replace(/\/+$/, "");
}
