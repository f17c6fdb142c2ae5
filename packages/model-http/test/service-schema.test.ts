import { describe, expect, it } from "vitest";
import * as z from "zod";
import { functionParameters, outputSchemaOf, parametersOf, serviceSchema } from "../src/index.ts";

describe("a schema for services", () => {
  it("says the type of enums and constants", () => {
    const properties = {
      kind: { enum: ["book", "film"], description: "What to find" },
      version: { const: 1 },
      either: { anyOf: [{ const: true }, { enum: ["a", null, "b"] }] },
      words: { type: "array", prefixItems: [{ const: "a" }], items: { enum: ["b"] } },
    };
    expect(serviceSchema({ type: "object", properties, $defs: { none: { const: null } } })).toEqual({
      type: "object",
      properties: {
        kind: { type: "string", enum: ["book", "film"], description: "What to find" },
        version: { type: "number", const: 1 },
        either: {
          anyOf: [
            { type: "boolean", const: true },
            { type: ["string", "null"], enum: ["a", null, "b"] },
          ],
        },
        words: {
          type: "array",
          prefixItems: [{ type: "string", const: "a" }],
          items: { type: "string", enum: ["b"] },
        },
      },
      $defs: { none: { type: "null", const: null } },
    });
  });

  it("keeps properties that are named like keywords, and values that look like schemas", () => {
    const schema = {
      type: "object",
      properties: { const: { type: "string" }, enum: { type: "array", items: { type: "string" } } },
      default: { enum: ["a"] },
      examples: [{ const: "a" }],
      required: ["const", "enum"],
      additionalProperties: false,
    };
    expect(serviceSchema(schema)).toEqual(schema);
    expect(serviceSchema({ type: "object", enum: [{ const: "a" }] })).toEqual({
      type: "object",
      enum: [{ const: "a" }],
    });
  });

  it("has the type at its root if the root refers to a definition", () => {
    const part = z.object({ id: z.string() }).meta({ id: "Part/1" });
    const $defs = {
      "Part/1": { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    };
    expect(parametersOf(part)).toEqual({ ...$defs["Part/1"], $defs });
    expect(functionParameters(part)).toMatchObject({ properties: { id: { type: "string" } } });
    expect(outputSchemaOf(part)).toMatchObject({ ...$defs["Part/1"] });
  });

  it("keeps other references", () => {
    const open = { $ref: "https://example.com/schema", description: "Elsewhere" };
    expect(serviceSchema(open)).toEqual(open);
    expect(serviceSchema({ $ref: "#/$defs/none" })).toEqual({ $ref: "#/$defs/none" });
    const inner = { type: "object", properties: { next: { $ref: "#" } } };
    expect(serviceSchema(inner)).toEqual(inner);
  });
});
