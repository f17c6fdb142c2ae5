import type { ResolvedAgent } from "@jaf/core";
import { present } from "@jaf/memory/engine";
import { type Fields, isObject, listOf, optionsFor, type ToolNames } from "@jaf/model-http";
import type { ModelRules } from "../model-rules.ts";
import type { ParsedOptions } from "../options.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
export type AnyAgent<Ctx> = ResolvedAgent<Ctx, any>;

/** What the agent asks of the model, as `generationConfig`. */
export function settings<Ctx>(
  { modelConfig = {} }: AnyAgent<Ctx>,
  rules: ModelRules,
  includeThoughts: boolean,
): Fields {
  const { temperature, maxTokens, topP, reasoningEffort } = modelConfig;
  const thinking = {
    ...(reasoningEffort === undefined ? {} : rules.thinking?.(reasoningEffort)),
    ...(includeThoughts && rules.thinking !== undefined ? { includeThoughts } : {}),
  };
  return {
    ...present({ temperature, topP, maxOutputTokens: maxTokens }),
    ...(Object.keys(thinking).length === 0 ? {} : { thinkingConfig: thinking }),
  };
}

const MODES = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

/** As `functionCallingConfig`; `undefined`: the agent leaves it to the model. */
export function callingConfig<Ctx>({ modelConfig }: AnyAgent<Ctx>, names: ToolNames): Fields | undefined {
  const choice = modelConfig?.toolChoice;
  if (choice === undefined) return undefined;
  return typeof choice === "string"
    ? { mode: MODES[choice] }
    : { mode: "ANY", allowedFunctionNames: [names.toWire(choice.tool)] };
}

/** Of the body, the adapter's own. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "contents", "systemInstruction", "tools"]);

export interface FurtherFields {
  readonly body: Fields;
  /** Google's own, e.g. `{ googleSearch: {} }`. */
  readonly tools: readonly unknown[];
}

/** What the options and the agent's `providerOptions` add to the body, and to its tools. */
export function furtherFields<Ctx>(
  { modelConfig }: AnyAgent<Ctx>,
  options: ParsedOptions,
  provider: string,
): FurtherFields {
  const given = [options.body ?? {}, ...optionsFor(modelConfig, "google", provider)].reduce(merged, {});
  const body = Object.entries(given).filter(([field]) => !OWN_FIELDS.has(field));
  return { body: Object.fromEntries(body), tools: listOf(given["tools"]) };
}

/** The second outranks the first; objects, such as `generationConfig`, field by field. */
export function merged(first: Fields, second: Fields): Fields {
  const result: Record<string, unknown> = { ...first };
  for (const [field, value] of Object.entries(second)) {
    const before = result[field];
    result[field] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}
