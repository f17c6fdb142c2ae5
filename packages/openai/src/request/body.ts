import type { RunConfig, RunState } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import { callIds, type Fields, type ToolNames, takesText, toolNames } from "@jaf/model-http";
import { rulesOf } from "../dialect.ts";
import type { Endpoint } from "../endpoint.ts";
import { errors } from "../error.ts";
import type { ParsedOptions } from "../options.ts";
import { ownCallIds } from "./assistant.ts";
import { wireMessages } from "./messages.ts";
import { outputFormat } from "./output-format.ts";
import { type AnyAgent, furtherFields, settings, toolChoice } from "./settings.ts";
import { wireTool } from "./tools.ts";

/** OpenAI's longest id of a call. */
const MAX_ID_LENGTH = 40;

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

/** Throws an `OpenAIError` where no model is named. */
export function chatRequest<Ctx>(
  { state, agent, config }: Asked<Ctx>,
  options: ParsedOptions,
  endpoint: Endpoint,
): ChatRequest {
  const model = config.modelOverride ?? agent.modelConfig?.name ?? options.model;
  if (model === undefined) {
    const message = "no model is named: set the provider's model, modelConfig.name or modelOverride";
    throw errors.configuration(message);
  }
  const rules = rulesOf(endpoint.dialect(model));
  const origin: ModelOrigin = { provider: endpoint.provider, api: "chat", model };
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
  const further = furtherFields(agent, options, endpoint);
  const offered = [...tools.map((tool) => wireTool(tool, rules, names)), ...further.tools];
  const textFunctions = rules.customTools
    ? []
    : tools.filter(({ schema }) => takesText(schema.parameters)).map(({ schema }) => schema.name);
  return {
    body: {
      model,
      messages,
      ...(offered.length === 0 ? {} : { tools: offered, ...toolChoice(agent, names, rules.customTools) }),
      ...settings(agent, rules.maxTokensField),
      ...told.body,
      ...further.body,
    },
    origin,
    names,
    textFunctions: new Set(textFunctions),
  };
}
