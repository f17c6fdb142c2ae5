import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textPartOf, textsOf } from "../src/parts.ts";

describe("any texts in a row", () => {
  const piece = fc.record(
    {
      text: fc.oneof(fc.string(), fc.constantFrom("", "\ud83c", "🌍")),
      thoughtSignature: fc.constantFrom("a", "b"),
    },
    { requiredKeys: ["text"] },
  );

  it("go back with each signature on its own text, and all that was said", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (run) => {
        const part = textPartOf(run);
        const back = part === undefined ? [] : textsOf(part);
        const signed = (pieces: readonly object[]) => pieces.filter((each) => "thoughtSignature" in each);
        expect(signed(back)).toEqual(signed(run));
        expect(back.map((each) => each["text"]).join("")).toBe(run.map((each) => each.text).join(""));
      }),
    );
  });
});
