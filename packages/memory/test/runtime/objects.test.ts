import { present, thawed } from "@jaf/memory/internal";
import { expect, it } from "vitest";

it("leaves out only undefined fields", () => {
  expect(Object.entries(present({ a: 1, b: undefined, c: null, d: "", e: 0 }))).toEqual([
    ["a", 1],
    ["c", null],
    ["d", ""],
    ["e", 0],
  ]);
});

it("copies a field `__proto__` as a field", () => {
  const fields: object = JSON.parse('{ "__proto__": { "isAdmin": true }, "a": 1 }');
  const copy = present(fields);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect("isAdmin" in copy).toBe(false);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"isAdmin":true},"a":1}');
});

it("copies frozen data into data that can be changed, and leaves instances of classes as they are", () => {
  const at = new Date(0);
  const frozen = Object.freeze({
    list: Object.freeze([Object.freeze({ at })]),
    ...JSON.parse('{ "a": null }'),
  });
  const copy = thawed(frozen);
  expect(copy).toEqual(frozen);
  expect([copy, copy.list, copy.list[0]].some(Object.isFrozen)).toBe(false);
  expect(copy.list[0]?.at).toBe(at);
  expect(JSON.stringify(thawed(JSON.parse('{ "__proto__": { "isAdmin": true } }')))).toBe(
    '{"__proto__":{"isAdmin":true}}',
  );
});
