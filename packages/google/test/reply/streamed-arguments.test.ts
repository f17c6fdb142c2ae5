import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStreamedArguments } from "../../src/reply/streamed-arguments.ts";

type PartialArg = Readonly<Record<string, unknown>>;

/** Returns the joined texts; `undefined` if a piece doesn't fit. */
function written(pieces: readonly PartialArg[]): string | undefined {
  const streamed = createStreamedArguments();
  const texts = pieces.map((piece) => streamed.add({ partialArgs: [piece] }));
  return texts.includes(undefined) ? undefined : texts.join("") + streamed.end();
}

/** Returns the pieces of a value, each text in two halves. */
function piecesOf(value: unknown, jsonPath = "$"): readonly PartialArg[] {
  if (value === null) return [{ jsonPath, nullValue: "NULL_VALUE" }];
  if (typeof value === "number") return [{ jsonPath, numberValue: value }];
  if (typeof value === "boolean") return [{ jsonPath, boolValue: value }];
  if (typeof value === "string") {
    const half = Math.floor(value.length / 2);
    return [
      { jsonPath, stringValue: value.slice(0, half), willContinue: true },
      { jsonPath, stringValue: value.slice(half) },
    ];
  }
  return Array.isArray(value)
    ? value.flatMap((item, index) => piecesOf(item, `${jsonPath}[${index}]`))
    : Object.entries(value as object).flatMap(([key, item]) =>
        piecesOf(item, `${jsonPath}[${JSON.stringify(key)}]`),
      );
}

const key = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("__proto__", "a'b", "0", "a.b[0]"));
const { value } = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("🌍", '"\\')),
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });

describe("streamed arguments", () => {
  it("are the JSON of any values that come in order", () => {
    fc.assert(
      fc.property(object, (args) => {
        const text = written(piecesOf(args)) ?? "";
        // A pair of surrogates that is cut is written as two escapes.
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(args));
      }),
    );
  });

  it("are JSON of the values in any order in which lists are complete", () => {
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.dictionary(key, fc.string(), { minKeys: 1 }), { maxKeys: 4 }),
        fc.infiniteStream(fc.nat()),
        (args, order) => {
          // Interleaves the texts of all objects, each text's halves in their order.
          const queues = Object.entries(args).map(([name, inner]) => [...piecesOf({ [name]: inner })]);
          const pieces: PartialArg[] = [];
          while (queues.some((queue) => queue.length > 0)) {
            const filled = queues.filter((queue) => queue.length > 0);
            const next = filled[(order.next().value ?? 0) % filled.length]?.shift();
            if (next !== undefined) pieces.push(next);
          }
          expect(JSON.parse(written(pieces) ?? "")).toEqual(args);
        },
      ),
    );
  });

  it.each([
    ["$", "the root"],
    ["$.list[2]", "a gap in a list"],
    ["$.text.name", "a name inside of a text"],
    ["$.list.name", "a name inside of a list"],
    ["$..name", "a path to many values"],
    ["$.list[*]", "any index"],
    ["name", "no path"],
  ])("can't have %s, %s", (jsonPath) => {
    const known = piecesOf({ text: "a", list: [1] });
    expect(written([...known, { jsonPath, numberValue: 1 }])).toBeUndefined();
  });

  it.each([
    ["$.a", "a"],
    ["$['it\\'s \"a\"']", 'it\'s "a"'],
    ["$['\\u00e9\\n']", "é\n"],
    ['$["it\'s"]', "it's"],
  ])("take the path %s", (jsonPath, name) => {
    expect(written([{ jsonPath, numberValue: 1 }])).toBe(JSON.stringify({ [name]: 1 }));
  });

  it("end a text by a piece without a value, and keep other values at such a piece", () => {
    const pieces = [
      { jsonPath: "$.a", stringValue: "x", willContinue: true },
      { jsonPath: "$.a" },
      { jsonPath: "$.b", numberValue: 1, willContinue: true },
      { jsonPath: "$.b" },
    ];
    expect(written(pieces)).toBe('{"a":"x","b":1}');
  });

  it("join what came whole with what comes in pieces", () => {
    const streamed = createStreamedArguments();
    const texts = [
      streamed.add({ args: { a: { b: [1] } }, partialArgs: [{ jsonPath: "$.c", stringValue: "x" }] }),
      streamed.add({ partialArgs: [{ jsonPath: "$.a.b[1]", numberValue: 2 }] }),
      streamed.end(),
    ];
    expect(JSON.parse(texts.join(""))).toEqual({ a: { b: [1, 2] }, c: "x" });
  });
});
