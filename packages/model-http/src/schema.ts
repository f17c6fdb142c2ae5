import * as z from "zod";
import { type Fields, fieldsOf, isObject, listOf, parseJson } from "./fields.ts";

/** Schemas stay as they are, and an agent may have many tools: each is written as JSON once. */
const parameters = new WeakMap<z.ZodType, Fields>();

/** A tool's parameters. What JSON schema can't say is left open: the engine checks the arguments anyway. */
export function parametersOf(schema: z.ZodType): Fields {
  const known = parameters.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...written }: Fields = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  parameters.set(schema, written);
  return written;
}

/** The input of a codec; `undefined` for one that reads anything but a JSON object, which services can't ask a model for. */
export function outputSchemaOf(codec: z.ZodType): Fields | undefined {
  try {
    const { $schema: _, ...written }: Fields = z.toJSONSchema(codec, { io: "input" });
    return written["type"] === "object" ? written : undefined;
  } catch {
    return undefined;
  }
}

/** What a model is told that can't be bound to a schema. */
export const outputInstructions = (schema: Fields): string =>
  `Reply with nothing but JSON that fits this JSON schema: ${JSON.stringify(schema)}`;

/**
 * As an object, which is all that endpoints take: of a choice between objects, one with the properties of all. Anything
 * else becomes an object of any properties.
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

/** Whether a tool of these parameters takes a text, and not JSON. */
export const takesText = (parameters: z.ZodType): boolean => parametersOf(parameters)["type"] === "string";

/** The parameters of a function of one text, where a tool can take nothing but an object. */
const TEXT_INPUT: Fields = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** What a function takes: an object, for a tool that takes a text of that text. */
export const functionParameters = (parameters: z.ZodType): Fields =>
  takesText(parameters) ? TEXT_INPUT : objectSchema(parametersOf(parameters));

/** What a model wrote to a function of one text. Models that don't keep to it write the text alone. */
export function textInputIn(text: unknown): string {
  if (typeof text !== "string") return "";
  const input = fieldsOf(parseJson(text))["input"];
  return typeof input === "string" ? input : text;
}
