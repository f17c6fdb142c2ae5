import type { Message } from "@jaf/memory";
import * as z from "zod";
import { frozenCopy } from "../immutable/copy.ts";
import { overlay } from "../immutable/overlay.ts";
import type { ProviderOptions } from "../tools/tool.ts";

/** Whether the model may or must call tools; see `ModelConfig.toolChoice`. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** How much a model reasons, from `"none"` to the maximum. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** An agent's settings for the model. The model provider chooses the values of absent fields. */
export type ModelConfig = {
  /** The model's name, e.g. `"gpt-4"`. If `RunConfig.modelOverride` is set, it replaces this name. */
  readonly name?: string;
  /** The sampling temperature. Its range depends on the model provider. */
  readonly temperature?: number;
  /** The probability limit of nucleus sampling, from 0 to 1. */
  readonly topP?: number;
  /** The maximum length of a reply, in tokens. */
  readonly maxTokens?: number;
  /** How much a model reasons before it replies. A model provider uses the nearest value that its model supports. */
  readonly reasoningEffort?: ReasoningEffort;
  /**
   * Whether the model may or must call tools.
   *
   * - `"auto"`: the model decides.
   * - `"none"`: the model calls no tool.
   * - `"required"`: the model calls at least one tool.
   * - `{ tool }`: the model calls the named tool.
   *
   * After the model has called tools for the user's last message, `"required"` and `{ tool }` count as `"auto"`.
   * Otherwise the run would never get a final reply.
   */
  readonly toolChoice?: ToolChoice;
  /** JSON options for single model providers, by the model provider's name, e.g. `{ openai: { service_tier: "flex" } }`. */
  readonly providerOptions?: ProviderOptions;
  /** The time limit of one attempt of a model call, in milliseconds. Default: `RunConfig.timeouts.modelMs`. */
  readonly timeoutMs?: number;
};

const EFFORTS = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
] as const satisfies readonly ReasoningEffort[];

const isJsonObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && z.json().safeParse(value).success;

/** The fields of `ModelConfig` that are checked, each with its schema and a text for the error. */
// Without temperatures and lengths, because their limits differ between model providers.
const EXPECTED_SETTINGS = [
  ["topP", z.number().min(0).max(1), "a number from 0 to 1"],
  ["reasoningEffort", z.enum(EFFORTS), EFFORTS.map((effort) => `"${effort}"`).join(", ")],
  [
    "toolChoice",
    z.union([z.enum(["auto", "none", "required"]), z.strictObject({ tool: z.string().min(1) })]),
    '"auto", "none", "required" or { tool: name }',
  ],
  ["providerOptions", z.record(z.string(), z.custom(isJsonObject)), "objects of JSON, by provider"],
] as const satisfies readonly (readonly [keyof ModelConfig, z.ZodType, string])[];

/**
 * Returns the fault of the settings; `undefined` if they are valid. `hasTool`: returns whether the agent has a tool
 * with this name.
 */
export function settingsFault(
  modelConfig: ModelConfig | undefined,
  hasTool: (name: string) => boolean,
): string | undefined {
  if (modelConfig === undefined) return undefined;
  for (const [field, schema, expected] of EXPECTED_SETTINGS) {
    const value: unknown = modelConfig[field];
    if (value !== undefined && !schema.safeParse(value).success)
      return `modelConfig.${field}: expected ${expected}`;
  }
  const { toolChoice } = modelConfig;
  if (typeof toolChoice !== "object" || hasTool(toolChoice.tool)) return undefined;
  return `modelConfig.toolChoice: expected the name of one of its tools, not "${toolChoice.tool}"`;
}

/**
 * Returns the settings for a call with these messages. After the model has called tools for the user's last message,
 * `"required"` and `{ tool }` become `"auto"`.
 */
export function settingsForCall(
  modelConfig: ModelConfig | undefined,
  messages: readonly Message[],
): ModelConfig | undefined {
  const { toolChoice, providerOptions } = modelConfig ?? {};
  if (modelConfig === undefined || (toolChoice === undefined && providerOptions === undefined))
    return modelConfig;
  const isForced = toolChoice === "required" || typeof toolChoice === "object";
  return Object.freeze(
    overlay(modelConfig, {
      ...(isForced && { toolChoice: hasCalled(messages) ? "auto" : frozenCopy(toolChoice) }),
      ...(providerOptions && { providerOptions: frozenCopy(providerOptions) }),
    }),
  );
}

/** Returns whether the model has called tools since the user's last message. */
function hasCalled(messages: readonly Message[]): boolean {
  const said = messages.findLastIndex(({ role }) => role === "user");
  return messages.some(({ tool_calls }, index) => index > said && tool_calls !== undefined);
}

/** The parts of a prompt that stay the same between calls, so the model provider can keep them in its prompt cache. */
export interface CacheableConfig {
  /** Whether the system instructions stay the same. */
  readonly instructions?: boolean | undefined;
  /** Whether the definitions of the tools stay the same. */
  readonly tools?: boolean | undefined;
  /** The number of oldest messages to cache, from 0. `"all"`: all messages, so the cached part grows with the conversation. */
  readonly messages?: number | "all" | undefined;
  /** How long the cache keeps the parts, e.g. `"30m"`, `"2h"`, `"1d"`. Default `"1h"`. Some model providers ignore it. */
  readonly ttl?: string | undefined;
}

const EXPECTED_CACHE =
  'expected false, or an object of instructions, tools, messages (a whole number or "all") and ttl ("30m", "2h", "1d")';

export const cacheSchema = z.union(
  [
    z.literal(false),
    z.strictObject({
      instructions: z.boolean().optional(),
      tools: z.boolean().optional(),
      messages: z.union([z.int().min(0), z.literal("all")]).optional(),
      ttl: z
        .string()
        .regex(/^[1-9]\d{0,5}[smhd]$/, { error: 'expected e.g. "30m", "2h" or "1d"' })
        .optional(),
    }),
  ],
  { error: EXPECTED_CACHE },
);

/** Returns the fault of an agent's `cacheable`; `undefined` if it is valid. */
export const cacheableFault = (cacheable: unknown): string | undefined =>
  cacheable === undefined || cacheSchema.safeParse(cacheable).success
    ? undefined
    : `cacheable: ${EXPECTED_CACHE}`;
