import { sameJson } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";

describe("two values that JSON has no form of its own for", () => {
  const bytes = (...values: readonly number[]) => new Uint8Array(values);

  it.each([
    ["the same bytes", bytes(1, 2), bytes(1, 2), true],
    ["bytes and a buffer of them", bytes(1, 2), Buffer.from([1, 2]), true],
    ["other bytes", bytes(1, 2), bytes(1, 3), false],
    ["more bytes", bytes(1), bytes(1, 2), false],
    ["the same address", new URL("https://example.org/a"), new URL("https://example.org/a"), true],
    ["an address and its text", new URL("https://example.org/a"), "https://example.org/a", true],
    ["other addresses", new URL("https://example.org/a"), new URL("https://example.org/b"), false],
    ["an address and an empty object", new URL("https://example.org/a"), {}, false],
  ])("are compared: %s", (_what, a, b, same) => {
    expect(sameJson({ x: [a] }, { x: [b] })).toBe(same);
    expect(sameJson({ x: [b] }, { x: [a] })).toBe(same);
  });

  it("are compared directly, even if they are large", () => {
    const start = performance.now();
    expect(sameJson(new Uint8Array(5_000_000), new Uint8Array(5_000_000))).toBe(true);
    expect(performance.now() - start).toBeLessThan(200);
  });
});

const fromJson = (text: string): unknown => JSON.parse(text);

describe("sameJson", () => {
  it("ends for cycles and deep values", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(sameJson(cycle, [[[1]]])).toBe(false);
    const nest = () => fromJson("[".repeat(20_000) + "]".repeat(20_000));
    expect(sameJson(nest(), nest())).toBe(false);
  });

  it("equates a Date with its text, and an invalid one with nothing", () => {
    expect(sameJson(new Date(5), new Date(5))).toBe(true);
    expect(sameJson(new Date(5), new Date(6))).toBe(false);
    expect(sameJson(new Date(5), 5)).toBe(false);
    expect(sameJson(new Date(Number.NaN), new Date(Number.NaN))).toBe(false);
  });
});
