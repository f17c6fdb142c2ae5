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
export function withoutLinks(text: string): string {
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
    .replace(ADDRESS, shown)
    .replace(HOST_WITH_QUERY, "$1");
}

function labelled(label: string, url: string): string {
  const [host = ""] = hostAndPathOf(url).split("/");
  if (label.trim() === "") return host;
  return host === "" ? label : `${label} (${host})`;
}

function shown(address: string): string {
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
