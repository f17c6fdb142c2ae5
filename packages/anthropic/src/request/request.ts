import type { ModelConfig, RunConfig, RunState } from "@jaf/core";
import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import {
  callIds,
  type Fields,
  fieldsOf,
  isObject,
  isSameOrigin,
  listOf,
  type ModelService,
  modelName,
  optionsFor,
  ownCallIds,
  toolNames,
  withoutForeignApprovals,
} from "@jaf/model-http";
import { errors } from "../errors.ts";
import { type ModelRules, rulesOf } from "../model-rules.ts";
import type { ParsedOptions } from "../options.ts";
import { serverToolsOf } from "./assistant-message.ts";
import { betasOf } from "./betas.ts";
import { wirePrompt } from "./messages.ts";
import { outputFormat } from "./output-format.ts";
import { breakpointsIn, withCache } from "./prompt-cache.ts";
import { type OfferedTools, offeredTools, serviceToolName } from "./service-tools.ts";
import { wireThinking } from "./thinking.ts";
import { type AnyAgent, toolChoice } from "./tools.ts";

/** A request, and the data needed to read its reply. */
export interface MessagesRequest {
  readonly body: Fields;
  /** The values of `anthropic-beta`. */
  readonly betas: readonly string[];
  readonly origin: ModelOrigin;
  readonly tools: OfferedTools;
}

interface Asked<Ctx> {
  readonly state: Readonly<RunState<Ctx>>;
  readonly agent: AnyAgent<Ctx>;
  readonly config: RunConfig<Ctx>;
}

/** Longer ids of other models are replaced. */
const MAX_ID_LENGTH = 64;

/** Body fields that only the adapter sets, because its code depends on their values. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "messages", "system", "stream"]);

/** Throws an `AnthropicError` if no model is set. */
export function messagesRequest<Ctx>(
  { state, agent, config }: Asked<Ctx>,
  options: ParsedOptions,
  { provider }: ModelService,
): MessagesRequest {
  const { modelConfig = {}, tools = [], outputCodec } = agent;
  const model = modelName(config, agent, { model: options.model, errors });
  const rules = rulesOf(model);
  const origin: ModelOrigin = { provider, api: "messages", model };
  const further = furtherFields(modelConfig, options.body, provider);
  const serviceNames = further.tools.map(serviceToolName).filter((name) => name !== undefined);
  const names = toolNames([...serviceNames, ...tools.map(({ schema }) => schema.name)]);
  const offered = offeredTools({ tools, service: further.tools, names, provider });
  const format = options.outputFormat ?? (rules.outputSchema ? "json_schema" : "instructions");
  const output = outputFormat(outputCodec, format);
  const messages = withoutForeignApprovals(state.messages, origin);
  const prompt = wirePrompt([agent.instructions(state), output.instructions], messages, {
    names,
    ids: callIds(ownCallIds(messages, origin), MAX_ID_LENGTH),
    origin,
    isClaude: rules.isClaude,
    foreignReasoning: options.foreignReasoning,
    serverTools: serverToolsOf(messages, origin),
  });
  const { definitions } = offered;
  const { choice, isForced } = toolChoice(agent, { names, rules, serial: further.isSerial });
  const { thinking, effort, budget, isOn } = wireThinking({
    effort: modelConfig.reasoningEffort,
    given: further.thinking,
    rules,
    messages: prompt.messages,
    isToolForced: definitions.length > 0 && isForced,
    dropsMismatched: options.prefixMismatch === "drop_block",
  });
  const given = breakpointsIn(further.body, definitions, prompt.messages);
  const cached = withCache(prompt, definitions, { cache: config.cache || undefined, given });
  const outputConfig = {
    ...present({ effort, format: output.format }),
    ...further.outputConfig,
  };
  const body: Fields = {
    model,
    max_tokens: (modelConfig.maxTokens ?? options.maxTokens) + budget,
    ...(cached.system.length === 0 ? {} : { system: cached.system }),
    ...(definitions.length === 0 ? {} : { tools: cached.tools }),
    ...(definitions.length === 0 || choice === undefined ? {} : { tool_choice: choice }),
    messages: cached.messages,
    ...present({ thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...sampling(modelConfig, rules, isOn),
    ...withContainer(further.body, pendingContainer(messages, origin)),
  };
  return {
    body,
    betas: betasOf(body, [...options.betas, ...further.betas]),
    origin,
    tools: offered,
  };
}

/** Older Claude models accept one of the two settings, and none while thinking. Newer ones accept none. */
function sampling({ temperature, topP }: ModelConfig, rules: ModelRules, isThinking: boolean): Fields {
  if (rules.sampling === "none" || (rules.sampling === "one" && isThinking)) return {};
  const isBoth = rules.sampling === "both" || temperature === undefined;
  return {
    // Other vendors allow up to 2.
    ...(temperature === undefined ? {} : { temperature: Math.min(1, Math.max(0, temperature)) }),
    ...(topP === undefined || !isBoth ? {} : { top_p: topP }),
  };
}

/** The fields that the options and the agent's `providerOptions` add to the request. */
interface FurtherFields {
  readonly body: Fields;
  readonly tools: readonly Fields[];
  readonly betas: readonly string[];
  readonly thinking: unknown;
  readonly outputConfig: Fields;
  readonly isSerial: boolean;
}

function furtherFields(config: ModelConfig, general: Fields | undefined, provider: string): FurtherFields {
  const given: Fields = Object.assign({}, general, ...optionsFor(config, "anthropic", provider));
  const { tools, betas, thinking, output_config, disable_parallel_tool_use, ...body } = given;
  return {
    body: Object.fromEntries(Object.entries(body).filter(([field]) => !OWN_FIELDS.has(field))),
    tools: listOf(tools).filter(isObject),
    betas: listOf(betas).filter((beta) => typeof beta === "string"),
    thinking,
    outputConfig: fieldsOf(output_config),
    isSerial: disable_parallel_tool_use === true,
  };
}

/** The id of the container of code that waits for results, which the reply with the calls names. */
function pendingContainer(messages: readonly RichMessage[], origin: ModelOrigin): unknown {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (messages.at(-1)?.role !== "tool" || !isSameOrigin(last?.origin, origin)) return undefined;
  const { container } = fieldsOf(fieldsOf(last?.providerMetadata)["anthropic"]);
  return fieldsOf(container)["id"];
}

/** The body with the id of a container in which code goes on. The application's skills stay. */
export function withContainer(body: Fields, id: unknown): Fields {
  if (typeof id !== "string") return body;
  const { container } = body;
  return { ...body, container: isObject(container) ? { ...container, id } : id };
}
