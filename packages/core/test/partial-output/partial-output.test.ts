import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partialOutput } from "../../src/partial-output/index.ts";

/** Returns whether `part` is a beginning of `whole`: fields, ends of lists and ends of texts may be missing. */
function begins(whole: unknown, part: unknown): boolean {
  if (typeof whole === "string") return typeof part === "string" && whole.startsWith(part);
  if (Array.isArray(whole))
    return (
      Array.isArray(part) &&
      part.length <= whole.length &&
      part.every((each, index) => begins(whole[index], each))
    );
  if (typeof whole !== "object" || whole === null) return Object.is(whole, part);
  return (
    typeof part === "object" &&
    part !== null &&
    Object.keys(part).every(
      (key) => Object.hasOwn(whole, key) && begins(Reflect.get(whole, key), Reflect.get(part, key)),
    )
  );
}

const values = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }).filter((value) => !Object.is(value, -0));
const indents = fc.constantFrom(undefined, 2, "\t");

describe("partialOutput", () => {
  it("is a beginning of the value wherever the text ends", () => {
    fc.assert(
      fc.property(values, indents, fc.double({ min: 0, max: 1, noNaN: true }), (value, indent, share) => {
        const text = JSON.stringify(value, null, indent);
        const part = partialOutput(text.slice(0, Math.floor(text.length * share)));
        if (part !== undefined) expect(begins(JSON.parse(text), part)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["an emoji", '["a😀b"]'],
    ["an escaped emoji", '["a\\ud83d\\uDE00b"]'],
    ["an escaped backslash before a beginning of an escape", '["a\\\\ud83d"]'],
  ])("holds no half of %s", (_, text) => {
    const whole = JSON.parse(text)[0] as string;
    const shown = Array.from(
      text,
      (__, end) => partialOutput<readonly string[]>(text.slice(0, end))?.[0] ?? "",
    );
    for (const part of shown) {
      expect(part).not.toMatch(/[\ud800-\udbff]$/);
      expect(whole.startsWith(part)).toBe(true);
    }
    expect(partialOutput(text)).toEqual([whole]);
  });

  it("is the whole value at the end of a list, an object or a text", () => {
    fc.assert(
      fc.property(values, indents, (value, indent) => {
        fc.pre(typeof value === "object" && value !== null);
        const text = JSON.stringify(value, null, indent);
        expect(partialOutput(text)).toEqual(JSON.parse(text));
        expect(partialOutput(`Here it is:\n\`\`\`json\n${text}\n\`\`\`\nBye.`)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['{"city": "Pu', { city: "Pu" }],
    ['{"city": "Pune", "da', { city: "Pune" }],
    ['{"city": "Pune", "days"', { city: "Pune" }],
    ['{"city": "Pune", "days":', { city: "Pune" }],
    ['{"days": 1', {}],
    ['{"days": 12,', { days: 12 }],
    ['{"ok": tru', {}],
    ['{"ok": true', {}],
    ['{"ok": true}', { ok: true }],
    ['[{"a": 1}, {', [{ a: 1 }, {}]],
    ["[1, 2", [1]],
    ["{", {}],
    ['"Hel', "Hel"],
    ['{"t": "a\\', { t: "a" }],
    ['{"t": "a\\u00e', { t: "a" }],
    ['{"t": "a\\\\', { t: "a\\" }],
    ['{"t": "a\\"b', { t: 'a"b' }],
    ['{"t": "a\\\\u00', { t: "a\\u00" }],
    [' \n{"t', {}],
  ])("takes what is certain: %s", (text, value) => {
    expect(partialOutput(text)).toEqual(value);
  });

  it.each([
    "",
    " ",
    "1",
    "tru",
    "Hello {",
    "I think [it",
    '{"a" 1, ',
    "{]",
    "[}",
    '[1] says "x"',
    "{'a': 1}",
  ])("is undefined where there is nothing or no JSON: %s", (text) => {
    expect(partialOutput(text)).toBeUndefined();
  });

  it("finds JSON in a code fence as the run does, also with fences in its texts", () => {
    const before = "Here it is:\n\n```json\n";
    expect(partialOutput("Here it is:\n\n``")).toBeUndefined();
    expect(partialOutput(before)).toBeUndefined();
    expect(partialOutput(`${before}{"a": "x`)).toEqual({ a: "x" });
    expect(partialOutput(`${before}{"code": "\`\`\`js\\nlet`)).toEqual({ code: "```js\nlet" });
    expect(partialOutput(`${before}{"a": 1}\n\`\`\``)).toEqual({ a: 1 });
    expect(partialOutput('[1] says:\n```\n{"a": "b')).toEqual({ a: "b" });
  });

  it("keeps hostile keys as plain keys, and refuses what no store accepts", () => {
    const value = partialOutput<object>('{"__proto__": {"isAdmin": true}, "constructor": "x');
    expect(Object.keys(value ?? {})).toEqual(["__proto__", "constructor"]);
    expect("isAdmin" in (value ?? {})).toBe(false);
    expect(partialOutput("[".repeat(201))).toBeUndefined();
    expect(partialOutput("[".repeat(1_000_000))).toBeUndefined();
    expect(partialOutput(`"${"\\".repeat(1_000_001)}`)).toBe("\\".repeat(500_000));
  });
});
