import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blend } from "../../src/ranker/fusion.ts";

const ids = Array.from({ length: 20 }, (_, at) => `f${at}`);
/** The first item matches best. */
const words = ids.map((id, at) => ({ id, score: 20 - at }));

describe("blend", () => {
  it("keeps the order by words without vectors", () => {
    expect(blend(words, [])).toEqual(ids);
  });

  it("raises the items that vectors put first if both rankings agree", () => {
    const near = ids.map((id, at) => ({ id, similarity: at === 9 ? 1 : 0.9 - at * 0.04 }));
    expect(blend(words, near).indexOf("f9")).toBeLessThan(5);
    expect(blend(words, [{ id: "new", similarity: 0.95 }, ...near]).indexOf("new")).toBeLessThan(20);
  });

  it("keeps the order by words if vectors contradict it", () => {
    const near = ids.map((id, at) => ({ id, similarity: 0.1 + at * 0.04 }));
    expect(blend(words, near)).toEqual(ids);
  });

  it("puts items found only by meaning last, unless both rankings agree", () => {
    expect(blend([{ id: "tea", score: 3 }], [{ id: "snorble", similarity: 1 }])).toEqual(["tea", "snorble"]);
    expect(blend<string>([], [{ id: "snorble", similarity: 0.1 }])).toEqual(["snorble"]);
  });

  it("ignores vectors that are orthogonal or opposite to the query", () => {
    expect(
      blend(
        [],
        [
          { id: "a", similarity: 0 },
          { id: "b", similarity: -0.5 },
        ],
      ),
    ).toEqual([]);
  });

  it("doesn't depend on the scale of similarities", () => {
    const similarity = fc.double({ min: 0.01, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(similarity, { minLength: 2, maxLength: 20 }), (given) => {
        const near = given.map((one, at) => ({
          id: `f${(at * 7) % 20}`,
          similarity: Math.round(one * 64) / 64 + 1,
        }));
        const squeezed = near.map(({ id, similarity: one }) => ({ id, similarity: 4 + one / 4 }));
        expect(blend(words, squeezed)).toEqual(blend(words, near));
      }),
    );
  });
});
