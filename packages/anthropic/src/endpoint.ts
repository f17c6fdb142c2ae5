import type { ModelService } from "@jaf/model-http";
import type { ServiceEnvironment } from "./environment.ts";
import { errors } from "./error.ts";
import type { ParsedOptions } from "./options.ts";

const ANTHROPIC = "https://api.anthropic.com";
const VERSION = "2023-06-01";

/** The address may end in `/v1`, as other clients want it. */
const rootOf = (baseURL: string): string => baseURL.replace(/\/+$/, "").replace(/\/v1$/, "");

/** Throws a `TypeError` where Anthropic is to be asked without a key, or where an address of the environment is none. */
export function openEndpoint(options: ParsedOptions, environment: ServiceEnvironment): ModelService {
  const baseURL = rootOf(options.baseURL ?? environment.baseURL ?? ANTHROPIC);
  if (!URL.canParse(baseURL)) throw new TypeError("ANTHROPIC_BASE_URL: expected an address of http or https");
  const { host, hostname } = new URL(baseURL);
  const isAnthropic = hostname === "api.anthropic.com";
  const isOfEnvironment = environment.baseURL !== undefined && baseURL === rootOf(environment.baseURL);
  // A key of the environment is for the address of the environment: another host must not get it.
  const isTrusted = options.baseURL === undefined || isOfEnvironment || isAnthropic;
  const apiKey = options.apiKey ?? (isTrusted ? environment.apiKey : undefined);
  const own = lowerCased(options.headers ?? {});
  const hasKey = apiKey !== undefined || own["authorization"] !== undefined || own["x-api-key"] !== undefined;
  if (isAnthropic && !hasKey)
    throw new TypeError("createAnthropicProvider: set ANTHROPIC_API_KEY, or pass apiKey");
  return {
    url: `${baseURL}/v1/messages`,
    headers: {
      "content-type": "application/json",
      "anthropic-version": VERSION,
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
      ...own,
    },
    // Looked up at each call, so that a test or an instrumentation that replaces it is heard.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    hasKey,
    errors,
    provider: options.provider ?? (isAnthropic ? "anthropic" : host),
  };
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
