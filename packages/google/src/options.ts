import { type ModelServiceOptions, parseServiceOptions, serviceOptions } from "@jaf/model-http";
import * as z from "zod";
import { GoogleCacheRegistry } from "./cache/registry.ts";

/** How an agent's `outputCodec` is told to the model. */
export type OutputFormat = "json_schema" | "instructions" | "none";

export interface GoogleProviderOptions extends ModelServiceOptions {
  /** Default: `GOOGLE_GENERATIVE_AI_API_KEY`, else `GEMINI_API_KEY`, for Google's own address alone. */
  readonly apiKey?: string | undefined;
  /** Up to and without `/models`. Default: `https://generativelanguage.googleapis.com/v1beta`. */
  readonly baseURL?: string | undefined;
  /** Whether replies hold summaries of what the model thought; default `false`. Signatures come either way. */
  readonly includeThoughts?: boolean | undefined;
  /**
   * Default: `"json_schema"`, or `"instructions"` for models before Gemini 3 that are given tools, since those refuse both.
   * `"none"` leaves it to the agent's instructions.
   */
  readonly outputFormat?: OutputFormat | undefined;
  /** Where cached prompts are looked up. Default: one of this provider's own, in this process. */
  readonly cacheRegistry?: GoogleCacheRegistry | undefined;
}

const optionsSchema = z.strictObject({
  ...serviceOptions,
  includeThoughts: z.boolean().default(false),
  outputFormat: z.enum(["json_schema", "instructions", "none"]).optional(),
  cacheRegistry: z
    .custom<GoogleCacheRegistry>(
      (value) => value instanceof GoogleCacheRegistry,
      "expected a GoogleCacheRegistry",
    )
    .optional(),
});

export type ParsedOptions = z.output<typeof optionsSchema>;

export const parseOptions = (options: GoogleProviderOptions): ParsedOptions =>
  parseServiceOptions(optionsSchema, options, "createGoogleProvider");
