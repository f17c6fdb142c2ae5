import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeJson, encodeJson, fromJsonValue, toJsonValue, UnstorableValue } from "../../src/codec/json.ts";

const keys = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("$date", "$$date", "$$$date", "$bytes", "$$bytes", "$url", "$$url"),
  fc.constantFrom("__proto__", "constructor", "toString", "", "0"),
);

/** Node's equality treats any two URLs as equal. */
function withoutUrls(value: unknown): unknown {
  if (value instanceof URL) return { isUrl: value.href };
  if (Array.isArray(value)) return value.map(withoutUrls);
  if (typeof value !== "object" || value === null || value instanceof Date || value instanceof Uint8Array) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutUrls(field)]));
}
const isSame = (a: unknown, b: unknown) => isDeepStrictEqual(withoutUrls(a), withoutUrls(b));

/** Any JSON value, with Dates, bytes, URLs, hostile keys and unpaired surrogates. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1e21, 5e-324, Number.MAX_SAFE_INTEGER),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    fc.string({ unit: "binary" }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.date({ noInvalidDate: true }),
    fc.uint8Array(),
    fc.webUrl({ withFragments: true, withQueryParameters: true }).map((href) => new URL(href)),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.array(fc.tuple(keys, tie("value")), { maxLength: 5 }).map(Object.fromEntries),
  ),
}));

describe("the JSON codec", () => {
  it("restores every value exactly, as text and as plain JSON", () => {
    fc.assert(
      fc.property(value, (given) => {
        // Vitest's equality uses an own key "constructor" as the type, and ignores an own "__proto__".
        const returned = [
          decodeJson(encodeJson(given)),
          fromJsonValue(toJsonValue(given)),
          fromJsonValue(JSON.parse(JSON.stringify(toJsonValue(given)))),
        ];
        expect(returned.filter((value) => !isSame(value, given))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("names a value that can't be stored by its whole path, but not a path that fills a page", () => {
    const pathOf = (given: unknown): string => {
      try {
        return encodeJson(given);
      } catch (thrown) {
        return (thrown as UnstorableValue).path;
      }
    };
    const given = { information_for_the_customer: [{ billing_addresses: [{ numbers_of_houses: [0, 1n] }] }] };
    expect(pathOf(given)).toBe(".information_for_the_customer[0].billing_addresses[0].numbers_of_houses[1]");
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`);
    expect(pathOf(deep)).toBe(`${".a".repeat(100)}…`);
  });

  it("keeps own keys of every name, in their order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, value)), (entries) => {
        const given: object = Object.fromEntries(entries);
        expect(Object.keys(decodeJson(encodeJson(given)) as object)).toEqual(Object.keys(given));
      }),
    );
  });

  it("writes text without NUL, line breaks and unpaired surrogates", () => {
    fc.assert(
      fc.property(value, (given) => {
        const text = encodeJson(given);
        expect(text).not.toMatch(/[\0\n\r]/);
        expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
      }),
    );
  });

  it("leaves its input unchanged", () => {
    const given = { at: new Date(1), $date: "x", list: [undefined === null, { $$date: 1 }] };
    const copy = structuredClone(given);
    encodeJson(given);
    toJsonValue(given);
    expect(given).toEqual(copy);
  });

  it("writes -0 as 0, as JSON does", () => {
    expect(decodeJson(encodeJson(-0))).toBe(0);
  });

  it("accepts 200 levels and refuses the 201st", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(decodeJson(encodeJson(nested(200)))).toEqual(nested(200));
    expect(() => encodeJson(nested(202))).toThrow(UnstorableValue);
  });

  it("gives the path of an invalid value, without its content", () => {
    const secret = "s3cret";
    const refused = () => encodeJson({ list: [secret, { deep: { [secret.length]: Number.NaN } }] });
    expect(refused).toThrow(new UnstorableValue(".list[1].deep.6", "a finite number"));
    expect(refused).not.toThrow(secret);
  });

  it("encodes bytes in base64, and returns a Buffer as a Uint8Array", () => {
    const pool = Buffer.from("pooled");
    expect(encodeJson(pool.subarray(1, 4))).toBe('{"$bytes":"b29s"}');
    const bytes = decodeJson('{"$bytes":"b29s"}');
    expect(bytes).toStrictEqual(new Uint8Array([111, 111, 108]));
    expect(bytes instanceof Uint8Array && bytes.buffer.byteLength).toBe(3);
  });

  it("leaves an object that only looks like a URL unchanged", () => {
    expect(decodeJson('{"$url":"nowhere"}')).toEqual({ $url: "nowhere" });
  });

  it("throws for invalid JSON", () => {
    expect(() => decodeJson("{")).toThrow(SyntaxError);
  });
});
