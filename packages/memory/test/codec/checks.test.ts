import { expect, it } from "vitest";
import * as z from "zod";
import { parseOptions } from "../../src/codec/checks.ts";

it.each([
  [z.number(), "expected number, received string"],
  [z.url(), "expected a valid URL"],
  [z.email(), "expected a valid email address"],
  [z.string().regex(/^x/), "expected a string: must match pattern /^x/"],
  [z.string().refine(() => false), "expected another value."],
  [z.string().min(9), "expected string to have >=9 characters"],
  [z.string().regex(/^x/, "expected an x, as expected"), "expected an x, as expected"],
  [z.string().regex(/^x/, "give an x"), "expected another value (give an x)"],
])("describes a schema's expectation in readable words", (schema, text) => {
  const parse = () => parseOptions(z.object({ field: schema }), { field: "s3cret" }, "test options");
  expect(parse).toThrow(TypeError);
  expect(parse).toThrow(`Invalid test options: field: ${text}`);
});

it("says where a client belongs instead of listing its fields", () => {
  class Client {
    readonly url = "redis://s3cret";
  }
  const parse = () =>
    parseOptions(z.strictObject({ url: z.number().optional() }), new Client(), "test options");
  expect(parse).toThrow(
    "Invalid test options: the whole: expected a plain object. A client is the argument after it.",
  );
});
