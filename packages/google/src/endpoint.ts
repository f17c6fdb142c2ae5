import type { ModelService } from "@jaf/model-http";
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
export function openEndpoint(options: ParsedOptions, environmentKey: string | undefined): Endpoint {
  const baseURL = options.baseURL ?? GOOGLE;
  const { host, hostname, protocol } = new URL(baseURL);
  const isGoogle = hostname === "generativelanguage.googleapis.com" && protocol === "https:";
  // A key of the environment is Google's: another host must not get it.
  const apiKey = options.apiKey ?? (isGoogle ? environmentKey : undefined);
  const headers: Readonly<Record<string, string>> = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { "x-goog-api-key": apiKey }),
    ...lowerCased(options.headers ?? {}),
  };
  const hasKey = headers["x-goog-api-key"] !== undefined || headers["authorization"] !== undefined;
  if (isGoogle && !hasKey)
    throw new TypeError("createGoogleProvider: set GOOGLE_GENERATIVE_AI_API_KEY, or pass apiKey");
  const provider = options.provider ?? (isGoogle ? "google" : host);
  // Looked up at each call, so that a test or an instrumentation that replaces it is heard.
  const fetch: typeof globalThis.fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
  return {
    baseURL,
    provider,
    apiKey: headers["x-goog-api-key"] ?? headers["authorization"],
    at: (path) => ({ url: `${baseURL}${path}`, headers, fetch, provider, hasKey, errors }),
  };
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
