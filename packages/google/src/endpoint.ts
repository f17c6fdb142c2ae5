import { processEnvironment } from "@jaf/memory/engine";
import { createModelService, type ModelService } from "@jaf/model-http";
import { errors } from "./error.ts";
import type { ParsedOptions } from "./options.ts";

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
