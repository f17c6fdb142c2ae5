import { type Fields, isObject, outputInstructions, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import type { OutputFormat } from "../options.ts";

/** The fields and instructions that describe the output's format. */
interface OutputFormatFields {
  /** Fields of `generationConfig`. */
  readonly config: Fields;
  /** Appended to the agent's instructions. */
  readonly instructions: string;
}

const NO_OUTPUT_FORMAT: OutputFormatFields = { config: {}, instructions: "" };

/** Sends no format for codecs that read anything but a JSON object. */
export function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): OutputFormatFields {
  const schema = codec === undefined || format === "none" ? undefined : outputSchemaOf(codec);
  if (schema === undefined) return NO_OUTPUT_FORMAT;
  if (format === "instructions") return { config: {}, instructions: outputInstructions(schema) };
  return {
    config: { responseMimeType: "application/json", responseJsonSchema: supportedSchema(schema) },
    instructions: "",
  };
}

/** Replaces `const`, which Gemini ignores, by an `enum` with one value. */
export function supportedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(supportedSchema);
  if (!isObject(schema)) return schema;
  const { const: constant, ...rest } = schema;
  const entries = Object.entries(rest).map(([keyword, value]) => [keyword, within(keyword, value)]);
  const written = Object.fromEntries(entries);
  return typeof constant === "string" ? { ...written, enum: [constant] } : { ...schema, ...written };
}

/** Property names aren't keywords, and `enum` values aren't schemas. */
function within(keyword: string, value: unknown): unknown {
  if (keyword === "properties" || keyword === "$defs")
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, supportedSchema(inner)]))
      : value;
  return ["enum", "default", "examples", "required"].includes(keyword) ? value : supportedSchema(value);
}
