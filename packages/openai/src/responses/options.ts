import * as z from "zod";
import { endpointFields, type OpenAIEndpointOptions } from "../options.ts";

export interface OpenAIResponsesProviderOptions extends OpenAIEndpointOptions {
  /**
   * `"openai"`: custom tools, `prompt_cache_key` and encrypted reasoning. `"compatible"`: none of them. Default: `"openai"`
   * where the host is OpenAI's or Azure's, else `"compatible"`.
   */
  readonly dialect?: "openai" | "compatible" | undefined;
  /** Whether OpenAI keeps the responses. Default `false`. `providerOptions.openai.store` outranks it. */
  readonly store?: boolean | undefined;
  /**
   * Whether models are asked for their reasoning in encrypted form, so that it can go back to them. Models that don't reason
   * refuse the question. Default: by the dialect and the model's name: not `gpt-3…`, `gpt-4…`, `gpt-5-chat…`, `chatgpt…`.
   */
  readonly encryptedReasoning?: boolean | undefined;
  /** The summary that a reasoning model writes of its thinking. Default: none is asked for. */
  readonly reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
  /** How an agent's `outputCodec` is told to the endpoint. Default `"json_schema"`; `"none"` leaves it to the instructions. */
  readonly outputFormat?: "json_schema" | "none" | undefined;
}

export const optionsSchema = z.strictObject({
  ...endpointFields(),
  dialect: z.enum(["openai", "compatible"]).optional(),
  store: z.boolean().default(false),
  encryptedReasoning: z.boolean().optional(),
  reasoningSummary: z.enum(["auto", "concise", "detailed"]).optional(),
  outputFormat: z.enum(["json_schema", "none"]).default("json_schema"),
});

export type ParsedOptions = z.output<typeof optionsSchema>;
