import { expect, it } from "vitest";
import { textOfThrown } from "../src/thrown.ts";

it("says why fetch failed, which only the cause tells", () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  expect(textOfThrown(new TypeError("fetch failed", { cause: refused }))).toBe("fetch failed (ECONNREFUSED)");
  expect(textOfThrown(new TypeError("fetch failed"))).toBe("fetch failed");
});
