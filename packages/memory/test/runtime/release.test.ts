import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** Calls the function as these packages of the release would, where this release of `@jaf/memory` is installed. */
async function checked(memory: string | undefined, ...callers: readonly (string | undefined)[]) {
  vi.stubGlobal("JAF_RELEASE", memory && `@jaf/memory ${memory}`);
  const { checkRelease } = await import("../../src/runtime/release.ts");
  for (const caller of callers) checkRelease(caller);
}

beforeEach(() => void vi.resetModules());
afterEach(() => void vi.unstubAllGlobals());

describe("checkRelease", () => {
  it.each([
    ["0.1.0", "0.1.0"],
    ["0.1.0", "0.1.7"],
    ["0.1.9", "0.1.10"],
    ["1.2.3", "1.10.0"],
    ["1.2.0", "1.2.1"],
    ["0.2.0-next.9", "0.2.0-next.10"],
  ])("lets core %s use memory %s", async (core, memory) => {
    await expect(checked(memory, `@jaf/core ${core}`)).resolves.toBeUndefined();
  });

  it.each([
    ["0.2.0", "0.1.0"],
    ["0.1.0", "0.2.0"],
    ["0.1.1", "0.1.0"],
    ["0.1.10", "0.1.9"],
    ["0.10.0", "0.9.0"],
    ["1.0.0", "0.9.0"],
    ["0.9.0", "1.0.0"],
    ["1.2.0", "1.1.9"],
    ["2.0.0", "1.9.9"],
    ["0.0.1", "0.0.2"],
    ["0.2.0-next.10", "0.2.0-next.9"],
  ])("refuses core %s with memory %s", async (core, memory) => {
    await expect(checked(memory, `@jaf/core ${core}`)).rejects.toThrow(TypeError);
  });

  it("says what is needed, what is there and what to install", async () => {
    await expect(checked("0.1.0", "@jaf/core 0.2.0")).rejects.toThrow(
      "@jaf/core 0.2.0 needs @jaf/memory ^0.2.0, and 0.1.0 is installed. Install the same release of all: npm install @jaf/memory@^0.2.0 @jaf/core@^0.2.0",
    );
  });

  it("has all packages installed that it knows of, in the newer release", async () => {
    const callers = ["@jaf/openai 1.0.2", "@jaf/memory-redis 0.9.0"];
    await expect(checked("1.0.2", ...callers)).rejects.toThrow(
      /: npm install @jaf\/memory@\^1\.0\.2 @jaf\/openai@\^1\.0\.2 @jaf\/memory-redis@\^1\.0\.2$/,
    );
  });

  it("refuses nothing while sources run", async () => {
    await expect(checked(undefined, "@jaf/core 7.0.0")).resolves.toBeUndefined();
    await expect(checked("7.0.0", undefined)).resolves.toBeUndefined();
  });
});
