import * as z from "zod";
import { type Fields, fieldsOf, isObject, listOf, parseJson } from "./fields.ts";
import { serviceSchema } from "./service-schema.ts";

/** The JSON Schema of each zod schema that was converted. */
const parameters = new WeakMap<z.ZodType, Fields>();

/**
 * Returns the JSON Schema of a tool's parameters. Calls with the same zod schema return the same object. Types that
 * JSON Schema can't express accept any value: the engine validates the arguments later.
 */
export function parametersOf(schema: z.ZodType): Fields {
  const known = parameters.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...json }: Fields = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const written = serviceSchema(json);
  parameters.set(schema, written);
  return written;
}

/**
 * Returns the JSON Schema of a codec's input. Returns `undefined` in two cases:
 *
 * - The input isn't an object: services support only objects.
 * - JSON Schema can't express the input.
 *
 * @example
 * ```ts
 * import { outputInstructions, outputSchemaOf } from "@jaf/model-http";
 * import * as z from "zod";
 *
 * const schema = outputSchemaOf(z.object({ city: z.string() }));
 * export const instructions = schema === undefined ? "" : outputInstructions(schema);
 * ```
 */
export function outputSchemaOf(codec: z.ZodType): Fields | undefined {
  try {
    const { $schema: _, ...json }: Fields = z.toJSONSchema(codec, { io: "input" });
    const written = serviceSchema(json);
    return written["type"] === "object" ? written : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns instructions that ask a model for JSON that matches the schema. Use them for a model that doesn't accept a
 * schema.
 */
export const outputInstructions = (schema: Fields): string =>
  `Reply with nothing but JSON that fits this JSON schema: ${JSON.stringify(schema)}`;

/**
 * Converts a JSON Schema into an object schema, because services accept only objects:
 *
 * - An object schema keeps its properties.
 * - A union of objects becomes one object with the properties of all variants.
 * - Any other schema becomes an object with any properties.
 */
export function objectSchema(schema: Fields): Fields {
  if (schema["type"] === "object") return { properties: {}, ...schema };
  const variants = [...listOf(schema["oneOf"]), ...listOf(schema["anyOf"])].map(fieldsOf);
  const isChoice = variants.length > 0 && variants.every((variant) => variant["type"] === "object");
  if (!isChoice) return { type: "object", properties: {} };
  const { oneOf: _, anyOf: __, ...rest } = schema;
  return {
    ...rest,
    type: "object",
    properties: mergedProperties(variants),
    required: requiredOfAll(variants),
  };
}

function mergedProperties(variants: readonly Fields[]): Fields {
  const merged = new Map<string, Fields[]>();
  for (const variant of variants) {
    for (const [name, property] of Object.entries(fieldsOf(variant["properties"]))) {
      const known = merged.get(name) ?? [];
      const text = JSON.stringify(property);
      if (isObject(property) && !known.some((other) => JSON.stringify(other) === text)) known.push(property);
      merged.set(name, known);
    }
  }
  return Object.fromEntries([...merged].map(([name, properties]) => [name, oneProperty(properties)]));
}

function oneProperty(properties: readonly Fields[]): Fields {
  const [first, ...others] = properties;
  if (first === undefined) return {};
  if (others.length === 0) return first;
  const constants = properties.filter((property) => typeof property["const"] === "string");
  return constants.length === properties.length
    ? { type: "string", enum: constants.map((property) => property["const"]) }
    : { anyOf: properties };
}

function requiredOfAll(variants: readonly Fields[]): readonly unknown[] {
  const [first = [], ...others] = variants.map((variant) => listOf(variant["required"]));
  return first.filter((name) => others.every((required) => required.includes(name)));
}

/** Checks whether a tool with these parameters takes a text instead of an object. */
export const takesText = (parameters: z.ZodType): boolean => parametersOf(parameters)["type"] === "string";

/** The JSON Schema of a function that takes one text, in the field `input`. */
const TEXT_INPUT: Fields = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/**
 * Returns the JSON Schema of a function's parameters, which is always an object schema. If the tool takes a text, the
 * object has the text in the field `input`: `textInputIn` reads it.
 *
 * @example
 * ```ts
 * import { functionParameters } from "@jaf/model-http";
 * import * as z from "zod";
 *
 * const parameters = functionParameters(z.object({ city: z.string() }));
 * export const tool = { type: "function", function: { name: "weather", parameters } };
 * ```
 */
export const functionParameters = (parameters: z.ZodType): Fields =>
  takesText(parameters) ? TEXT_INPUT : objectSchema(parametersOf(parameters));

/**
 * Returns the text in the arguments of a function that takes one text. Some models ignore the schema and write only the
 * text: it is returned unchanged.
 */
export function textInputIn(text: unknown): string {
  if (typeof text !== "string") return "";
  const input = fieldsOf(parseJson(text))["input"];
  return typeof input === "string" ? input : text;
}
