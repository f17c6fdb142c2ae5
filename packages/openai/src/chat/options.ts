import * as z from "zod";
import type { Dialect, OutputFormat } from "../dialect.ts";
import { endpointFields, type OpenAIEndpointOptions } from "../options.ts";

export interface OpenAIProviderOptions extends OpenAIEndpointOptions {
  /** Default: by the endpoint's host; where that is nobody's in particular, by the model's name. */
  readonly dialect?: Dialect | undefined;
  /** Default: by the dialect. `"json_object"` puts the schema into the instructions, `"none"` leaves it to them. */
  readonly outputFormat?: OutputFormat | undefined;
  /** Fields of its own replies that the endpoint doesn't take back. */
  readonly omitFields?: readonly string[] | undefined;
  /** Whether a stream is asked to say what it used; default `true`. Some endpoints refuse the question. */
  readonly streamUsage?: boolean | undefined;
}

export const optionsSchema = z.strictObject({
  ...endpointFields(),
  dialect: z.enum(["openai", "deepseek", "gemini", "compatible"]).optional(),
  outputFormat: z.enum(["json_schema", "json_object", "none"]).optional(),
  omitFields: z.array(z.string()).default([]),
  streamUsage: z.boolean().default(true),
});

export type ParsedOptions = z.output<typeof optionsSchema>;
