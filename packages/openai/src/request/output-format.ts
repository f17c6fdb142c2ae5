import { type Fields, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import type { OutputFormat } from "../dialect.ts";
import { strictSchema } from "./strict.ts";

/** How the endpoint is told what the output must be. */
export interface ToldOutput {
  /** Fields of the request's body. */
  readonly body: Fields;
  /** Behind the agent's own. */
  readonly instructions: string;
}

const UNTOLD: ToldOutput = { body: {}, instructions: "" };

/** Codecs stay as they are, so each is written as JSON once. */
const told = new WeakMap<z.ZodType, Map<OutputFormat, ToldOutput>>();

/** Nothing is told of a codec that reads anything but a JSON object: the endpoints can't ask a model for it. */
export function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): ToldOutput {
  if (codec === undefined || format === "none") return UNTOLD;
  const formats = told.get(codec) ?? new Map<OutputFormat, ToldOutput>();
  told.set(codec, formats);
  const known = formats.get(format) ?? tell(codec, format);
  formats.set(format, known);
  return known;
}

function tell(codec: z.ZodType, format: OutputFormat): ToldOutput {
  const schema = outputSchemaOf(codec);
  if (schema?.["type"] !== "object") return UNTOLD;
  if (format === "json_object") {
    const instructions = `Reply with nothing but JSON that fits this JSON schema: ${JSON.stringify(schema)}`;
    return { body: { response_format: { type: "json_object" } }, instructions };
  }
  const strict = strictSchema(schema);
  const json_schema = { name: "output", schema: strict ?? schema, strict: strict !== undefined };
  return { body: { response_format: { type: "json_schema", json_schema } }, instructions: "" };
}
