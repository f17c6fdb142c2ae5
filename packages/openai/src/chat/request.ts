import type { ModelOrigin } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import { callIds, type Fields, fieldsOf, modelName, ownCallIds, toolNames } from "@jaf/model-http";
import { rulesOf } from "../dialect.ts";
import { errors } from "../errors.ts";
import type { Endpoint, ParsedChatOptions } from "../options.ts";
import { chatOutputFormat } from "../request/output-format.ts";
import { promptCacheKey } from "../request/prompt-cache.ts";
import { type AnyAgent, type Asked, furtherFields, type OpenAIRequest } from "../request/request.ts";
import { type AnyTool, definedTool, type ToolContext, textFunctions, toolChoice } from "../request/tools.ts";
import { wireMessages } from "./messages.ts";

/** OpenAI's limit. */
const MAX_ID_LENGTH = 40;

/** Throws an `OpenAIError` if no model is set. */
export function chatRequest(
  [state, agent, config]: Asked,
  options: ParsedChatOptions,
  endpoint: Endpoint,
): OpenAIRequest {
  const model = modelName(config, agent, { model: options.model, errors });
  const rules = rulesOf(endpoint.dialect(model));
  const { provider } = endpoint;
  const origin: ModelOrigin = { provider, api: "chat", model };
  const tools = agent.tools ?? [];
  const further = furtherFields(agent, { body: options.body, provider, ownFields: OWN_FIELDS });
  const configured = new Set(further.tools.map(configuredName).filter((name) => name !== undefined));
  const own = tools.filter(({ schema }) => !configured.has(schema.name));
  const renamed = toolNames(own.map(({ schema }) => schema.name));
  const toWire = (name: string): string => (configured.has(name) ? name : renamed.toWire(name));
  const names = { ...renamed, toWire };
  const output = chatOutputFormat(agent.outputCodec, options.outputFormat ?? rules.outputFormat);
  const instructions = [agent.instructions(state), output.instructions]
    .filter((text) => text !== "")
    .join("\n\n");
  const { foreignReasoning, omitFields } = options;
  const ids = callIds(ownCallIds(state.messages, origin), MAX_ID_LENGTH);
  const context = { rules, names, ids, origin, foreignReasoning, omitFields };
  const messages = wireMessages(instructions, state.messages, context);
  const offered = [...own.map((tool) => wireTool(tool, { rules, names, provider })), ...further.tools];
  const prompt = { config, agentName: agent.name, model, instructions, tools: offered };
  return {
    body: {
      model,
      messages,
      ...(offered.length === 0 ? {} : { tools: offered, ...toolChoice(agent, names, { rules, choose }) }),
      ...settings(agent, rules.maxTokensField),
      ...output.body,
      ...(rules.promptCacheKey ? promptCacheKey(prompt) : {}),
      ...further.body,
    },
    origin,
    names,
    textFunctions: textFunctions(own, rules),
    unsupplied: new Set([...configured].filter((name) => !tools.some(({ schema }) => schema.name === name))),
  };
}

/** The agent's model settings as fields of Chat Completions. */
function settings({ modelConfig = {} }: AnyAgent, maxTokensField: string): Fields {
  const { temperature, maxTokens, topP, reasoningEffort } = modelConfig;
  return present({
    temperature,
    top_p: topP,
    [maxTokensField]: maxTokens,
    reasoning_effort: reasoningEffort,
  });
}

const choose = (type: string, name: string): Fields => ({ type, [type]: { name } });

/** Body fields that only the adapter sets, because its code depends on their values. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["model", "messages", "stream", "stream_options", "deferred", "n", "tools"],
]);

/** The function's name in a configured tool; `undefined` for a tool that isn't a function. */
function configuredName(tool: unknown): string | undefined {
  const { function: called, custom = called } = fieldsOf(tool);
  const { name } = fieldsOf(custom);
  return typeof name === "string" ? name : undefined;
}

function wireTool(tool: AnyTool, context: ToolContext): Fields {
  const { type, fields } = definedTool(tool, context);
  return { type, [type]: fields };
}
