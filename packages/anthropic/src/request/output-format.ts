import { type Fields, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import type { OutputFormat } from "../options.ts";
import { outputSchema } from "./output-schema.ts";

/** How the model is told what the output must be. */
export interface ToldOutput {
  /** Of `output_config`. */
  readonly format: Fields | undefined;
  /** Behind the agent's own. */
  readonly instructions: string;
}

const UNTOLD: ToldOutput = { format: undefined, instructions: "" };

/** Codecs stay as they are, so each is written as JSON once. */
const told = new WeakMap<z.ZodType, Map<OutputFormat, ToldOutput>>();

/** Nothing is told of a codec that reads anything but a JSON object. */
export function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): ToldOutput {
  if (codec === undefined || format === "none") return UNTOLD;
  const formats = told.get(codec) ?? new Map<OutputFormat, ToldOutput>();
  told.set(codec, formats);
  const known = formats.get(format) ?? tell(codec, format);
  formats.set(format, known);
  return known;
}

function tell(codec: z.ZodType, format: OutputFormat): ToldOutput {
  const written = outputSchemaOf(codec);
  if (written?.["type"] !== "object") return UNTOLD;
  const schema = format === "json_schema" ? outputSchema(written) : undefined;
  if (schema !== undefined) return { format: { type: "json_schema", schema }, instructions: "" };
  const instructions = `Reply with nothing but JSON that fits this JSON schema: ${JSON.stringify(written)}`;
  return { format: undefined, instructions };
}
