import { type Fields, fieldsOf, isObject, listOf, outputInstructions, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import type { OutputFormat } from "../dialect.ts";

/** The fields and instructions that tell the endpoint what the output must be. */
interface OutputFormatFields {
  /** Fields of the request's body. */
  readonly body: Fields;
  /** Behind the agent's own. */
  readonly instructions: string;
}

const NO_OUTPUT_FORMAT: OutputFormatFields = { body: {}, instructions: "" };

/** Nothing is told of a codec that reads anything but a JSON object: the endpoints can't ask a model for it. */
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

/** What the output must be, as OpenAI's `json_schema` formats have it. */
export function strictOutput(schema: Fields) {
  const strict = strictSchema(schema);
  return { name: "output", schema: strict ?? schema, strict: strict !== undefined };
}

/** What OpenAI's strict mode knows. Anything else, and it refuses the request. */
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

/** `undefined` where strict mode can't say the same: an optional property, a record, a keyword that it doesn't know. */
function strictSchema(schema: unknown): Fields | undefined {
  if (!isObject(schema)) return undefined;
  const { oneOf, ...rest } = schema;
  // zod writes a choice by a discriminator as `oneOf`, whose variants exclude each other.
  const given: Fields = oneOf === undefined ? rest : { ...rest, anyOf: oneOf };
  if (!Object.keys(given).every((keyword) => KEYWORDS.has(keyword))) return undefined;
  if (given["format"] !== undefined && !FORMATS.has(given["format"])) return undefined;
  const sent: Record<string, unknown> = { ...given };
  if (given["type"] === "object") {
    const names = Object.keys(fieldsOf(given["properties"]));
    const required = listOf(given["required"]);
    // `{}` is what a record of anything has.
    if (given["additionalProperties"] !== undefined && given["additionalProperties"] !== false)
      return undefined;
    if (given["properties"] === undefined || !names.every((name) => required.includes(name)))
      return undefined;
    sent["additionalProperties"] = false;
    sent["required"] = names;
  } else if (given["additionalProperties"] !== undefined) return undefined;
  return allStrict(sent) ? sent : undefined;
}

/** Writes the strict form of each schema in it; `false` where one has none. */
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
