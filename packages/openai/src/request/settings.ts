import type { ResolvedAgent } from "@jaf/core";
import { type Fields, fieldsOf, listOf, type ToolNames, takesText } from "@jaf/model-http";
import type { Endpoint } from "../endpoint.ts";
import type { ParsedOptions } from "../options.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
export type AnyAgent<Ctx> = ResolvedAgent<Ctx, any>;

/** What the agent asks of the model, in the words of Chat Completions. */
export function settings<Ctx>({ modelConfig = {} }: AnyAgent<Ctx>, maxTokensField: string): Fields {
  const { temperature, maxTokens, topP, reasoningEffort } = modelConfig;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { [maxTokensField]: maxTokens }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
  };
}

export function toolChoice<Ctx>(
  { modelConfig, tools = [] }: AnyAgent<Ctx>,
  names: ToolNames,
  hasCustom: boolean,
): Fields {
  const choice = modelConfig?.toolChoice;
  if (choice === undefined) return {};
  if (typeof choice === "string") return { tool_choice: choice };
  const tool = tools.find(({ schema }) => schema.name === choice.tool);
  const type = hasCustom && tool !== undefined && takesText(tool.schema.parameters) ? "custom" : "function";
  return { tool_choice: { type, [type]: { name: names.toWire(choice.tool) } } };
}

/** Of the body, the adapter's own: a reply that is streamed unasked, or another model's, would not be understood. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options", "tools"]);

/** What the options and the agent's `providerOptions` add to the body, and to its tools. */
export function furtherFields<Ctx>(
  { modelConfig }: AnyAgent<Ctx>,
  options: ParsedOptions,
  { provider }: Endpoint,
): { readonly body: Fields; readonly tools: readonly unknown[] } {
  const byProvider = fieldsOf(modelConfig?.providerOptions);
  const own = provider === "openai" ? {} : fieldsOf(byProvider[provider]);
  const given: Fields = { ...options.body, ...fieldsOf(byProvider["openai"]), ...own };
  const body = Object.entries(given).filter(([field]) => !OWN_FIELDS.has(field));
  return { body: Object.fromEntries(body), tools: listOf(given["tools"]) };
}
