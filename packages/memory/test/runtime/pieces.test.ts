import fc from "fast-check";
import { expect, it } from "vitest";
import { createPieces } from "../../src/runtime/pieces.ts";

it("joins any number of pieces in their order, also while they are added", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 40 }), (pieces) => {
      const text = createPieces();
      for (const [at, piece] of pieces.entries()) {
        text.add(piece);
        expect(text.text()).toBe(pieces.slice(0, at + 1).join(""));
      }
    }),
  );
});
