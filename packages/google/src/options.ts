import { checkRelease, processEnvironment } from "@jaf/memory/internal";
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

/** How the agent's `outputCodec` is sent. */
export type OutputFormat = "json_schema" | "instructions" | "none";

/** Options of {@link createGoogleProvider}. */
export interface GoogleProviderOptions extends ModelServiceOptions {
  /** Default: `GOOGLE_GENERATIVE_AI_API_KEY`, else `GEMINI_API_KEY`, both for Google's own URL only. */
  readonly apiKey?: string | undefined;
  /** The URL without `/models`. Default: `https://generativelanguage.googleapis.com/v1beta`. */
  readonly baseURL?: string | undefined;
  /** Whether replies contain thought summaries. Default `false`. Thought signatures are always included. */
  readonly includeThoughts?: boolean | undefined;
  /**
   * How the agent's `outputCodec` is sent. Default: `"json_schema"`, or `"instructions"` for models before Gemini 3 with tools,
   * which don't accept a schema and tools together. `"none"` sends no format.
   */
  readonly outputFormat?: OutputFormat | undefined;
  /** The registry of cached prompts. Default: a new registry for this provider, in memory. */
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

/** The service's URL and key. */
export interface Endpoint {
  /** Without a trailing slash. */
  readonly baseURL: string;
  readonly provider: string;
  /** The service at a path, e.g. `/cachedContents`. */
  readonly at: (path: string) => ModelService;
  /** `undefined` if requests have no key. */
  readonly apiKey: string | undefined;
}

const GOOGLE = "https://generativelanguage.googleapis.com/v1beta";

/** Throws a `TypeError` if Google's key is missing. */
export function openEndpoint(options: ParsedOptions): Endpoint {
  checkRelease(globalThis.JAF_RELEASE);
  const baseURL = options.baseURL ?? GOOGLE;
  const { host, hostname, protocol } = new URL(baseURL);
  const isGoogle = hostname === "generativelanguage.googleapis.com" && protocol === "https:";
  const { GOOGLE_GENERATIVE_AI_API_KEY: key, GEMINI_API_KEY: otherKey } = processEnvironment();
  // The environment's key is Google's: another host must not get it. An empty key counts as unset.
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
