import type { CacheableConfig, RunConfig, RunState } from "@jaf/core";
import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/engine";
import {
  callIds,
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  type ModelService,
  modelName,
  outputInstructions,
  outputSchemaOf,
  ownCallIds,
  type ToolNames,
  takesText,
  toolNames,
} from "@jaf/model-http";
import type * as z from "zod";
import { errors } from "../error.ts";
import { rulesOf } from "../model-rules.ts";
import type { OutputFormat, ParsedOptions } from "../options.ts";
import type { WireBlock, WireTurn } from "../wire.ts";
import { breakpointsOf } from "./breakpoints.ts";
import { type WirePrompt, wirePrompt } from "./conversation.ts";
import { outputSchema } from "./output-schema.ts";
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
  const model = modelName(config, agent, { model: options.model, errors });
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
    ...present({ effort, format: told.format }),
    ...further.outputConfig,
  };
  const body: Fields = {
    model,
    max_tokens: (modelConfig.maxTokens ?? options.maxTokens) + budget,
    ...(cached.system.length === 0 ? {} : { system: cached.system }),
    ...(offered.length === 0 ? {} : { tools: cached.tools }),
    ...(offered.length === 0 || choice === undefined ? {} : { tool_choice: choice }),
    messages: cached.turns,
    ...present({ thinking }),
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
    textTools: namesOfTextTools(tools),
  };
}

const namesOfTextTools = <Ctx>(tools: NonNullable<AnyAgent<Ctx>["tools"]>): ReadonlySet<string> =>
  new Set(tools.filter(({ schema }) => takesText(schema.parameters)).map(({ schema }) => schema.name));

const FILES = "files-api-2025-04-14";
const BINDING = "thinking-binding-controls-2026-08-01";

/** The beta features that a request can't do without: files by id, and what becomes of thinking whose prefix has changed. */
function neededBetas(thinking: Fields, turns: readonly WireTurn[]): readonly string[] {
  const hasFile = turns.some(({ content }) => content.some(isFile));
  return [...(hasFile ? [FILES] : []), ...(thinking["block_binding"] === undefined ? [] : [BINDING])];
}

const isFile = ({ source, content }: WireBlock | Fields): boolean =>
  fieldsOf(source)["type"] === "file" || listOf(content).some((inner) => isFile(fieldsOf(inner)));

/** How the model is told what the output must be. */
interface ToldOutput {
  /** Of `output_config`. */
  readonly format: Fields | undefined;
  /** Behind the agent's own. */
  readonly instructions: string;
}

const UNTOLD: ToldOutput = { format: undefined, instructions: "" };

/** Nothing is told of a codec that reads anything but a JSON object. */
function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): ToldOutput {
  const written = codec === undefined || format === "none" ? undefined : outputSchemaOf(codec);
  if (written === undefined) return UNTOLD;
  const schema = format === "json_schema" ? outputSchema(written) : undefined;
  return schema === undefined
    ? { format: undefined, instructions: outputInstructions(written) }
    : { format: { type: "json_schema", schema }, instructions: "" };
}

interface CachedPrompt {
  readonly tools: readonly Fields[];
  readonly system: readonly WireBlock[];
  readonly turns: readonly WireTurn[];
}

/**
 * The prompt with `cache_control` where what is to be kept ends.
 *
 * `given`: how many places the application has marked itself, of the 4 that there may be.
 */
function withCache(
  prompt: WirePrompt,
  tools: readonly Fields[],
  { cache = {}, given }: { readonly cache: CacheableConfig | undefined; readonly given: number },
): CachedPrompt {
  const marked = breakpointsOf(cache, { tools, prompt, given });
  const cache_control = { type: "ephemeral", ttl: isShort(cache.ttl) ? "5m" : "1h" };
  const mark = <Block extends Fields>(block: Block): Block =>
    marked.has(block) ? { ...block, cache_control } : block;
  return {
    tools: tools.map(mark),
    system: prompt.system.map(mark),
    turns: prompt.turns.map(({ role, content }) => ({ role, content: content.map(mark) })),
  };
}

/** Of the application's own: on tools, in native blocks of its messages, and on the request as a whole. */
function breakpointsIn(body: Fields, tools: readonly Fields[], turns: readonly WireTurn[]): number {
  const blocks = [...tools, ...turns.flatMap(({ content }) => content), body];
  return blocks.filter((block) => isObject(block) && isObject(block["cache_control"])).length;
}

/** Up to 5 minutes. Anthropic knows two times; JAF's default is an hour. */
function isShort(ttl = "1h"): boolean {
  const amount = Number.parseInt(ttl, 10);
  return (ttl.endsWith("s") && amount <= 300) || (ttl.endsWith("m") && amount <= 5);
}
