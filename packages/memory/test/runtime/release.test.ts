import { describe, expect, it } from "vitest";
import { checkRelease, mismatchOf } from "../../src/runtime/release.ts";

describe("mismatchOf", () => {
  const fits = (release: string, memory: string) =>
    mismatchOf(`@jaf/core@${release}`, `@jaf/memory@${memory}`, []) === undefined;

  it.each([
    ["0.1.0", "0.1.0"],
    ["0.1.0", "0.1.7"],
    ["1.2.3", "1.10.0"],
    ["1.2.0", "1.2.1"],
    ["0.2.0-next.1", "0.2.0-next.10"],
    ["0.2.0-next.1", "0.2.0"],
  ])("%s may be used with memory %s", (release, memory) => {
    expect(fits(release, memory)).toBe(true);
  });

  it.each([
    ["0.2.0", "0.1.0"],
    ["0.1.0", "0.2.0"],
    ["0.1.1", "0.1.0"],
    ["0.10.0", "0.9.0"],
    ["1.0.0", "0.9.0"],
    ["0.9.0", "1.0.0"],
    ["1.2.0", "1.1.9"],
    ["2.0.0", "1.9.9"],
    ["0.0.1", "0.0.2"],
    ["0.2.0", "0.2.0-next.1"],
    ["0.2.0-next.10", "0.2.0-next.9"],
  ])("%s is refused with memory %s", (release, memory) => {
    expect(fits(release, memory)).toBe(false);
  });

  it("names what is needed, what is there and what to install", () => {
    expect(mismatchOf("@jaf/core@0.2.0", "@jaf/memory@0.1.0", [])).toBe(
      "@jaf/core 0.2.0 needs @jaf/memory ^0.2.0, and 0.1.0 is installed. Install all @jaf packages in one release: npm install @jaf/core@^0.2.0 @jaf/memory@^0.2.0",
    );
  });

  it("has the older package updated, and all others that are older", () => {
    const others = ["@jaf/openai@1.0.0", "@jaf/memory-redis@0.9.0", "@jaf/core@0.9.0"];
    expect(mismatchOf("@jaf/core@0.9.0", "@jaf/memory@1.0.0", others)).toContain(
      "npm install @jaf/core@^1.0.0 @jaf/memory@^1.0.0 @jaf/memory-redis@^1.0.0",
    );
  });
});

describe("checkRelease", () => {
  it("refuses nothing while sources run", () => {
    expect(() => checkRelease("@jaf/core@7.0.0")).not.toThrow();
    expect(() => checkRelease(globalThis.JAF_RELEASE)).not.toThrow();
  });
});
