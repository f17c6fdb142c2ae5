import { processEnvironment } from "@jaf/memory/engine";
import { createModelService, type ModelService } from "@jaf/model-http";
import { errors } from "./error.ts";
import type { ParsedOptions } from "./options.ts";

const ANTHROPIC = "https://api.anthropic.com";
const VERSION = "2023-06-01";

/** The address may end in `/v1`, as other clients want it. */
const rootOf = (baseURL: string): string => baseURL.replace(/\/+$/, "").replace(/\/v1$/, "");

/** Throws a `TypeError` where Anthropic is to be asked without a key, or where an address of the environment is none. */
export function openEndpoint(options: ParsedOptions): ModelService {
  // Empty counts as not set.
  const { ANTHROPIC_API_KEY: key = "", ANTHROPIC_BASE_URL: address = "" } = processEnvironment();
  const baseURL = rootOf(options.baseURL ?? (address || ANTHROPIC));
  if (!URL.canParse(baseURL)) throw new TypeError("ANTHROPIC_BASE_URL: expected an address of http or https");
  const { host, hostname } = new URL(baseURL);
  const isAnthropic = hostname === "api.anthropic.com";
  // A key of the environment is for the address of the environment: another host must not get it.
  const isTrusted = options.baseURL === undefined || baseURL === rootOf(address) || isAnthropic;
  const service = createModelService({
    url: `${baseURL}/v1/messages`,
    provider: options.provider ?? (isAnthropic ? "anthropic" : host),
    errors,
    options,
    headers: {
      "anthropic-version": VERSION,
      "x-api-key": options.apiKey ?? (isTrusted && key !== "" ? key : undefined),
    },
    keyHeaders: ["x-api-key", "authorization"],
  });
  if (isAnthropic && !service.hasKey)
    throw new TypeError("createAnthropicProvider: set ANTHROPIC_API_KEY, or pass apiKey");
  return service;
}
