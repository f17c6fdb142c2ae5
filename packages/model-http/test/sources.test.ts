import { describe, expect, it } from "vitest";
import { collectSources } from "../src/index.ts";

describe("collectSources", () => {
  it("joins the citations of one source, and keeps its id behind later texts", () => {
    const page = { sourceType: "url", url: "https://a.example/", title: "A" } as const;
    const file = { sourceType: "document", documentId: "f1", title: "F", filename: "f.pdf" } as const;
    const sources = collectSources();
    expect(
      sources.partsOf([
        { ...page, range: { start: 0, end: 4 } },
        file,
        { ...page, range: { start: 8, end: 9 } },
        { ...page, range: { start: 3, end: 3 } },
        { ...page, range: { start: 8, end: 9 } },
      ]),
    ).toEqual([
      {
        ...{ type: "source", id: "source-1", sourceType: "url", url: "https://a.example/", title: "A" },
        ranges: [
          { start: 0, end: 4 },
          { start: 8, end: 9 },
        ],
      },
      { type: "source", id: "source-2", sourceType: "document", title: "F", filename: "f.pdf" },
    ]);
    expect(sources.partsOf([{ ...file, documentId: "f2" }, page])).toMatchObject([
      { id: "source-3" },
      { id: "source-1" },
    ]);
  });
});
