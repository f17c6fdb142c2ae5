import type { RunConfig, RunState } from "@jaf/core";
import type { ModelOrigin, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import {
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  modelName,
  optionsFor,
  splitInstructions,
  type ToolNames,
  toolNames,
  withoutForeignApprovals,
} from "@jaf/model-http";
import { errors } from "../errors.ts";
import { type ModelRules, modelPath, modelRules } from "../model-rules.ts";
import type { ParsedOptions } from "../options.ts";
import type { AssistantContext } from "./assistant-message.ts";
import { assertAnswerable, predefinedFunctions, type ToolUse } from "./computer-use.ts";
import { contentsOf, withUserAtBothEnds } from "./messages.ts";
import { outputFormat } from "./output-format.ts";
import { type CacheSplit, cacheSplitOf } from "./prompt-cache.ts";
import { type AnyAgent, textFunctions, toolFields } from "./tools.ts";

/** A request, and the data needed to read its reply. */
export interface GenerateRequest {
  /** E.g. `models/gemini-3-pro-preview`. */
  readonly path: string;
  readonly body: Fields;
  /** The part of the request to cache, and the body without it. `undefined`: nothing is cached. */
  readonly cacheSplit: CacheSplit | undefined;
  readonly origin: ModelOrigin;
  readonly names: ToolNames;
  /** The agent's names of tools with text input that are sent as functions with one text parameter. */
  readonly textFunctions: ReadonlySet<string>;
  /** The agent's names of tools whose calls Google never answers itself. */
  readonly answeredByAgent: ReadonlySet<string>;
  /** Throws a `GoogleError` if a call can't be answered until the application configures something. */
  readonly assertAnswerable: (call: ToolUse) => void;
}

/** What the engine asks a model for. */
export interface Asked<Ctx> {
  readonly state: Readonly<RunState<Ctx>>;
  readonly agent: AnyAgent<Ctx>;
  readonly config: RunConfig<Ctx>;
}

/** Gemini requires a letter or `_` at the beginning. */
const VALID_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Throws a `GoogleError` if no model is set. */
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
  const split = splitInstructions(
    [agent.instructions(state), output.instructions],
    withoutForeignApprovals(state.messages, origin),
  );
  const { leading } = split;
  const system = rules.takesInstructions ? split.system : "";
  const spoken: readonly RichMessage[] =
    split.system === system ? split.spoken : [{ role: "user", content: split.system }, ...split.spoken];
  const { foreignReasoning, includeThoughts } = options;
  const predefined = predefinedFunctions(further.tools, rules);
  const takesIds = !isVertex(options);
  const context = { rules, names, origin, foreignReasoning, predefined, takesIds, calls: new Map() };
  const showsGoogles = rules.showsGoogles && takesIds;
  const fixed = {
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...toolFields(agent, { names, provider, googles: further.tools, predefined, showsGoogles }),
  };
  const generationConfig = { ...settings(agent, rules, includeThoughts), ...output.config };
  const asked = merged(
    Object.keys(generationConfig).length === 0 ? fixed : { ...fixed, generationConfig },
    further.body,
  );
  const path = modelPath(model);
  // An MCP server may have a tool with the name of one of the agent's, and a prompt that the application cached any tool.
  const mayAnswer = further.tools.some((tool) => "mcpServers" in fieldsOf(tool)) || "cachedContent" in asked;
  const common = {
    ...{ path, origin, names, textFunctions: textFunctions(tools) },
    answeredByAgent: new Set(mayAnswer ? [] : tools.map(({ schema }) => schema.name)),
    assertAnswerable: (call: ToolUse) => assertAnswerable(call, tools, predefined),
  };
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

/** Vertex AI refuses fields that it doesn't know. */
const isVertex = ({ baseURL = "" }: ParsedOptions): boolean => /\/\/[\w-]*aiplatform\./.test(baseURL);

const all = (spoken: readonly RichMessage[], context: AssistantContext) =>
  withUserAtBothEnds(contentsOf(spoken, context));

/** Removes the fields that a request with a cached prompt must not have. */
function withoutFixed(body: Fields): Fields {
  const { systemInstruction: _, tools: __, toolConfig: ___, ...rest } = body;
  return rest;
}

/** The agent's model settings as `generationConfig`. */
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
  /** Google's own tools, e.g. `{ googleSearch: {} }`. */
  readonly tools: readonly unknown[];
}

/** The fields and tools that the options and the agent's `providerOptions` add to the body. */
function furtherFields<Ctx>(
  { modelConfig }: AnyAgent<Ctx>,
  options: ParsedOptions,
  provider: string,
): FurtherFields {
  const given = [options.body ?? {}, ...optionsFor(modelConfig, "google", provider)].reduce(merged, {});
  const body = Object.entries(given).filter(([field]) => !OWN_FIELDS.has(field));
  return { body: Object.fromEntries(body), tools: listOf(given["tools"]) };
}

/** Body fields that only the adapter sets. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "contents", "systemInstruction", "tools"]);

/** Merges two objects recursively. The second overrides the first. */
function merged(first: Fields, second: Fields): Fields {
  const result: Record<string, unknown> = { ...first };
  for (const [field, value] of Object.entries(second)) {
    const before = result[field];
    result[field] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}
