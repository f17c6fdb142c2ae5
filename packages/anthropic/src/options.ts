import { processEnvironment } from "@jaf/memory/internal";
import {
  createModelService,
  type ModelService,
  type ModelServiceOptions,
  parseServiceOptions,
  serviceOptions,
} from "@jaf/model-http";
import * as z from "zod";
import { errors } from "./errors.ts";

/** How an agent's `outputCodec` is told to the model. */
export type OutputFormat = "json_schema" | "instructions" | "none";

export interface AnthropicProviderOptions extends ModelServiceOptions {
  /** Default: `ANTHROPIC_API_KEY`. Sent as `x-api-key`. A service other than Anthropic's may do without. */
  readonly apiKey?: string | undefined;
  /** Up to and without `/v1/messages`. Default: `ANTHROPIC_BASE_URL`, else `https://api.anthropic.com`. */
  readonly baseURL?: string | undefined;
  /** The longest reply, in tokens, where the agent's `modelConfig.maxTokens` doesn't say. Default 16384. */
  readonly maxTokens?: number | undefined;
  /** Names of beta features, sent as `anthropic-beta`. Those of `providerOptions.anthropic.betas` are added. */
  readonly betas?: readonly string[] | undefined;
  /**
   * Default: `"json_schema"` where the model takes one and the schema can be said, else `"instructions"`, which puts it behind
   * the agent's instructions. `"none"` leaves it to them.
   */
  readonly outputFormat?: OutputFormat | undefined;
  /**
   * What the newer models do with their thinking where something before it has changed: leave it out (`"drop_block"`, default),
   * or refuse the request (`"error"`). Set by `thinking.block_binding`, which the agent's own outranks.
   */
  readonly prefixMismatch?: "drop_block" | "error" | undefined;
  /** How often a reply that the service has paused (`pause_turn`) is gone on with inside one call, from 0. Default 8. */
  readonly maxContinuations?: number | undefined;
}

const optionsSchema = z.strictObject({
  ...serviceOptions,
  maxTokens: z.int().min(1).default(16_384),
  betas: z.array(z.string().min(1)).default([]),
  outputFormat: z.enum(["json_schema", "instructions", "none"]).optional(),
  prefixMismatch: z.enum(["drop_block", "error"]).default("drop_block"),
  maxContinuations: z.int().min(0).max(100).default(8),
});

export type ParsedOptions = z.output<typeof optionsSchema>;

export const parseOptions = (options: AnthropicProviderOptions): ParsedOptions =>
  parseServiceOptions(optionsSchema, options, "createAnthropicProvider");

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
