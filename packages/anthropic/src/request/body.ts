import type { RunConfig, RunState } from "@jaf/core";
import type { ModelOrigin, RichMessage } from "@jaf/memory";
import {
  callIds,
  type Fields,
  fieldsOf,
  type ModelService,
  type ToolNames,
  takesText,
  toolNames,
} from "@jaf/model-http";
import { errors } from "../error.ts";
import { rulesOf } from "../model-rules.ts";
import type { ParsedOptions } from "../options.ts";
import { neededBetas } from "./betas.ts";
import { breakpointsIn, withCache } from "./cache.ts";
import { wirePrompt } from "./conversation.ts";
import { ownCallIds } from "./origin.ts";
import { outputFormat } from "./output-format.ts";
import { serverToolsOf } from "./server-tools.ts";
import { containerOf, furtherFields, sampling } from "./settings.ts";
import { wireThinking } from "./thinking.ts";
import { type AnyAgent, toolChoice, wireTool } from "./tools.ts";

/** A request, and what is needed to understand its reply. */
export interface MessagesRequest {
  readonly body: Fields;
  /** Of `anthropic-beta`. */
  readonly betas: readonly string[];
  readonly origin: ModelOrigin;
  readonly names: ToolNames;
  /** Names, as the agent has them, of tools that take text and go out as tools of one text. */
  readonly textTools: ReadonlySet<string>;
}

interface Asked<Ctx> {
  readonly state: Readonly<RunState<Ctx>>;
  readonly agent: AnyAgent<Ctx>;
  readonly config: RunConfig<Ctx>;
}

/** Longer ones of other models get another. */
const MAX_ID_LENGTH = 64;

/** Throws an `AnthropicError` where no model is named. */
export function messagesRequest<Ctx>(
  { state, agent, config }: Asked<Ctx>,
  options: ParsedOptions,
  { provider }: ModelService,
): MessagesRequest {
  const { modelConfig = {}, tools = [], outputCodec } = agent;
  const model = config.modelOverride ?? modelConfig.name ?? options.model;
  if (model === undefined) {
    const message = "no model is named: set the provider's model, modelConfig.name or modelOverride";
    throw errors.configuration(message);
  }
  const rules = rulesOf(model);
  const origin: ModelOrigin = { provider, api: "messages", model };
  const names = toolNames(tools.map(({ schema }) => schema.name));
  const further = furtherFields(modelConfig, options.body, provider);
  const format = options.outputFormat ?? (rules.outputSchema ? "json_schema" : "instructions");
  const told = outputFormat(outputCodec, format);
  const messages: readonly RichMessage[] = state.messages;
  const prompt = wirePrompt([agent.instructions(state), told.instructions], messages, {
    names,
    ids: callIds(ownCallIds(messages, origin), MAX_ID_LENGTH),
    origin,
    foreignReasoning: options.foreignReasoning,
    serverTools: serverToolsOf(messages, origin),
  });
  const offered = [...tools.map((tool) => wireTool(tool, names)), ...further.tools];
  const { choice, isForced } = toolChoice(agent, { names, rules, serial: further.isSerial });
  const { thinking, effort, budget, isOn } = wireThinking({
    effort: modelConfig.reasoningEffort,
    given: further.thinking,
    rules,
    turns: prompt.turns,
    isToolForced: offered.length > 0 && isForced,
    dropsMismatched: options.prefixMismatch === "drop_block",
  });
  const given = breakpointsIn(further.body, offered, prompt.turns);
  const cached = withCache(prompt, offered, { cache: config.cache || undefined, given });
  const outputConfig = {
    ...(effort === undefined ? {} : { effort }),
    ...(told.format === undefined ? {} : { format: told.format }),
    ...further.outputConfig,
  };
  const body: Fields = {
    model,
    max_tokens: (modelConfig.maxTokens ?? options.maxTokens) + budget,
    ...(cached.system.length === 0 ? {} : { system: cached.system }),
    ...(offered.length === 0 ? {} : { tools: cached.tools }),
    ...(offered.length === 0 || choice === undefined ? {} : { tool_choice: choice }),
    messages: cached.turns,
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...sampling(modelConfig, rules, isOn),
    ...containerOf(messages, origin),
    ...further.body,
  };
  return {
    body,
    betas: [
      ...new Set([...options.betas, ...further.betas, ...neededBetas(fieldsOf(thinking), prompt.turns)]),
    ],
    origin,
    names,
    textTools: new Set(
      tools.filter(({ schema }) => takesText(schema.parameters)).map(({ schema }) => schema.name),
    ),
  };
}
