import type { RunConfig, RunState } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import { callIds, type Fields, outputSchemaOf, type ToolNames, toolNames } from "@jaf/model-http";
import type * as z from "zod";
import { type DialectRules, type OutputFormat, rulesOf } from "../../dialect.ts";
import type { Endpoint } from "../../endpoint.ts";
import { type AnyAgent, furtherFields, modelName } from "../../request/agent-settings.ts";
import { ownCallIds } from "../../request/origin.ts";
import { outputSchema } from "../../request/output-schema.ts";
import { promptCacheKey } from "../../request/prompt-cache-key.ts";
import { type AnyTool, functionParameters, isCustomTool, textFunctions } from "../../request/text-tools.ts";
import type { ParsedOptions } from "../options.ts";
import { wireMessages } from "./messages.ts";

/** A request, and what is needed to understand its reply. */
export interface ChatRequest {
  readonly body: Fields;
  readonly origin: ModelOrigin;
  readonly names: ToolNames;
  /** Names, as the agent has them, of tools that take text and go out as functions of one text. */
  readonly textFunctions: ReadonlySet<string>;
}

interface Asked<Ctx> {
  readonly state: Readonly<RunState<Ctx>>;
  readonly agent: AnyAgent<Ctx>;
  readonly config: RunConfig<Ctx>;
}

/** OpenAI's longest. */
const MAX_ID_LENGTH = 40;

/** Throws an `OpenAIError` where no model is named. */
export function chatRequest<Ctx>(
  { state, agent, config }: Asked<Ctx>,
  options: ParsedOptions,
  endpoint: Endpoint,
): ChatRequest {
  const model = modelName(config, agent, options.model);
  const rules = rulesOf(endpoint.dialect(model));
  const { provider } = endpoint;
  const origin: ModelOrigin = { provider, api: "chat", model };
  const tools = agent.tools ?? [];
  const names = toolNames(tools.map(({ schema }) => schema.name));
  const told = outputFormat(agent.outputCodec, options.outputFormat ?? rules.outputFormat);
  const instructions = [agent.instructions(state), told.instructions]
    .filter((text) => text !== "")
    .join("\n\n");
  const { foreignReasoning, omitFields } = options;
  const ids = callIds(ownCallIds(state.messages, origin), MAX_ID_LENGTH);
  const context = { rules, names, ids, origin, foreignReasoning, omitFields };
  const messages = wireMessages(instructions, state.messages, context);
  const further = furtherFields(agent, { body: options.body, provider, ownFields: OWN_FIELDS });
  const offered = [...tools.map((tool) => wireTool(tool, rules, names)), ...further.tools];
  const prompt = { config, agentName: agent.name, model, instructions, tools: offered };
  return {
    body: {
      model,
      messages,
      ...(offered.length === 0 ? {} : { tools: offered, ...toolChoice(agent, names, rules) }),
      ...settings(agent, rules.maxTokensField),
      ...told.body,
      ...(rules.promptCacheKey ? promptCacheKey(prompt) : {}),
      ...further.body,
    },
    origin,
    names,
    textFunctions: textFunctions(tools, rules),
  };
}

/** How the endpoint is told what the output must be. */
interface ToldOutput {
  /** Fields of the request's body. */
  readonly body: Fields;
  /** Behind the agent's own. */
  readonly instructions: string;
}

const UNTOLD: ToldOutput = { body: {}, instructions: "" };

/** Nothing is told of a codec that reads anything but a JSON object: the endpoints can't ask a model for it. */
function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): ToldOutput {
  const json_schema = codec === undefined || format === "none" ? undefined : outputSchema(codec);
  if (codec === undefined || json_schema === undefined) return UNTOLD;
  if (format === "json_schema")
    return { body: { response_format: { type: "json_schema", json_schema } }, instructions: "" };
  const schema = JSON.stringify(outputSchemaOf(codec));
  const instructions = `Reply with nothing but JSON that fits this JSON schema: ${schema}`;
  return { body: { response_format: { type: "json_object" } }, instructions };
}

/** What the agent asks of the model, in the words of Chat Completions. */
function settings<Ctx>({ modelConfig = {} }: AnyAgent<Ctx>, maxTokensField: string): Fields {
  const { temperature, maxTokens, topP, reasoningEffort } = modelConfig;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { [maxTokensField]: maxTokens }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
  };
}

function toolChoice<Ctx>(
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
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["model", "messages", "stream", "stream_options", "tools"],
]);

function wireTool<Ctx>(tool: AnyTool<Ctx>, rules: DialectRules, names: ToolNames): Fields {
  const { name, description } = tool.schema;
  const named = { name: names.toWire(name), description };
  return isCustomTool(tool, rules)
    ? { type: "custom", custom: named }
    : { type: "function", function: { ...named, parameters: functionParameters(tool) } };
}
