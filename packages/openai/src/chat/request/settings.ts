import type { Fields, ToolNames } from "@jaf/model-http";
import type { DialectRules } from "../../dialect.ts";
import type { AnyAgent } from "../../request/agent-settings.ts";
import { isCustomTool } from "../../request/text-tools.ts";

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
  rules: DialectRules,
): Fields {
  const choice = modelConfig?.toolChoice;
  if (choice === undefined) return {};
  if (typeof choice === "string") return { tool_choice: choice };
  const tool = tools.find(({ schema }) => schema.name === choice.tool);
  const type = tool !== undefined && isCustomTool(tool, rules) ? "custom" : "function";
  return { tool_choice: { type, [type]: { name: names.toWire(choice.tool) } } };
}

/** Of the body, the adapter's own: a reply that is streamed unasked, or another model's, would not be understood. */
export const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["model", "messages", "stream", "stream_options", "tools"],
]);
