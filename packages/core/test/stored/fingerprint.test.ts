import { sameJson } from "@jaf/memory/history";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprint } from "../../src/stored/fingerprint.ts";

const part = fc.record(
  {
    text: fc.string({ maxLength: 2 }),
    type: fc.constantFrom("text", "other"),
    more: fc.constantFrom(undefined, 1),
  },
  { requiredKeys: ["type"] },
);

const message = fc.record(
  {
    role: fc.constantFrom("user", "tool"),
    content: fc.oneof(fc.string(), fc.array(part, { maxLength: 2 })),
    name: fc.string(),
    data: fc.jsonValue(),
  },
  { requiredKeys: ["role"] },
);

describe("the fingerprint of a value", () => {
  it("is the same only for values that are equal as JSON", () => {
    fc.assert(
      fc.property(message, message, (a, b) => {
        const backwards = Object.fromEntries(Object.entries(a).reverse());
        expect(fingerprint([backwards])).toBe(fingerprint([a]));
        expect(fingerprint([{ ...a, more: undefined }])).toBe(fingerprint([a]));
        expect(fingerprint([a]) === fingerprint([b])).toBe(sameJson(a, b));
        const copy = JSON.parse(JSON.stringify(a)) as unknown;
        expect(fingerprint([copy])).toBe(fingerprint([a]));
      }),
    );
  });

  it("distinguishes lists, objects and texts", () => {
    const values = [[], {}, "", "[]", ["a", "b"], { a: "b" }, [["a", "b"]], { "": ["a", "b"] }, null];
    expect(new Set(values.map(fingerprint)).size).toBe(values.length);
  });

  it("distinguishes a text, parts of texts and their borders", () => {
    const contents = ["ab", [], ["ab"], ["a", "b"], ["", "ab"], ["1:a"], ["a", "1:b"]].map((texts) =>
      typeof texts === "string" ? texts : texts.map((text) => ({ type: "text", text })),
    );
    const values = contents.map((content) => ({ role: "user", content }));
    expect(new Set(values.map(fingerprint)).size).toBe(values.length);
  });

  it("treats a date as its text", () => {
    expect(fingerprint({ at: new Date(0) })).toBe(fingerprint({ at: "1970-01-01T00:00:00.000Z" }));
  });

  it("distinguishes bytes and URLs", () => {
    const values = [[1], [2], [1, 2]].map((bytes) => new Uint8Array(bytes));
    const others = [
      { 0: 1 },
      { bytes: "AQ==" },
      {},
      new URL("https://example.org/a"),
      "https://example.org/b",
    ];
    expect(new Set([...values, ...others].map(fingerprint)).size).toBe(8);
    expect(fingerprint(Buffer.from([1]))).toBe(fingerprint(new Uint8Array([1])));
  });

  it("throws for a cycle", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(() => fingerprint(cycle)).toThrow(RangeError);
  });
});
