import { checkRelease, processEnvironment } from "@jaf/memory/internal";
import {
  createModelService,
  environmentURL,
  type ModelService,
  type ModelServiceOptions,
  parseServiceOptions,
  serviceOptions,
} from "@jaf/model-http";
import * as z from "zod";
import { errors } from "./errors.ts";

/** How the agent's `outputCodec` is sent. */
export type OutputFormat = "json_schema" | "instructions" | "none";

/** Options of {@link createAnthropicProvider}. */
export interface AnthropicProviderOptions extends ModelServiceOptions {
  /** Sent as `x-api-key`. Default: `ANTHROPIC_API_KEY`. Required for Anthropic's own service only. */
  readonly apiKey?: string | undefined;
  /** The URL without `/v1/messages`. Default: `ANTHROPIC_BASE_URL`, else `https://api.anthropic.com`. */
  readonly baseURL?: string | undefined;
  /** The limit of a reply in tokens, if the agent's `modelConfig.maxTokens` isn't set. Default 16,384. */
  readonly maxTokens?: number | undefined;
  /**
   * Names of beta features, sent as `anthropic-beta`. Those of `providerOptions.anthropic.betas` are added, and those
   * that the request requires.
   */
  readonly betas?: readonly string[] | undefined;
  /**
   * How the agent's `outputCodec` is sent. Default: `"json_schema"` if the model supports it and can express the schema, else
   * `"instructions"`, which appends the schema to the agent's instructions. `"none"` sends no format.
   */
  readonly outputFormat?: OutputFormat | undefined;
  /**
   * What newer models do with earlier thinking if a message before it changed: ignore it (`"drop_block"`, default) or refuse
   * the request (`"error"`). Sent as `thinking.block_binding`. The agent's own `thinking` overrides it.
   */
  readonly prefixMismatch?: "drop_block" | "error" | undefined;
  /** How many times one model call continues a paused reply (`pause_turn`, `compaction`), 0 to 100. Default 8. */
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

/** The URL may end in `/v1`, which other clients require. */
const rootOf = (baseURL: string): string => baseURL.replace(/\/+$/, "").replace(/\/v1$/, "");

/** Throws a `TypeError` if Anthropic's key is missing or `ANTHROPIC_BASE_URL` isn't a URL. */
export function openEndpoint(options: ParsedOptions): ModelService {
  checkRelease(globalThis.JAF_RELEASE);
  // An empty variable counts as unset.
  const { ANTHROPIC_API_KEY: key = "", ANTHROPIC_BASE_URL: address = "" } = processEnvironment();
  const baseURL = rootOf(options.baseURL ?? environmentURL("ANTHROPIC_BASE_URL", address || ANTHROPIC));
  const { host, hostname } = new URL(baseURL);
  const isAnthropic = hostname === "api.anthropic.com";
  // The environment's key belongs to the environment's URL: another host must not get it.
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
