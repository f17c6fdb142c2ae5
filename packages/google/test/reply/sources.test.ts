import type { ContentPart, SourcePart } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type AnswerText, withSources } from "../../src/reply/sources.ts";

const page = { web: { uri: "https://a.example/", title: "A" } };

/** The sources behind the text parts, by the texts of these, with the cited words. */
function cited(texts: readonly AnswerText[], metadata: object) {
  const places = new Map<number, string>();
  for (const { text, place } of texts) places.set(place, (places.get(place) ?? "") + text);
  const parts = Array.from(
    { length: Math.max(...places.keys(), 0) + 1 },
    (_, place): ContentPart => ({ type: "text", text: places.get(place) ?? "" }),
  );
  let said = "";
  return withSources(parts, texts, metadata as never).flatMap((part) => {
    if (part.type !== "source") said = String(part["text"]);
    const { url, title, ranges = [] } = part as SourcePart;
    return part.type === "source"
      ? [[url ?? title, said, ranges.map(({ start, end }) => said.slice(start, end))]]
      : [];
  });
}

const grounding = (segment: object, chunks: readonly object[] = [page]) => ({
  groundingMetadata: {
    groundingChunks: chunks,
    groundingSupports: [{ segment, groundingChunkIndices: [0] }],
  },
});
const bytes = (text: string): number => new TextEncoder().encode(text).length;
const whole = (text: string): readonly AnswerText[] => [{ text, index: 0, place: 0 }];

describe("the place of a source", () => {
  it.each([
    ["ASCII", "See this.", "this"],
    ["behind an emoji and umlauts", "Grüße 🌍 aus Köln.", "aus Köln"],
    ["the whole text", "Grüße 🌍", "Grüße 🌍"],
  ])("is in UTF-16 for bytes: %s", (_, answer, words) => {
    const startIndex = bytes(answer.slice(0, answer.indexOf(words)));
    const segment = { startIndex, endIndex: startIndex + bytes(words), text: words };
    expect(cited(whole(answer), grounding(segment))).toEqual([["https://a.example/", answer, [words]]]);
  });

  it("is in the part that Gemini names", () => {
    const texts = [
      { text: "Same.", index: 1, place: 0 },
      { text: "Same.", index: 3, place: 1 },
    ];
    const segment = { partIndex: 3, startIndex: 0, endIndex: 4, text: "Same" };
    expect(cited(texts, grounding(segment))).toHaveLength(1);
    const parts = [
      { type: "text", text: "Same." },
      { type: "text", text: "Same." },
    ];
    expect(withSources(parts, texts, grounding(segment)).map(({ type }) => type)).toEqual([
      "text",
      "text",
      "source",
    ]);
  });

  it("is counted over all texts where a stream has cut them", () => {
    const answer = "One thing. Zwei Grüße.";
    const texts = ["One ", "thing. Zw", "ei Grüße."].map((text, index) => ({ text, index, place: 0 }));
    const segment = { startIndex: 11, endIndex: bytes(answer), text: "Zwei Grüße." };
    expect(cited(texts, grounding(segment))).toEqual([["https://a.example/", answer, ["Zwei Grüße."]]]);
  });

  it("is where its words are, if the offsets are wrong", () => {
    const segment = { startIndex: 2, endIndex: 5, text: "words" };
    expect(cited(whole("My words."), grounding(segment))).toEqual([
      ["https://a.example/", "My words.", ["words"]],
    ]);
  });

  it("is unknown if the words aren't there", () => {
    const segment = { startIndex: 2, endIndex: 900, text: "others" };
    expect(cited(whole("My words."), grounding(segment))).toEqual([["https://a.example/", "My words.", []]]);
  });

  it("is split where code stands between two texts", () => {
    const texts = [
      { text: "First. ", index: 0, place: 0 },
      { text: "Second.", index: 3, place: 1 },
    ];
    const segment = { startIndex: 0, endIndex: 14, text: "First. Second." };
    expect(cited(texts, grounding(segment))).toEqual([
      ["https://a.example/", "First. ", ["First. "]],
      ["https://a.example/", "Second.", ["Second."]],
    ]);
  });
});

describe("a source", () => {
  it.each<[string, object, object]>([
    ["of the web", page, { sourceType: "url", url: "https://a.example/", title: "A" }],
    [
      "of an image search",
      { image: { imageUri: "https://i.example/1.png", sourceUri: "https://i.example/", title: "I" } },
      { sourceType: "url", url: "https://i.example/", title: "I" },
    ],
    [
      "of a bucket",
      { retrievedContext: { uri: "gs://b/c/terms.pdf", title: "Terms" } },
      { sourceType: "document", title: "Terms", filename: "terms.pdf" },
    ],
    [
      "of a website that was indexed",
      { retrievedContext: { uri: "https://docs.example/", title: "Docs" } },
      { sourceType: "url", url: "https://docs.example/", title: "Docs" },
    ],
    [
      "of a place without a link",
      { maps: { title: "Café", placeId: "places/1" } },
      { sourceType: "document", title: "Café" },
    ],
  ])("%s", (_, chunk, expected) => {
    const metadata = { groundingMetadata: { groundingChunks: [chunk] } };
    const [, source] = withSources([{ type: "text", text: "Hi" }], whole("Hi"), metadata);
    expect(source).toEqual({ type: "source", id: "source-1", ...expected });
  });

  it.each([
    ["nothing is known of it", { groundingMetadata: { groundingChunks: [{}, { web: {} }] } }, whole("Hi")],
    ["the reply says nothing", { groundingMetadata: { groundingChunks: [page] } }, []],
    [
      "an index names none",
      {
        groundingMetadata: { groundingSupports: [{ segment: { endIndex: 2 }, groundingChunkIndices: [3] }] },
      },
      whole("Hi"),
    ],
  ])("isn't there if %s", (_, metadata, texts) => {
    const parts = [{ type: "reasoning", text: "Hi" }];
    expect(withSources(parts, texts, metadata)).toEqual(parts);
  });

  it("stands behind the images of a reply without text", () => {
    const parts = [{ type: "media", mediaType: "image/png", data: "iVBO" }];
    const found = withSources(parts, [], { groundingMetadata: { groundingChunks: [page] } });
    expect(found.map(({ type }) => type)).toEqual(["media", "source"]);
  });
});
