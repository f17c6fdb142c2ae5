import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textPartOf, textsOf } from "../src/parts.ts";

describe("any consecutive texts", () => {
  const piece = fc.record(
    {
      text: fc.oneof(fc.string(), fc.constantFrom("", "\ud83c", "🌍")),
      thoughtSignature: fc.constantFrom("a", "b"),
    },
    { requiredKeys: ["text"] },
  );

  it("are sent back completely, each signature with its own text", () => {
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
