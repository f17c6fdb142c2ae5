import type { Message } from "@jaf/memory";
import * as z from "zod";
import { frozenCopy } from "../immutable/copy.ts";
import { overlay } from "../immutable/overlay.ts";
import type { ModelConfig, ReasoningEffort } from "./model-config.ts";

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

/** Each field with what is expected of it. Temperatures and lengths are the provider's to judge, as they differ. */
const EXPECTED = [
  ["topP", z.number().min(0).max(1), "a number from 0 to 1"],
  ["reasoningEffort", z.enum(EFFORTS), EFFORTS.map((effort) => `"${effort}"`).join(", ")],
  [
    "toolChoice",
    z.union([z.enum(["auto", "none", "required"]), z.strictObject({ tool: z.string().min(1) })]),
    '"auto", "none", "required" or { tool: name }',
  ],
  ["providerOptions", z.record(z.string(), z.custom(isJsonObject)), "objects of JSON, by provider"],
] as const satisfies readonly (readonly [keyof ModelConfig, z.ZodType, string])[];

/** What is wrong with settings. `hasTool`: whether the agent has a tool of this name. */
export function settingsFault(
  modelConfig: ModelConfig | undefined,
  hasTool: (name: string) => boolean,
): string | undefined {
  if (modelConfig === undefined) return undefined;
  for (const [field, schema, expected] of EXPECTED) {
    const value: unknown = modelConfig[field];
    if (value !== undefined && !schema.safeParse(value).success)
      return `modelConfig.${field}: expected ${expected}`;
  }
  const { toolChoice } = modelConfig;
  if (typeof toolChoice !== "object" || hasTool(toolChoice.tool)) return undefined;
  return `modelConfig.toolChoice: expected the name of one of its tools, and "${toolChoice.tool}" is none`;
}

/**
 * The settings as the provider gets them with these messages: the very same, unless there is a choice of tools that was made,
 * or options that the provider might change.
 */
export function settingsShown(
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

/** Whether tools were called for what the user said last. */
function hasCalled(messages: readonly Message[]): boolean {
  const said = messages.findLastIndex(({ role }) => role === "user");
  return messages.some(({ tool_calls }, index) => index > said && tool_calls !== undefined);
}
