import { describe, expect, it } from "vitest";
import { contentOf, contentOfPieces } from "../../../page/src/chat/content.ts";
import { unmarked } from "../../../page/src/ui/marks.ts";

const text = (words: string) => ({ type: "text", text: words }) as const;
const source = (id: string, url: string, ...ranges: readonly (readonly [number, number])[]) => ({
  ...{ type: "source", id, sourceType: "url", url, title: `Title ${id}` },
  ranges: ranges.map(([start, end]) => ({ start, end })),
});
/** The marked text as the page shows it: a mark as its number in brackets. */
const shown = (marked: string) => marked.replaceAll(/\u2009\uE000(\d+)\uE001/g, "[$1]");

describe("contentOf", () => {
  it("marks the sources of a text where they are cited", () => {
    const {
      text: plain,
      markedText,
      sources,
    } = contentOf({
      content: [
        text("It rains. It is cold."),
        source("s1", "https://a.example/rain", [0, 9]),
        source("s2", "https://b.example/", [10, 21], [0, 9]),
      ],
    });
    expect(plain).toBe("It rains. It is cold.");
    expect(shown(markedText)).toBe("It rains.[1][2] It is cold.[2]");
    expect(unmarked(markedText)).toBe(plain);
    expect(sources).toEqual([
      { number: 1, title: "Title s1", href: "https://a.example/rain", place: "a.example" },
      { number: 2, title: "Title s2", href: "https://b.example/", place: "b.example" },
    ]);
  });

  it("joins a text that goes on behind its sources, and numbers a source once", () => {
    const content = [
      text("It rains"),
      source("s1", "https://a.example", [0, 8]),
      text(" and it is cold."),
      source("s1", "https://a.example", [1, 16]),
    ];
    const { markedText, sources } = contentOf({ content });
    expect(shown(markedText)).toBe("It rains[1] and it is cold.[1]");
    expect(sources).toHaveLength(1);
    expect(contentOf({ content: [text("a"), text("b")] }).text).toBe("a\n\nb");
  });

  it.each([
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["mailto:ada@example.org", undefined],
    ["not an address", undefined],
    ["http://a.example", "http://a.example/"],
  ])("links only to the web: %s", (url, href) => {
    expect(contentOf({ content: [source("s1", url)] }).sources).toMatchObject([{ href, title: "Title s1" }]);
  });

  it("names documents, and takes odd sources and ranges", () => {
    const content = [
      text("Short."),
      { type: "source", id: "d1", sourceType: "document", filename: "report.pdf" },
      { type: "source", id: "d2", title: 7, ranges: [{ end: 99 }, { end: 2.5 }, { end: -1 }, null, "x"] },
      { type: "source", ranges: "everywhere" },
    ];
    const { markedText, sources } = contentOf({ content });
    expect(markedText).toBe("Short.");
    expect(sources.map(({ title, place }) => [title, place])).toEqual([
      ["report.pdf", undefined],
      ["A document", undefined],
      ["A document", undefined],
    ]);
  });

  it("marks neither the inside of a character nor the beginning of a line", () => {
    const words = "It rains 😀.\n- It is cold.";
    const content = [text(words), source("s1", "https://a.example", [0, 10], [0, 13])];
    expect(shown(contentOf({ content }).markedText)).toBe("It rains 😀[1].[1]\n- It is cold.");
  });

  it("marks a long text in many places at once", () => {
    const words = "word ".repeat(10_000);
    const ends = Array.from({ length: 10_000 }, (_, index) => [0, index * 5 + 4] as const);
    const content = [
      text(words),
      ...Array.from({ length: 30 }, (_, index) => source(`s${index}`, `https://a.example/${index}`, ...ends)),
    ];
    const began = performance.now();
    expect(contentOf({ content }).sources).toHaveLength(30);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("takes no mark that a text has itself", () => {
    const { markedText } = contentOf({
      content: [text("a\u2009\uE0001\uE001b"), source("s1", "https://a.example", [0, 5])],
    });
    expect(shown(markedText)).toBe("a\u2009\ufffd1\ufffd[1]b");
  });
});

it("contentOfPieces has what the message will have", () => {
  const said = [{ type: "reasoning", text: "Hm." }, text("It rains.")] as const;
  const cited = source("s1", "https://a.example", [0, 9]);
  const whole = contentOf({ content: [...said, cited] });
  expect(contentOfPieces([...said, { type: "part", part: cited }])).toEqual(whole);
  expect(whole.reasoning).toBe("Hm.");
});
