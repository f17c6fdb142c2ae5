import { expect, it } from "vitest";
import { tokenCount } from "../src/index.ts";

it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "3", null])("counts no tokens in %s", (value) => {
  expect(tokenCount(value)).toBeUndefined();
});

it("counts no token and half of one", () => {
  expect([0, 0.5].map(tokenCount)).toEqual([0, 0.5]);
});
