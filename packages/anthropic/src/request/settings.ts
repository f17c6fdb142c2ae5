import type { ModelConfig } from "@jaf/core";
import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { type Fields, fieldsOf, isObject, isSameOrigin, listOf, optionsFor } from "@jaf/model-http";
import type { ModelRules } from "../model-rules.ts";

/** Older models take one of the two, newer ones none, and one that thinks none, either. */
export function sampling({ temperature, topP }: ModelConfig, rules: ModelRules, isThinking: boolean): Fields {
  if (rules.sampling === "none" || (rules.sampling === "one" && isThinking)) return {};
  const isBoth = rules.sampling === "both" || temperature === undefined;
  return {
    // Others' models go up to 2.
    ...(temperature === undefined ? {} : { temperature: Math.min(1, Math.max(0, temperature)) }),
    ...(topP === undefined || !isBoth ? {} : { top_p: topP }),
  };
}

/** What the options and the agent's `providerOptions` add to the request. */
export interface FurtherFields {
  readonly body: Fields;
  readonly tools: readonly Fields[];
  readonly betas: readonly string[];
  readonly thinking: unknown;
  readonly outputConfig: Fields;
  readonly isSerial: boolean;
}

export function furtherFields(
  config: ModelConfig,
  general: Fields | undefined,
  provider: string,
): FurtherFields {
  const given: Fields = Object.assign({}, general, ...optionsFor(config, "anthropic", provider));
  const { tools, betas, thinking, output_config, disable_parallel_tool_use, ...body } = given;
  return {
    body: Object.fromEntries(Object.entries(body).filter(([field]) => !OWN_FIELDS.has(field))),
    tools: listOf(tools).filter(isObject),
    betas: listOf(betas).filter((beta) => typeof beta === "string"),
    thinking,
    outputConfig: fieldsOf(output_config),
    isSerial: disable_parallel_tool_use === true,
  };
}

/** A reply that is streamed unasked, or another model's, would not be understood. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "messages", "system", "stream"]);

/** The results of calls that code made go to where it runs: the container that the reply with the calls names. */
export function containerOf(messages: readonly RichMessage[], origin: ModelOrigin): Fields {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (messages.at(-1)?.role !== "tool" || !isSameOrigin(last?.origin, origin)) return {};
  const { container } = fieldsOf(fieldsOf(last?.providerMetadata)["anthropic"]);
  const { id } = fieldsOf(container);
  return typeof id === "string" ? { container: id } : {};
}
