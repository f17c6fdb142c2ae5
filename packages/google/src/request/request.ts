import type { RunConfig, RunState } from "@jaf/core";
import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import {
  type Fields,
  isObject,
  listOf,
  modelName,
  optionsFor,
  splitInstructions,
  type ToolNames,
  toolNames,
} from "@jaf/model-http";
import { errors } from "../errors.ts";
import { type ModelRules, modelPath, modelRules } from "../model-rules.ts";
import type { ParsedOptions } from "../options.ts";
import type { AssistantContext } from "./assistant-message.ts";
import { contentsOf, withUserAtBothEnds } from "./messages.ts";
import { outputFormat } from "./output-format.ts";
import { type CacheSplit, cacheSplitOf } from "./prompt-cache.ts";
import { type AnyAgent, textFunctions, toolFields } from "./tools.ts";

/** A request, and what is needed to understand its reply. */
export interface GenerateRequest {
  /** E.g. `models/gemini-3-pro-preview`. */
  readonly path: string;
  readonly body: Fields;
  /** What of it Google is to keep, and the body without that. `undefined`: nothing. */
  readonly cacheSplit: CacheSplit | undefined;
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

/** Gemini's names begin with a letter or `_`. */
const VALID_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Throws a `GoogleError` where no model is named. */
export function generateRequest<Ctx>(
  { state, agent, config }: Asked<Ctx>,
  options: ParsedOptions,
  provider: string,
): GenerateRequest {
  const named = modelName(config, agent, { model: options.model, errors });
  const model = named.replace(/^models\//, "");
  const rules = modelRules(model);
  const origin: ModelOrigin = { provider, api: "generate-content", model };
  const tools = agent.tools ?? [];
  const names = toolNames(
    tools.map(({ schema }) => schema.name),
    VALID_NAME,
  );
  const further = furtherFields(agent, options, provider);
  const hasTools = tools.length + further.tools.length > 0;
  const asSchema = rules.schemaBesideTools || !hasTools ? "json_schema" : "instructions";
  const output = outputFormat(agent.outputCodec, options.outputFormat ?? asSchema);
  const { system, spoken, leading } = splitInstructions(
    [agent.instructions(state), output.instructions],
    state.messages,
  );
  const { foreignReasoning, includeThoughts } = options;
  const context: AssistantContext = { rules, names, origin, foreignReasoning, calls: new Map() };
  const fixed = {
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...toolFields(agent, names, further.tools),
  };
  const generationConfig = { ...settings(agent, rules, includeThoughts), ...output.config };
  const asked = merged(
    Object.keys(generationConfig).length === 0 ? fixed : { ...fixed, generationConfig },
    further.body,
  );
  const path = modelPath(model);
  const common = { path, origin, names, textFunctions: textFunctions(tools) };
  if (typeof asked["cachedContent"] === "string")
    return {
      ...common,
      body: withoutFixed({ ...asked, contents: all(spoken, context) }),
      cacheSplit: undefined,
    };
  const cacheSplit = cacheSplitOf({ cache: config.cache, path, asked, spoken, leading, context });
  return {
    ...common,
    body: { ...asked, contents: all(spoken, { ...context, calls: new Map() }) },
    cacheSplit,
  };
}

const all = (spoken: readonly RichMessage[], context: AssistantContext) =>
  withUserAtBothEnds(contentsOf(spoken, context));

/** What a request must not carry beside a cached prompt, which has its own. */
function withoutFixed(body: Fields): Fields {
  const { systemInstruction: _, tools: __, toolConfig: ___, ...rest } = body;
  return rest;
}

/** What the agent asks of the model, as `generationConfig`. */
function settings<Ctx>(
  { modelConfig = {} }: AnyAgent<Ctx>,
  rules: ModelRules,
  includeThoughts: boolean,
): Fields {
  const { temperature, maxTokens, topP, reasoningEffort } = modelConfig;
  const thinking = {
    ...(reasoningEffort === undefined ? {} : rules.thinking?.(reasoningEffort)),
    ...(includeThoughts && rules.thinking !== undefined ? { includeThoughts } : {}),
  };
  return {
    ...present({ temperature, topP, maxOutputTokens: maxTokens }),
    ...(Object.keys(thinking).length === 0 ? {} : { thinkingConfig: thinking }),
  };
}

interface FurtherFields {
  readonly body: Fields;
  /** Google's own, e.g. `{ googleSearch: {} }`. */
  readonly tools: readonly unknown[];
}

/** What the options and the agent's `providerOptions` add to the body, and to its tools. */
function furtherFields<Ctx>(
  { modelConfig }: AnyAgent<Ctx>,
  options: ParsedOptions,
  provider: string,
): FurtherFields {
  const given = [options.body ?? {}, ...optionsFor(modelConfig, "google", provider)].reduce(merged, {});
  const body = Object.entries(given).filter(([field]) => !OWN_FIELDS.has(field));
  return { body: Object.fromEntries(body), tools: listOf(given["tools"]) };
}

/** Of the body, the adapter's own. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "contents", "systemInstruction", "tools"]);

/** The second outranks the first; objects, such as `generationConfig`, field by field. */
function merged(first: Fields, second: Fields): Fields {
  const result: Record<string, unknown> = { ...first };
  for (const [field, value] of Object.entries(second)) {
    const before = result[field];
    result[field] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}
