import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createMemoryTermIndex,
  type DocumentContext,
  type MemoryTermIndex,
  type TermWeight,
} from "../../src/ranker/index.ts";

type Document = readonly [DocumentContext, readonly TermWeight[]];

const TERMS = ["a", "b", "c", "d"];
const PLACES = ["x", "y"].flatMap((conversationId) =>
  [0, 1].map((position) => ({ conversationId, position })),
);

const document = fc.tuple(
  fc.record(
    { seq: fc.integer({ min: 1, max: 6 }), location: fc.constantFrom(...PLACES), author: fc.constant("Ada") },
    { requiredKeys: ["seq"] },
  ),
  fc.uniqueArray(fc.record({ term: fc.constantFrom(...TERMS), weight: fc.integer({ min: 1, max: 3 }) }), {
    selector: ({ term }) => term,
  }),
);
const change = fc.oneof(document, fc.integer({ min: 1, max: 6 }));

function contents(index: MemoryTermIndex) {
  const found = TERMS.map((term) => index.match([term]));
  const all = index.match(TERMS);
  return {
    found: [...found, all].map(({ size, documents }) => ({
      size,
      documents: documents
        .map(({ terms, ...context }) => ({
          ...context,
          terms: [...terms].sort((a, b) => (a.term < b.term ? -1 : 1)),
        }))
        .sort((a, b) => a.seq - b.seq),
    })),
  };
}

describe("createMemoryTermIndex", () => {
  it("equals a new index of the remaining documents after any changes", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const index = createMemoryTermIndex();
        const left = new Map<number, Document>();
        for (const step of changes) {
          if (typeof step === "number") {
            index.remove(step);
            left.delete(step);
          } else {
            index.add(...step);
            left.set(step[0].seq, step);
          }
        }
        const rebuilt = createMemoryTermIndex();
        for (const one of left.values()) rebuilt.add(...one);
        expect(contents(index)).toEqual(contents(rebuilt));
      }),
    );
  });

  it("returns only the requested terms, with their weights", () => {
    const index = createMemoryTermIndex();
    index.add({ seq: 1 }, [
      { term: "a", weight: 2 },
      { term: "b", weight: 1 },
    ]);
    index.add({ seq: 2 }, [{ term: "b", weight: 1 }]);
    const { size, documents } = index.match(["a", "a", "z"]);
    expect(size).toBe(2);
    expect(documents.map(({ seq, terms }) => [seq, terms])).toEqual([[1, [{ term: "a", weight: 2 }]]]);
  });

  it("doesn't mix matches", () => {
    const index = createMemoryTermIndex();
    index.add({ seq: 1 }, [{ term: "a", weight: 1 }]);
    const first = index.match(["a"]);
    expect(index.match(["a"])).toEqual(first);
    expect(first.documents[0]?.terms).toHaveLength(1);
  });

  it("accepts any terms", () => {
    const index = createMemoryTermIndex();
    index.add({ seq: 1, location: { conversationId: "__proto__", position: 0 } }, [
      { term: "__proto__", weight: 1 },
    ]);
    expect(index.match(["constructor"]).documents).toEqual([]);
    expect(index.match(["__proto__"]).documents.map(({ seq }) => seq)).toEqual([1]);
  });
});
