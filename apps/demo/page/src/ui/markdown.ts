import { lexer, type Token, type Tokens } from "marked";
import { type ComponentChildren, Fragment, h, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import { splitAtMarks, unmarked } from "./marks.ts";

const MAX_DEPTH = 40;

/** Shows Markdown; see `markdownOf`. Marks (`marked`) become small numbers. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const shown = useMemo(() => markdownOf(text), [text]);
  return h("div", { class: "markdown" }, shown) as VNode;
}

/**
 * Converts Markdown to elements, without creating or parsing HTML. HTML is shown as text, images become links, and only http,
 * https and mailto links are links. So nothing that a model or page wrote can run or be fetched.
 */
export function markdownOf(text: string): VNode {
  try {
    return h(Fragment, null, blocks(lexer(text, { gfm: true, breaks: true }), 0));
  } catch {
    return h("p", null, unmarked(text)); // Nested too deeply for the parser.
  }
}

const blocks = (tokens: readonly Token[], depth: number): ComponentChildren[] =>
  depth > MAX_DEPTH
    ? [unmarked(tokens.map(({ raw }) => raw).join(""))]
    : tokens.map((token) => block(token, depth + 1));

function block(token: Token, depth: number): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const { depth: level, tokens } = token as Tokens.Heading;
      // The page uses the first two levels itself.
      return h(`h${Math.min(6, level + 2)}`, null, spans(tokens, depth));
    }
    case "paragraph":
      return h("p", null, spans((token as Tokens.Paragraph).tokens, depth));
    case "code": {
      const { text } = token as Tokens.Code;
      return h("pre", null, h("code", null, unmarked(text)));
    }
    case "blockquote":
      return h("blockquote", null, blocks((token as Tokens.Blockquote).tokens, depth));
    case "hr":
      return h("hr", null);
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const listed = items.map((item) => listItem(item, depth));
      return ordered
        ? h("ol", typeof start === "number" && start !== 1 ? { start } : null, listed)
        : h("ul", null, listed);
    }
    case "table":
      return table(token as Tokens.Table, depth);
    case "html":
      return h("p", { class: "as-is" }, unmarked(token.raw.trim()));
    default:
      return span(token, depth);
  }
}

function listItem({ task, checked, tokens }: Tokens.ListItem, depth: number): VNode {
  const mark = task ? (checked === true ? "☑ " : "☐ ") : null;
  const content = tokens.filter(({ type }) => type !== "checkbox");
  return h("li", null, mark, blocks(content, depth));
}

function table({ header, rows }: Tokens.Table, depth: number): ComponentChildren {
  const row = (name: string, cells: readonly Tokens.TableCell[]) =>
    h(
      "tr",
      null,
      cells.map(({ tokens, align }) =>
        h(name, align === null ? null : { "data-align": align }, spans(tokens, depth)),
      ),
    );
  return h(
    "div",
    { class: "table", tabIndex: 0 },
    h(
      "table",
      null,
      h("thead", null, row("th", header)),
      h(
        "tbody",
        null,
        rows.map((cells) => row("td", cells)),
      ),
    ),
  );
}

const spans = (tokens: readonly Token[], depth: number): ComponentChildren[] =>
  depth > MAX_DEPTH
    ? [unmarked(tokens.map(({ raw }) => raw).join(""))]
    : tokens.map((token) => span(token, depth + 1));

function span(token: Token, depth: number): ComponentChildren {
  switch (token.type) {
    case "text": {
      const { text, tokens } = token as Tokens.Text;
      return tokens === undefined ? withMarks(text) : spans(tokens, depth);
    }
    case "escape":
      return (token as Tokens.Escape).text;
    case "strong":
      return h("strong", null, spans((token as Tokens.Strong).tokens, depth));
    case "em":
      return h("em", null, spans((token as Tokens.Em).tokens, depth));
    case "del":
      return h("del", null, spans((token as Tokens.Del).tokens, depth));
    case "codespan":
      return h("code", null, unmarked((token as Tokens.Codespan).text));
    case "br":
      return h("br", null);
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      return link(href, spans(tokens, depth));
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      return link(href, `Image: ${decodeEntities(text) || href}`);
    }
    default:
      return unmarked(token.raw); // HTML, and tokens of later versions.
  }
}

const withMarks = (text: string): ComponentChildren =>
  splitAtMarks(text).map((piece) =>
    typeof piece === "number" ? h("sup", { class: "mark" }, piece) : decodeEntities(piece),
  );

function link(address: string, content: ComponentChildren): ComponentChildren {
  const href = safeHref(decodeEntities(unmarked(address)));
  if (href === undefined) return h(Fragment, null, content);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, content);
}

const PROTOCOLS: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/**
 * Returns the URL of a link in untrusted text if it is absolute and can't run code. `undefined`: the link is shown as text.
 */
export function safeHref(href: string): string | undefined {
  try {
    const url = new URL(href);
    return PROTOCOLS.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined; // A relative URL would lead into this page.
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** Decodes character references, because the text is never parsed as HTML. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{2,6}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name as string] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
