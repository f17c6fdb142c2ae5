import { type Fields, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import type { OutputFormat } from "../options.ts";
import { supportedSchema } from "./supported-schema.ts";

/** How the model is told what the output must be. */
export interface ToldOutput {
  /** Fields of `generationConfig`. */
  readonly config: Fields;
  /** Behind the agent's own. */
  readonly instructions: string;
}

const UNTOLD: ToldOutput = { config: {}, instructions: "" };

/** Codecs stay as they are, so each is written as JSON once. */
const schemas = new WeakMap<z.ZodType, { readonly schema: Fields | undefined }>();

function schemaOf(codec: z.ZodType): Fields | undefined {
  const known = schemas.get(codec) ?? { schema: outputSchemaOf(codec) };
  schemas.set(codec, known);
  return known.schema;
}

/** Nothing is told of a codec that reads anything but a JSON object. */
export function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): ToldOutput {
  if (codec === undefined || format === "none") return UNTOLD;
  const schema = schemaOf(codec);
  if (schema?.["type"] !== "object") return UNTOLD;
  if (format === "instructions") {
    const text = JSON.stringify(schema);
    return { config: {}, instructions: `Reply with nothing but JSON that fits this JSON schema: ${text}` };
  }
  return {
    config: { responseMimeType: "application/json", responseJsonSchema: supportedSchema(schema) },
    instructions: "",
  };
}
