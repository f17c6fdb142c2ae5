import { visibleParts } from "@jaf/server/client";
import { expect, it } from "vitest";

it("leaves out the parts that the metadata lists as retracted", () => {
  const parts = ["a", "b", "c"];
  expect(visibleParts({ parts })).toEqual(parts);
  const retracted = { "1": true, "7": true, "2": false };
  expect(visibleParts({ parts, metadata: { mine: 1, jaf: { retracted } } })).toEqual(["a", "c"]);
  for (const metadata of [null, "x", 1, {}, { jaf: null }, { jaf: { retracted: "012" } }, { jaf: [] }]) {
    expect(visibleParts({ parts, metadata })).toEqual(parts);
  }
});
