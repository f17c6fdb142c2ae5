import type { ModelOrigin } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import {
  callIds,
  type Fields,
  fieldsOf,
  listOf,
  modelName,
  outputSchemaOf,
  ownCallIds,
  toolNames,
} from "@jaf/model-http";
import { rulesOf } from "../dialect.ts";
import { errors } from "../errors.ts";
import type { Endpoint, ParsedResponsesOptions } from "../options.ts";
import { strictOutput } from "../request/output-format.ts";
import { promptCacheKey } from "../request/prompt-cache.ts";
import { type AnyAgent, type Asked, furtherFields } from "../request/request.ts";
import { type AnyTool, definedTool, type ToolContext, textFunctions, toolChoice } from "../request/tools.ts";
import type { ResponsesRequest } from "./calls.ts";
import { definedNames, isClientToolName } from "./client-tools.ts";
import { MAX_ID_LENGTH } from "./items.ts";
import { inputOf } from "./messages.ts";

/** Rejects with an `OpenAIError` if no model is set. */
export async function responsesRequest(
  [state, agent, config]: Asked,
  options: ParsedResponsesOptions,
  endpoint: Endpoint,
): Promise<ResponsesRequest> {
  const model = modelName(config, agent, { model: options.model, errors });
  const isOpenAI = endpoint.dialect(model) === "openai";
  const rules = rulesOf(isOpenAI ? "openai" : "compatible");
  const { provider } = endpoint;
  const origin: ModelOrigin = { provider, api: "responses", model };
  const tools = agent.tools ?? [];
  const names = toolNames(tools.map(({ schema }) => schema.name));
  const further = furtherFields(agent, { body: options.body, provider, ownFields: OWN_FIELDS });
  const { store = options.store, include, ...given } = further.body;
  const { instructions, items } = inputOf(agent.instructions(state), state.messages, {
    rules,
    names,
    ids: callIds(ownCallIds(state.messages, origin), MAX_ID_LENGTH),
    sent: new Map(),
    origin,
    foreignReasoning: options.foreignReasoning,
    isStored: store === true,
    takesReadable: !isOpenAI,
    sentIds: new Set(),
  });
  const defined = definedNames(further.tools);
  const offered = [
    ...tools
      .filter(({ schema }) => !defined.has(schema.name))
      .map((tool) => wireTool(tool, { rules, names, provider })),
    ...further.tools,
  ];
  const prompt = { config, agentName: agent.name, model, instructions, tools: offered };
  return {
    body: {
      model,
      ...(instructions === "" ? {} : { instructions }),
      input: items,
      store,
      ...included(model, options, { isOpenAI, include }),
      ...(offered.length === 0
        ? {}
        : { tools: offered, ...toolChoice(agent, names, { rules, choose: chooseOf(defined) }) }),
      ...(rules.promptCacheKey ? await promptCacheKey(prompt) : {}),
      ...settings(agent, options, given),
    },
    origin,
    names,
    textFunctions: textFunctions(tools, rules),
    tools: new Map(tools.map((tool) => [tool.schema.name, tool])),
    isOpenAI,
    offersCustom: offered.some((tool) => fieldsOf(tool)["type"] === "custom"),
  };
}

/** `defined`: the tools that the service's own definitions describe. */
const chooseOf =
  (defined: ReadonlySet<string>) =>
  (type: string, name: string): Fields =>
    defined.has(name) && isClientToolName(name) ? { type: name } : { type, name };

/**
 * Body fields that only the adapter sets. It sends the whole conversation each time and waits for the reply, so
 * conversations stored at OpenAI and background responses aren't supported.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "tools", "stream", "stream_options"],
  ...["background", "previous_response_id", "conversation"],
]);

/** Without `strict: false`, the API makes schemas strict automatically, which makes optional properties required. */
function wireTool(tool: AnyTool, context: ToolContext): Fields {
  const { type, fields } = definedTool(tool, context);
  return type === "custom" ? { type, ...fields } : { type, ...fields, strict: fields["strict"] ?? false };
}

/** The agent's model settings. The fields of `given` override them. */
function settings(agent: AnyAgent, options: ParsedResponsesOptions, given: Fields): Fields {
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

/** Models without reasoning, which refuse a request for it. Fine-tuned models have names such as `ft:gpt-4o…`. */
const NOT_REASONING = /(^|:)(gpt-3|gpt-4|gpt-5-chat|chatgpt)/;

interface Given {
  readonly isOpenAI: boolean;
  readonly include: unknown;
}

/** The `include` field: additional data of the response. */
function included(model: string, { encryptedReasoning }: ParsedResponsesOptions, given: Given): Fields {
  const asks = encryptedReasoning ?? (given.isOpenAI && !NOT_REASONING.test(model));
  const include = new Set([...(asks ? [ENCRYPTED] : []), ...listOf(given.include)]);
  return include.size === 0 ? {} : { include: [...include] };
}
