import { present } from "@jaf/memory/engine";
import {
  type Fields,
  fieldsOf,
  functionParameters,
  listOf,
  outputSchemaOf,
  type ToolNames,
} from "@jaf/model-http";
import type { DialectRules } from "../../dialect.ts";
import type { AnyAgent } from "../../provider.ts";
import { strictOutput } from "../../request/strict.ts";
import { type AnyTool, isCustomTool } from "../../request/text-tools.ts";
import type { ParsedOptions } from "../options.ts";

/**
 * Of the body, the adapter's own: the whole conversation is sent each time, so the service is pointed to no other, and the
 * reply is waited for.
 */
export const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "tools", "stream", "stream_options"],
  ...["background", "previous_response_id", "conversation"],
]);

/** Without `strict: false`, the API makes the schemas strict by itself, and with them optional properties required. */
export function wireTool(tool: AnyTool, rules: DialectRules, names: ToolNames): Fields {
  const { name, description } = tool.schema;
  const named = { name: names.toWire(name), description };
  return isCustomTool(tool, rules)
    ? { type: "custom", ...named }
    : { type: "function", ...named, parameters: functionParameters(tool.schema.parameters), strict: false };
}

/** What the agent asks of the model, with what `given` adds, which outranks it. */
export function settings(agent: AnyAgent, options: ParsedOptions, given: Fields): Fields {
  const { temperature, maxTokens, topP, reasoningEffort: effort } = agent.modelConfig ?? {};
  const { reasoningSummary: summary, outputFormat } = options;
  const { outputCodec } = agent;
  const schema =
    outputCodec === undefined || outputFormat === "none" ? undefined : outputSchemaOf(outputCodec);
  const reasoning = { ...present({ effort, summary }), ...fieldsOf(given["reasoning"]) };
  const text = {
    ...(schema === undefined ? {} : { format: { type: "json_schema", ...strictOutput(schema) } }),
    ...fieldsOf(given["text"]),
  };
  return {
    ...present({ temperature, top_p: topP, max_output_tokens: maxTokens }),
    ...given,
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(Object.keys(text).length === 0 ? {} : { text }),
  };
}

const ENCRYPTED = "reasoning.encrypted_content";

/** Models that don't reason, and refuse to be asked for their reasoning. Fine-tuned ones are named `ft:gpt-4o…`. */
const NOT_REASONING = /(^|:)(gpt-3|gpt-4|gpt-5-chat|chatgpt)/;

/** What a response is to hold beyond the usual. */
export function included(model: string, { encryptedReasoning }: ParsedOptions, given: Given): Fields {
  const asks = encryptedReasoning ?? (given.isOpenAI && !NOT_REASONING.test(model));
  const others = listOf(given.include).filter((name) => name !== ENCRYPTED);
  const include = asks ? [ENCRYPTED, ...others] : listOf(given.include);
  return include.length === 0 ? {} : { include };
}

interface Given {
  readonly isOpenAI: boolean;
  readonly include: unknown;
}
