import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slicesOf } from "../../src/chat-memory/gpt-tokenizer.ts";

const runs = fc.array(
  fc.tuple(fc.constantFrom("a", "é", "漢", "😀", "𠀀", "7", " ", "\n", "!", "=", "e\u0301"), fc.nat(1_500)),
  { maxLength: 6 },
);

const LONG_RUN = /[\p{L}\p{M}]{501,}|\p{N}{501,}|\s{501,}|[^\p{L}\p{M}\p{N}\s]{501,}/u;

describe("the slices of a text for a tokenizer", () => {
  it("join to the text, contain nothing longer than 500 units without a break, and split no pair of surrogates", () => {
    fc.assert(
      fc.property(runs, (pieces) => {
        const text = pieces.map(([sign, times]) => sign.repeat(times)).join("");
        const slices = slicesOf(text);
        expect(slices.join("")).toBe(text);
        for (const slice of slices) {
          expect(LONG_RUN.test(slice)).toBe(false);
          expect(slice).not.toMatch(/\p{Surrogate}/u);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("are one for a text that has breaks", () => {
    const text = "Some words, and 1234 numbers.\n".repeat(500);
    expect(slicesOf(text)).toEqual([text]);
    expect(slicesOf("")).toEqual([""]);
  });
});
