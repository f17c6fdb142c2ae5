import type { ComponentChildren, VNode } from "preact";
import { describe, expect, it } from "vitest";
import { markdownOf, safeHref } from "../../../page/src/ui/markdown.ts";
import { marked } from "../../../page/src/ui/marks.ts";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const isElement = (node: ComponentChildren): node is VNode =>
  typeof node === "object" && node !== null && "props" in node;

/** The elements and texts for the browser. */
function flatten(node: ComponentChildren, into: { elements: Element[]; text: string[] }): void {
  if (Array.isArray(node)) for (const child of node as readonly ComponentChildren[]) flatten(child, into);
  else if (isElement(node)) {
    const { children, ...attributes } = node.props as Readonly<Record<string, unknown>>;
    if (typeof node.type === "string") into.elements.push({ name: node.type, attributes });
    flatten(children as ComponentChildren, into);
  } else if (node !== null && node !== undefined && typeof node !== "boolean") into.text.push(String(node));
}

function shown(text: string) {
  const into = { elements: [] as Element[], text: [] as string[] };
  flatten(markdownOf(text), into);
  return { elements: into.elements, text: into.text.join("") };
}

const ALLOWED: ReadonlySet<string> = new Set(
  "p h3 h4 h5 h6 pre code blockquote hr ol ul li div table thead tbody tr th td strong em del br a".split(
    " ",
  ),
);
const ATTRIBUTES: ReadonlySet<string> = new Set([
  "class",
  "href",
  "target",
  "rel",
  "start",
  "tabIndex",
  "data-align",
]);

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "<iframe src='https://evil.example'></iframe>",
  "text <b onmouseover=alert(1)>bold</b> text",
  "<style>@import 'https://evil.example/x.css'</style>",
  "<a href='javascript:alert(1)'>x</a>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](&#x6A;avascript&colon;alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:msgbox(1))",
  "[x](file:///etc/passwd)",
  "[x](//evil.example)",
  "[x](/api/conversations)",
  "[x](#/facts)",
  "<javascript:alert(1)>",
  "![x](javascript:alert(1))",
  "![](https://evil.example/pixel.gif?secret)",
  "![x][r]\n\n[r]: https://evil.example/pixel.gif",
  "[x][r]\n\n[r]: javascript:alert(1)",
  '[x](https://e.example "onmouseover=alert(1)")',
  '[x](https://e.example" onclick="alert(1))',
  "| <img src=x onerror=alert(1)> |\n| --- |\n| [x](javascript:alert(1)) |",
  "- <details open ontoggle=alert(1)>\n- [ ] <input autofocus onfocus=alert(1)>",
  "```html\n<script>alert(1)</script>\n```",
  '```"><script>alert(1)</script>\nx\n```',
  "`<script>alert(1)</script>`",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "<!-- --><script>alert(1)</script>",
  "<![CDATA[<script>alert(1)</script>]]>",
  "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
  `${"[".repeat(300)}x${"](javascript:1)".repeat(300)}`,
  `${"> ".repeat(500)}deep`,
  `${"*".repeat(1_000)}x`,
  "__proto__ constructor [__proto__]: javascript:alert(1)",
] as const;

describe("untrusted Markdown", () => {
  it.each(HOSTILE)("produces nothing that runs or fetches: %j", (text) => {
    for (const { name, attributes } of shown(text).elements) {
      expect(ALLOWED).toContain(name);
      expect(Object.keys(attributes).filter((attribute) => !ATTRIBUTES.has(attribute))).toEqual([]);
      if (name === "a") {
        expect(attributes["href"]).toMatch(/^(https?|mailto):/);
        expect(attributes).toMatchObject({ target: "_blank", rel: "noopener noreferrer" });
      }
    }
  });

  it("shows HTML as text", () => {
    expect(shown("<script>alert(1)</script>").text).toContain("<script>alert(1)</script>");
    expect(shown("a <b>c</b> d").text).toBe("a <b>c</b> d");
    expect(shown("&lt;b&gt; &amp; &#65;").text).toBe("<b> & A");
  });

  it("turns an image into a link", () => {
    expect(shown("![a cat](https://e.example/cat.png)")).toEqual({
      elements: [
        { name: "p", attributes: {} },
        {
          name: "a",
          attributes: { href: "https://e.example/cat.png", target: "_blank", rel: "noopener noreferrer" },
        },
      ],
      text: "Image: a cat",
    });
  });

  it("keeps the text of an unsafe link", () => {
    expect(shown("[read this](javascript:alert(1))")).toMatchObject({ text: "read this" });
  });

  it("produces all Markdown elements", () => {
    const text =
      "# T\n\n**b** *i* ~~d~~ `c`\n\n1. x\n\n- y\n\n> q\n\n---\n\n| a |\n| -: |\n| 1 |\n\nhttps://e.example";
    expect(new Set(shown(text).elements.map(({ name }) => name))).toEqual(
      new Set("h3 p strong em del code ol li ul blockquote hr div table thead tr th tbody td a".split(" ")),
    );
  });

  it("accepts a text cut at any length, as in a stream", () => {
    const text =
      "Hello **world**\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n| - | - |\n| [x](https://e.example) | ![y](z) |";
    for (let length = 0; length <= text.length; length += 1)
      expect(() => shown(text.slice(0, length))).not.toThrow();
  });
});

describe("safeHref", () => {
  it.each(["https://e.example/a?b#c", "http://e.example/", "mailto:a@e.example"])("accepts %s", (href) => {
    expect(safeHref(href)).toBe(href);
  });
  it.each([
    "javascript:alert(1)",
    " javascript:alert(1)",
    "relative",
    "/absolute",
    "//host",
    "data:,x",
    "blob:x",
    "",
  ])("refuses %j", (href) => {
    expect(safeHref(href)).toBeUndefined();
  });
});

describe("markdownOf with marks", () => {
  const at = (text: string, ...ends: readonly number[]) =>
    shown(
      marked(
        text,
        ends.map((end, index) => ({ at: end, number: index + 1 })),
      ),
    );

  it("shows them as small numbers, also in other elements", () => {
    const { elements, text } = at("It **rains.** Now.", 13, 18);
    expect(elements.filter(({ name }) => name === "sup")).toHaveLength(2);
    expect(elements.some(({ name }) => name === "strong")).toBe(true);
    expect(text).toBe("It rains.1 Now.2");
  });

  it("ends addresses before them, and leaves them out of code", () => {
    const { elements, text } = at("See https://a.example/x and `a b`", 23, 30);
    expect(elements.find(({ name }) => name === "a")?.attributes).toMatchObject({
      href: "https://a.example/x",
    });
    expect(text).toBe("See https://a.example/x1 and a b");
  });
});
