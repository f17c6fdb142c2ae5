import { type Fields, fieldsOf, isObject, listOf, outputInstructions, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import type { OutputFormat } from "../dialect.ts";

/** The fields and instructions that describe the output's format. */
interface OutputFormatFields {
  /** Fields of the request's body. */
  readonly body: Fields;
  /** Appended to the agent's instructions. */
  readonly instructions: string;
}

const NO_OUTPUT_FORMAT: OutputFormatFields = { body: {}, instructions: "" };

/** Sends no format for codecs that read anything but a JSON object: endpoints don't support them. */
export function chatOutputFormat(codec: z.ZodType | undefined, format: OutputFormat): OutputFormatFields {
  const schema = codec === undefined || format === "none" ? undefined : outputSchemaOf(codec);
  if (schema === undefined) return NO_OUTPUT_FORMAT;
  if (format === "json_object")
    return { body: { response_format: { type: "json_object" } }, instructions: outputInstructions(schema) };
  return {
    body: { response_format: { type: "json_schema", json_schema: strictOutput(schema) } },
    instructions: "",
  };
}

/** The fields of OpenAI's `json_schema` formats. */
export function strictOutput(schema: Fields) {
  const strict = strictSchema(schema);
  return { name: "output", schema: strict ?? schema, strict: strict !== undefined };
}

/** The keywords of OpenAI's strict mode, which refuses a request with any other. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "enum",
    "const",
    "$ref",
    "$defs",
  ],
  ...["title", "description", "pattern", "format", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
]);

const FORMATS: ReadonlySet<unknown> = new Set([
  ...["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
]);

/** `undefined` if strict mode can't express the schema: optional properties, records, unknown keywords. */
export function strictSchema(schema: unknown): Fields | undefined {
  if (!isObject(schema)) return undefined;
  const { oneOf, ...rest } = schema;
  // zod writes a discriminated union as `oneOf`; its variants exclude each other, so `anyOf` means the same.
  const given: Fields = oneOf === undefined ? rest : { ...rest, anyOf: oneOf };
  if (!Object.keys(given).every((keyword) => KEYWORDS.has(keyword))) return undefined;
  if (given["format"] !== undefined && !FORMATS.has(given["format"])) return undefined;
  if (!["type", "anyOf", "$ref"].some((keyword) => given[keyword] !== undefined)) return undefined;
  const sent: Record<string, unknown> = { ...given };
  if (given["type"] === "object") {
    const names = Object.keys(fieldsOf(given["properties"]));
    const required = listOf(given["required"]);
    // A record of any values has `{}` here.
    if (given["additionalProperties"] !== undefined && given["additionalProperties"] !== false)
      return undefined;
    if (given["properties"] === undefined || !names.every((name) => required.includes(name)))
      return undefined;
    sent["additionalProperties"] = false;
    sent["required"] = names;
  } else if (given["additionalProperties"] !== undefined) return undefined;
  return allStrict(sent) ? sent : undefined;
}

/** Replaces each inner schema by its strict form. Returns `false` if one has none. */
function allStrict(schema: Record<string, unknown>): boolean {
  for (const keyword of ["properties", "$defs"]) {
    if (schema[keyword] === undefined) continue;
    const entries = Object.entries(fieldsOf(schema[keyword])).map(([name, inner]) => [
      name,
      strictSchema(inner),
    ]);
    if (entries.some(([, inner]) => inner === undefined)) return false;
    schema[keyword] = Object.fromEntries(entries);
  }
  if (schema["anyOf"] !== undefined) {
    const variants = listOf(schema["anyOf"]).map(strictSchema);
    if (variants.includes(undefined)) return false;
    schema["anyOf"] = variants;
  }
  if (schema["items"] === undefined) return schema["type"] !== "array";
  schema["items"] = strictSchema(schema["items"]);
  return schema["items"] !== undefined;
}
