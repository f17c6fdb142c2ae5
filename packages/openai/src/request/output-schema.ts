import { type Fields, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import { strictSchema } from "./strict.ts";

/** What the output of a codec must be, as OpenAI's `json_schema` formats have it. */
export interface OutputSchema {
  readonly name: "output";
  readonly schema: Fields;
  readonly strict: boolean;
}

/** Codecs stay as they are, so each is written as JSON once. */
const written = new WeakMap<z.ZodType, { readonly schema: OutputSchema | undefined }>();

/** `undefined` for a codec that reads anything but a JSON object: the endpoints can't ask a model for it. */
export function outputSchema(codec: z.ZodType): OutputSchema | undefined {
  const known = written.get(codec) ?? { schema: write(codec) };
  written.set(codec, known);
  return known.schema;
}

function write(codec: z.ZodType): OutputSchema | undefined {
  const schema = outputSchemaOf(codec);
  if (schema?.["type"] !== "object") return undefined;
  const strict = strictSchema(schema);
  return { name: "output", schema: strict ?? schema, strict: strict !== undefined };
}
