import * as z from "zod";
import { type Fields, fieldsOf, isObject, listOf, parseJson } from "./fields.ts";

/** Caches the JSON of each schema: schemas don't change, and an agent may have many tools. */
const parameters = new WeakMap<z.ZodType, Fields>();

/** A tool's parameters. Types that JSON schema can't express accept anything: the engine validates the arguments. */
export function parametersOf(schema: z.ZodType): Fields {
  const known = parameters.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...written }: Fields = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  parameters.set(schema, written);
  return written;
}

/** The schema of a codec's input; `undefined` if the input isn't a JSON object, since services support nothing else. */
export function outputSchemaOf(codec: z.ZodType): Fields | undefined {
  try {
    const { $schema: _, ...written }: Fields = z.toJSONSchema(codec, { io: "input" });
    return written["type"] === "object" ? written : undefined;
  } catch {
    return undefined;
  }
}

/** Instructions for a model that can't be bound to a schema. */
export const outputInstructions = (schema: Fields): string =>
  `Reply with nothing but JSON that fits this JSON schema: ${JSON.stringify(schema)}`;

/**
 * Returns an object schema, since endpoints accept nothing else. A union of objects becomes one object with the properties
 * of all variants. Any other schema becomes an object with any properties.
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

/** Whether a tool with these parameters takes text instead of JSON. */
export const takesText = (parameters: z.ZodType): boolean => parametersOf(parameters)["type"] === "string";

/** The parameters of a function with one text. */
const TEXT_INPUT: Fields = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** The parameters of a function: an object, which holds the text if the tool takes text. */
export const functionParameters = (parameters: z.ZodType): Fields =>
  takesText(parameters) ? TEXT_INPUT : objectSchema(parametersOf(parameters));

/** Reads the input of a function with one text. Some models ignore the schema and write only the text. */
export function textInputIn(text: unknown): string {
  if (typeof text !== "string") return "";
  const input = fieldsOf(parseJson(text))["input"];
  return typeof input === "string" ? input : text;
}
