import { processEnvironment } from "@jaf/memory/internal";
import {
  createModelService,
  type ModelService,
  type ModelServiceOptions,
  parseServiceOptions,
  serviceOptions,
} from "@jaf/model-http";
import * as z from "zod";
import { GoogleCacheRegistry } from "./cache-registry.ts";
import { errors } from "./errors.ts";

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

/** Where requests go, and as whom. */
export interface Endpoint {
  /** Without a slash at its end. */
  readonly baseURL: string;
  readonly provider: string;
  /** Of a path behind the base, e.g. `/cachedContents`. */
  readonly at: (path: string) => ModelService;
  /** `undefined`: none is sent. */
  readonly apiKey: string | undefined;
}

const GOOGLE = "https://generativelanguage.googleapis.com/v1beta";

/** Throws a `TypeError` where Google is to be asked without a key. */
export function openEndpoint(options: ParsedOptions): Endpoint {
  const baseURL = options.baseURL ?? GOOGLE;
  const { host, hostname, protocol } = new URL(baseURL);
  const isGoogle = hostname === "generativelanguage.googleapis.com" && protocol === "https:";
  const { GOOGLE_GENERATIVE_AI_API_KEY: key, GEMINI_API_KEY: otherKey } = processEnvironment();
  // A key of the environment is Google's: another host must not get it. An empty one counts as not set.
  const apiKey = options.apiKey ?? (isGoogle ? key || otherKey || undefined : undefined);
  const keyHeaders = ["x-goog-api-key", "authorization"];
  const service = createModelService({
    ...{
      url: baseURL,
      provider: options.provider ?? (isGoogle ? "google" : host),
      errors,
      options,
      keyHeaders,
    },
    headers: { "x-goog-api-key": apiKey },
  });
  if (isGoogle && !service.hasKey)
    throw new TypeError("createGoogleProvider: set GOOGLE_GENERATIVE_AI_API_KEY, or pass apiKey");
  return {
    baseURL,
    provider: service.provider,
    apiKey: keyHeaders.map((name) => service.headers[name]).find((value) => value !== undefined),
    at: (path) => ({ ...service, url: `${baseURL}${path}` }),
  };
}
