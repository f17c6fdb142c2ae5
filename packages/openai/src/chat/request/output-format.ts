import { type Fields, outputSchemaOf } from "@jaf/model-http";
import type * as z from "zod";
import type { OutputFormat } from "../../dialect.ts";
import { outputSchema } from "../../request/output-schema.ts";

/** How the endpoint is told what the output must be. */
export interface ToldOutput {
  /** Fields of the request's body. */
  readonly body: Fields;
  /** Behind the agent's own. */
  readonly instructions: string;
}

const UNTOLD: ToldOutput = { body: {}, instructions: "" };

/** Nothing is told of a codec that reads anything but a JSON object: the endpoints can't ask a model for it. */
export function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): ToldOutput {
  const json_schema = codec === undefined || format === "none" ? undefined : outputSchema(codec);
  if (codec === undefined || json_schema === undefined) return UNTOLD;
  if (format === "json_schema")
    return { body: { response_format: { type: "json_schema", json_schema } }, instructions: "" };
  const schema = JSON.stringify(outputSchemaOf(codec));
  const instructions = `Reply with nothing but JSON that fits this JSON schema: ${schema}`;
  return { body: { response_format: { type: "json_object" } }, instructions };
}
