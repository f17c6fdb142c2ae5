import { type Fields, fieldsOf, isObject, listOf, outputInstructions, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import type { OutputFormat } from "../options.ts";

/** The fields and instructions that describe the output's format. */
interface OutputFormatFields {
  /** The `format` of `output_config`. */
  readonly format: Fields | undefined;
  /** Appended to the agent's instructions. */
  readonly instructions: string;
}

const NO_OUTPUT_FORMAT: OutputFormatFields = { format: undefined, instructions: "" };

/** Sends no format for codecs that read anything but a JSON object. */
export function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): OutputFormatFields {
  const written = codec === undefined || format === "none" ? undefined : outputSchemaOf(codec);
  if (written === undefined) return NO_OUTPUT_FORMAT;
  const schema = format === "json_schema" ? outputSchema(written) : undefined;
  return schema === undefined
    ? { format: undefined, instructions: outputInstructions(written) }
    : { format: { type: "json_schema", schema }, instructions: "" };
}

/**
 * The schema in Anthropic's terms. `undefined` if it can't express the schema: records, objects with any properties,
 * recursive schemas, too many optional properties.
 */
export function outputSchema(schema: Fields): Fields | undefined {
  const state = { optional: 0, isSaid: !refersToItself(schema) };
  const sent = state.isSaid ? closed(schema, state) : schema;
  return state.isSaid && state.optional <= MAX_OPTIONAL ? sent : undefined;
}

/** Keywords that structured output supports. Others are added to the description; the engine validates all of them. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "anyOf", "allOf", "enum", "const"],
  ...["$ref", "$defs", "title", "description", "default"],
]);

const FORMATS: ReadonlySet<unknown> = new Set([
  ...["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
]);

/** With more optional properties, Anthropic's compilation takes too long. */
const MAX_OPTIONAL = 10;

interface SchemaState {
  optional: number;
  isSaid: boolean;
}

function closed(schema: Fields, state: SchemaState): Fields {
  const { oneOf, ...rest } = schema;
  // zod writes a discriminated union as `oneOf`; its variants exclude each other, so `anyOf` means the same.
  const given: Fields = oneOf === undefined ? rest : { ...rest, anyOf: oneOf };
  const sent: Record<string, unknown> = {};
  const unsupported: string[] = [];
  for (const [keyword, value] of Object.entries(given)) {
    if (KEYWORDS.has(keyword)) sent[keyword] = value;
    else if (keyword === "format" && FORMATS.has(value)) sent[keyword] = value;
    else unsupported.push(`${keyword}: ${JSON.stringify(value)}`);
  }
  if (unsupported.length > 0)
    sent["description"] = [given["description"], `(${unsupported.join(", ")})`].filter(Boolean).join(" ");
  if (given["type"] === "object") closeObject(sent, given, state);
  for (const keyword of ["properties", "$defs"]) {
    if (sent[keyword] === undefined) continue;
    const entries = Object.entries(fieldsOf(sent[keyword]));
    sent[keyword] = Object.fromEntries(entries.map(([name, inner]) => [name, closedInner(inner, state)]));
  }
  for (const keyword of ["anyOf", "allOf"]) {
    if (sent[keyword] !== undefined)
      sent[keyword] = listOf(sent[keyword]).map((inner) => closedInner(inner, state));
  }
  if (sent["items"] !== undefined) sent["items"] = closedInner(sent["items"], state);
  return sent;
}

const closedInner = (inner: unknown, state: SchemaState): unknown =>
  isObject(inner) ? closed(inner, state) : inner;

function closeObject(sent: Record<string, unknown>, given: Fields, state: SchemaState): void {
  const names = Object.keys(fieldsOf(given["properties"]));
  const required = listOf(given["required"]);
  const further = given["additionalProperties"];
  if (isObject(further) || further === true || (names.length === 0 && further !== false))
    state.isSaid = false;
  state.optional += names.filter((name) => !required.includes(name)).length;
  sent["additionalProperties"] = false;
}

/** Whether the schema refers to its root, or a definition refers to itself. */
function refersToItself(schema: Fields): boolean {
  const definitions = fieldsOf(schema["$defs"]);
  const leadsBack = (node: unknown, path: readonly string[]): boolean => {
    if (Array.isArray(node)) return node.some((item) => leadsBack(item, path));
    if (!isObject(node)) return false;
    const target = node["$ref"];
    if (typeof target === "string") {
      const name = target.replace("#/$defs/", "");
      return target === "#" || path.includes(name) || leadsBack(definitions[name], [...path, name]);
    }
    return Object.entries(node).some(([keyword, inner]) => keyword !== "$defs" && leadsBack(inner, path));
  };
  return leadsBack(schema, []);
}
