import type { RunConfig, RunState } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import { callIds, type Fields, type ToolNames, toolNames } from "@jaf/model-http";
import { rulesOf } from "../../dialect.ts";
import type { Endpoint } from "../../endpoint.ts";
import { type AnyAgent, furtherFields, modelName } from "../../request/agent-settings.ts";
import { ownCallIds } from "../../request/origin.ts";
import { promptCacheKey } from "../../request/prompt-cache-key.ts";
import { textFunctions } from "../../request/text-tools.ts";
import type { ParsedOptions } from "../options.ts";
import { inputOf } from "./input.ts";
import { MAX_ID_LENGTH } from "./items.ts";
import { included, OWN_FIELDS, settings, toolChoice, wireTool } from "./settings.ts";

/** A request, and what is needed to understand its response. */
export interface ResponsesRequest {
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

/** Throws an `OpenAIError` where no model is named. */
export function responsesRequest<Ctx>(
  { state, agent, config }: Asked<Ctx>,
  options: ParsedOptions,
  endpoint: Endpoint,
): ResponsesRequest {
  const model = modelName(config, agent, options.model);
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
      ...(offered.length === 0 ? {} : { tools: offered, ...toolChoice(agent, names, rules) }),
      ...(rules.promptCacheKey ? promptCacheKey(prompt) : {}),
      ...settings(agent, options, given),
    },
    origin,
    names,
    textFunctions: textFunctions(tools, rules),
  };
}
