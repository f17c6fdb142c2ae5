export interface LineOptions {
  /** `"keep"` leaves links unchanged. By default, only the text and the host of a link remain. */
  readonly links?: "keep";
  /** Maximum length of the line, in UTF-16 units. */
  readonly maxLength: number;
}

/** How much of a text is read: this many times the maximum length of the line. */
const LOOKED_AT = 8;

/** Matches joiners (invisible characters) where they are needed: in some scripts and in composed emoji. */
// All other joiners are removed, because they could hide something.
const JOINED =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{sc=Arabic}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}][\ufe0f]?)[\u200c\u200d]/u;
const INVISIBLE = new RegExp(
  `(?!${JOINED.source})[\\p{Default_Ignorable_Code_Point}\\p{Cs}\\ufff9-\\ufffb]`,
  "gu",
);
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]+/u;
const SPACE = /[\s\p{Cc}]+/gu;
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;
/** Matches variants of ASCII letters: full-width, circled, mathematical. */
const DRESSED_LETTER = /[\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9\u{1d400}-\u{1d7cb}]/gu;

const LINE_START = /^(?:[-*+•‣⁃◦·●○■▪–—>#=~|]+(?=\s|$)|#+|`{3,}|~{3,}|>+|\s)+/u;
const HEADING = /#{2,}(?=\s|$)/gu;
const CODE_FENCE = /`{3,}|~{3,}/gu;
/**
 * Matches a possible markup tag, special token of a model (`<|end|>`), or byte in the notation of some models
 * (`<0x0A>`).
 */
const TAG = /[<＜]([|｜/!?]?[^<>＜＞\s\d=][^<>＜＞]{0,200}|0x[\da-f]{1,2})[>＞]/giu;
const BRACKET_TOKEN = /[[［](\/?\s*(?:[A-Z][A-Z_]{2,}|inst|sys|system(?:[ _]prompt)?))[\]］]/giu;
const ROLE =
  /(^|[.!?…;|"'`()\]}>*_。！？]\s*)((?:[*_`"'([{#]{1,8}\s*)?(?:system|assistant|user|human|developer|tool|function|model|ai|bot|instructions?)(?:\s(?:message|prompt|note))?[*_`"')\]}]*)\s*[:：﹕︓꞉∶]\s*/giu;

/**
 * Converts a fact into one line of plain text, without line breaks, invisible characters, bullets, chat roles
 * (`system:`) and special tokens of models. Returns `""` if nothing is left.
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

/** Replaces the angle brackets of possible markup tags and special tokens of models with round brackets. */
// Twice, because `<<SYS>>` is a tag within a tag.
const withoutTags = (line: string): string => line.replace(TAG, "($1)").replace(TAG, "($1)");

function cut(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  const head = line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "");
  const atWord = head.replace(/\s+\S*$/, "");
  return `${(atWord.length > head.length / 2 ? atWord : head).trimEnd()}…`;
}

/** How often the replacement of links is repeated for a text. */
// A link can contain another link.
const PASSES = 4;

const IMAGE = /!\[([^[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()]*)*(?:\s[^()]*)?\)|\[[^[\]]*\])/g;
const LINK = /\[([^[\]]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s[^()]*)?\)/g;
/** Matches a text like `"?leak=1` directly after an address such as `https://example.com/`. */
// Some parsers would take this text for the query of the address.
const QUERY_BEHIND = /(?:["'`|^{}()[\]][^\s<>?#:]{0,200}[?#][^\s<>"'`()[\]]*[\p{L}\p{N}][^\s<>"'`()[\]]*)?/u;
const WITHIN = "[^\\s<>\"'`|^{}()[\\]]";
/** Matches a URL. A backslash counts as a slash, as in browsers. */
const ADDRESS = new RegExp(
  String.raw`(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{1,20}:[/\\]{2}|//(?=[\w-]+\.|\[))(?:(?:${WITHIN}*@)?\[[^\s\]]{0,60}\]${WITHIN}*|${WITHIN}+)${QUERY_BEHIND.source}`,
  "giu",
);
const MAIL = /(?<![a-z0-9])mailto:([^\s<>"'`()[\]?]*)(?:\?[^\s<>"'`()[\]]*)?/giu;
/** Matches addresses that run code or contain data, e.g. `javascript:…`. */
const INLINE_ADDRESS = /(?<![a-z0-9])(?:javascript|vbscript|data|blob):[^\s<>"'`()[\]]+/giu;
const HOST_WITH_QUERY =
  /(?<![\w@.-])((?:(?:[\w-]+\.)+[a-z]{2,}|(?:(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:.]{2,45}\]|localhost)(?=[:/\\]))(?::\d{1,5})?(?:[/\\][^\s?#<>"'`()]*)?)[?#][^\s<>"'`()]*/giu;
const TRAILING = /[.,;:!?…。、！？|`]+$/u;

/**
 * Replaces links:
 *
 * - a Markdown image with its alternative text
 * - a Markdown link with its text and host
 * - a URL with its host and path
 * - a `mailto:` link with its recipient
 *
 * Removes credentials, query and fragment of all addresses, because these parts could leak data.
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

/** Returns host and path of an address. Returns `""` if the address has no host. */
function hostAndPathOf(address: string): string {
  const [, rest = ""] = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}(.*)$/iu.exec(address) ?? [];
  const [authorityAndPath = ""] = rest.split(/[?#]/);
  const [authority = "", ...path] = authorityAndPath.replaceAll("\\", "/").split("/");
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  return [host, ...path].join("/").replace(/\/+$/, "");
}
