import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/approvals/canonical-arguments.ts";

describe("canonical JSON", () => {
  it("is the same for values that differ only in the order of keys or in undefined fields", () => {
    expect(canonicalJson({ a: 1, b: { c: 2, d: 3 } })).toBe(canonicalJson({ b: { d: 3, c: 2 }, a: 1 }));
    expect(canonicalJson({ a: 1, b: undefined })).toBe('{"a":1}');
    expect(canonicalJson({ 10: 1, 9: 2, b: [{ d: 1, c: 2 }] })).toBe('{"10":1,"9":2,"b":[{"c":2,"d":1}]}');
    expect(canonicalJson(Object.create(null))).toBe("{}");
    expect(canonicalJson({ at: new Date(5) })).toBe('{"at":"1970-01-01T00:00:00.005Z"}');
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1},"b":1}');
  });

  it("is JSON for the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ["a function", { f: () => 1 }, ".f"],
    ["a symbol", [Symbol("s")], "[0]"],
    ["a bigint", { a: [1n] }, ".a[0]"],
    ["undefined", [undefined], "[0]"],
    ["undefined", undefined, "they are"],
    ["NaN", [Number.NaN], "[0]"],
    ["Infinity", { a: Number.POSITIVE_INFINITY }, ".a"],
    ["an invalid date", new Date(Number.NaN), "they are"],
    ["an instance of a class", { a: [new (class {})()] }, ".a[0]"],
    ["an instance of a class", new (class extends Date {})(), "they are"],
    ["an instance of a class", new (class extends Array {})(), "they are"],
    ["an instance of a class", new Map(), "they are"],
    ["an instance of a class", { s: new Set() }, ".s"],
    ["an instance of a class", new URL("https://a.example"), "they are"],
    ["a function", { toJSON: () => 1 }, ".toJSON"],
    ["fields of its own", Object.assign(new Date(0), { toJSON: () => 1 }), "they are"],
    ["symbols as keys", { [Symbol("s")]: 1 }, "they are"],
    ["holes", { a: new Array(2) }, ".a"],
    ["nested too deeply", JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`), "[0]"],
  ])("throws for %s, with its path", (what, value, where) => {
    expect(() => canonicalJson(value)).toThrow(what);
    expect(() => canonicalJson(value)).toThrow(where);
  });

  it("throws for cyclic values", () => {
    const self: unknown[] = [];
    self.push(self, { self });
    expect(() => canonicalJson(self)).toThrow("[0] is part of itself");
  });
});
