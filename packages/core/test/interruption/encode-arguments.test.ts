import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areWithin, differencesOf } from "../../src/interruption/bound-arguments.ts";
import { decodeArgumentsText, encodeArguments } from "../../src/interruption/encode-arguments.ts";

const text = (value: unknown) => encodeArguments(value, { sorted: true });
const copy = (value: unknown) => decodeArgumentsText(encodeArguments(value, { sorted: false }));

describe("encoded arguments", () => {
  it("are alike for what nobody can tell apart", () => {
    expect(text({ a: 1, b: { c: 2, d: 3 } })).toBe(text({ b: { d: 3, c: 2 }, a: 1 }));
    expect(text({ a: 1, b: undefined })).toBe(text({ a: 1 }));
    expect(text(new Date(5))).toBe(text(new Date(5)));
    expect(text(Object.create(null))).toBe(text({}));
  });

  it("differ for values that differ", () => {
    const values = [
      [],
      {},
      null,
      undefined,
      [undefined],
      [null],
      "",
      "a",
      "1",
      1,
      1n,
      0,
      -0,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      true,
      "true",
      new Date(1),
      new Date(Number.NaN),
      "1970-01-01T00:00:00.001Z",
      new Map(),
      new Map([["a", 1]]),
      new Map([[1, "a"]]),
      new Set(),
      new Set(["a"]),
      ["a"],
      ["array"],
      ["date", 1],
      { array: [] },
      { a: 1 },
      { a: "1" },
      { a: { b: 1 } },
      { __proto__: null, a: [1] },
      JSON.parse('{"__proto__":1}'),
      new URL("https://a.example"),
      "https://a.example/",
    ];
    expect(new Set(values.map(text)).size).toBe(values.length);
  });

  it("are made again as they were, in the order that they had", () => {
    const value = {
      z: [1, "two", null, undefined, true, -0, Number.NaN, 10n],
      a: new Map<unknown, unknown>([[{ k: new Date(3) }, new Set([1])]]),
      u: new URL("https://a.example/?q=1"),
    };
    expect(copy(value)).toEqual(value);
    expect(Object.keys(copy(value) as object)).toEqual(["z", "a", "u"]);
    expect(Object.keys(copy(JSON.parse('{"__proto__":1}')) as object)).toEqual(["__proto__"]);
  });

  it("are the same for all that JSON holds", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(copy(value)).toEqual(value);
        expect(text(copy(value))).toBe(text(value));
      }),
    );
  });

  it.each([
    ["a function", { f: () => 1 }, ".f"],
    ["a symbol", [Symbol("s")], "[0]"],
    ["an instance of a class", { a: [new (class {})()] }, ".a[0]"],
    ["an instance of a class", new (class extends Date {})(), "they are"],
    ["symbols as keys", { [Symbol("s")]: 1 }, "they are"],
    ["holes", { a: new Array(2) }, ".a"],
  ])("can't be made of %s, and say where", (what, value, where) => {
    expect(() => text(value)).toThrow(what);
    expect(() => text(value)).toThrow(where);
  });
});

describe("differences", () => {
  it("are as deep as fields and lists go", () => {
    expect(differencesOf({ a: [1, { b: 2 }], c: 3 }, { a: [1, { b: 5 }], d: 3 })).toEqual([
      ["a", "1", "b"],
      ["c"],
      ["d"],
    ]);
    expect(differencesOf([1], { 0: 1 })).toEqual([[]]);
    expect(differencesOf({ at: new Date(1) }, { at: new Date(1) })).toEqual([]);
    expect(differencesOf({ at: new Date(1) }, { at: new Date(2) })).toEqual([["at"]]);
  });

  it("lie within places that contain them", () => {
    expect(areWithin([["a", "b"]], [["a"]])).toBe(true);
    expect(areWithin([["a"]], [["a", "b"]])).toBe(false);
    expect(areWithin([["a"], ["c"]], [["a"]])).toBe(false);
    expect(areWithin([["x"]], [[]])).toBe(true);
    expect(areWithin([], [])).toBe(true);
  });
});
