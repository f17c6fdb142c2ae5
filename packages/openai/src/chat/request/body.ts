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
import { wireMessages } from "./messages.ts";
import { outputFormat } from "./output-format.ts";
import { OWN_FIELDS, settings, toolChoice } from "./settings.ts";
import { wireTool } from "./tools.ts";

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
