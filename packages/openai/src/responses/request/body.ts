import type { ModelOrigin } from "@jaf/memory";
import { callIds, modelName, ownCallIds, toolNames } from "@jaf/model-http";
import { rulesOf } from "../../dialect.ts";
import type { Endpoint } from "../../endpoint.ts";
import { errors } from "../../error.ts";
import type { Asked, OpenAIRequest } from "../../provider.ts";
import { furtherFields } from "../../request/further-fields.ts";
import { promptCacheKey } from "../../request/prompt-cache-key.ts";
import { textFunctions, toolChoice } from "../../request/text-tools.ts";
import type { ParsedOptions } from "../options.ts";
import { inputOf } from "./input.ts";
import { MAX_ID_LENGTH } from "./items.ts";
import { included, OWN_FIELDS, settings, wireTool } from "./settings.ts";

/** Throws an `OpenAIError` where no model is named. */
export function responsesRequest(
  [state, agent, config]: Asked,
  options: ParsedOptions,
  endpoint: Endpoint,
): OpenAIRequest {
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
    kinds: new Map(),
    origin,
    foreignReasoning: options.foreignReasoning,
    isStored: store === true,
    takesReadable: !isOpenAI,
    sentIds: new Set(),
  });
  const offered = [...tools.map((tool) => wireTool(tool, rules, names)), ...further.tools];
  const prompt = { config, agentName: agent.name, model, instructions, tools: offered };
  return {
    body: {
      model,
      ...(instructions === "" ? {} : { instructions }),
      input: items,
      store,
      ...included(model, options, { isOpenAI, include }),
      ...(offered.length === 0 ? {} : { tools: offered, ...toolChoice(agent, names, { rules, choose }) }),
      ...(rules.promptCacheKey ? promptCacheKey(prompt) : {}),
      ...settings(agent, options, given),
    },
    origin,
    names,
    textFunctions: textFunctions(tools, rules),
  };
}

const choose = (type: string, name: string) => ({ type, name });
