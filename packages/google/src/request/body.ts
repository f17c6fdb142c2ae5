import type { RunConfig, RunState, Tool } from "@jaf/core";
import type { ModelOrigin, RichMessage } from "@jaf/memory";
import {
  type Fields,
  fieldsOf,
  functionParameters,
  isObject,
  modelName,
  outputInstructions,
  outputSchemaOf,
  splitInstructions,
  type ToolNames,
  takesText,
  toolNames,
} from "@jaf/model-http";
import type * as z from "zod";
import { errors } from "../error.ts";
import { modelPath, modelRules } from "../model-rules.ts";
import type { OutputFormat, ParsedOptions } from "../options.ts";
import type { TurnContext } from "./assistant.ts";
import { contentsOf, framed } from "./contents.ts";
import { type KeptPrompt, keptPrompt } from "./kept-prompt.ts";
import { type AnyAgent, callingConfig, furtherFields, merged, settings } from "./settings.ts";

/** A request, and what is needed to understand its reply. */
export interface GenerateRequest {
  /** E.g. `models/gemini-3-pro-preview`. */
  readonly path: string;
  readonly body: Fields;
  /** What of it Google is to keep, and the body without that. `undefined`: nothing. */
  readonly kept: KeptPrompt | undefined;
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
  const told = outputFormat(agent.outputCodec, options.outputFormat ?? asSchema);
  const { system, spoken, leading } = splitInstructions(
    [agent.instructions(state), told.instructions],
    state.messages,
  );
  const { foreignReasoning, includeThoughts } = options;
  const context: TurnContext = { rules, names, origin, foreignReasoning, calls: new Map() };
  const fixed = {
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...toolFields(agent, names, further.tools),
  };
  const generationConfig = { ...settings(agent, rules, includeThoughts), ...told.config };
  const asked = merged(
    Object.keys(generationConfig).length === 0 ? fixed : { ...fixed, generationConfig },
    further.body,
  );
  const path = modelPath(model);
  const common = { path, origin, names, textFunctions: textFunctions(tools) };
  if (typeof asked["cachedContent"] === "string")
    return { ...common, body: withoutFixed({ ...asked, contents: all(spoken, context) }), kept: undefined };
  const kept = keptPrompt({ cache: config.cache, path, asked, spoken, leading, context });
  return { ...common, body: { ...asked, contents: all(spoken, { ...context, calls: new Map() }) }, kept };
}

const all = (spoken: readonly RichMessage[], context: TurnContext) => framed(contentsOf(spoken, context));

function toolFields<Ctx>(agent: AnyAgent<Ctx>, names: ToolNames, googles: readonly unknown[]): Fields {
  const declared = (agent.tools ?? []).map((tool) => declaration(tool, names));
  const offered = [...(declared.length === 0 ? [] : [{ functionDeclarations: declared }]), ...googles];
  const calling = declared.length === 0 ? undefined : callingConfig(agent, names);
  return {
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(calling === undefined ? {} : { toolConfig: { functionCallingConfig: calling } }),
  };
}

const textFunctions = <Ctx>(tools: NonNullable<AnyAgent<Ctx>["tools"]>): ReadonlySet<string> =>
  new Set(tools.filter(({ schema }) => takesText(schema.parameters)).map(({ schema }) => schema.name));

/** What a request must not carry beside a cached prompt, which has its own. */
export function withoutFixed(body: Fields): Fields {
  const { systemInstruction: _, tools: __, toolConfig: ___, ...rest } = body;
  return rest;
}

/** How the model is told what the output must be. */
interface ToldOutput {
  /** Fields of `generationConfig`. */
  readonly config: Fields;
  /** Behind the agent's own. */
  readonly instructions: string;
}

const UNTOLD: ToldOutput = { config: {}, instructions: "" };

/** Nothing is told of a codec that reads anything but a JSON object. */
function outputFormat(codec: z.ZodType | undefined, format: OutputFormat): ToldOutput {
  const schema = codec === undefined || format === "none" ? undefined : outputSchemaOf(codec);
  if (schema === undefined) return UNTOLD;
  if (format === "instructions") return { config: {}, instructions: outputInstructions(schema) };
  return {
    config: { responseMimeType: "application/json", responseJsonSchema: supportedSchema(schema) },
    instructions: "",
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** A tool without parameters has none on the wire: older models refuse an object of no properties. */
function declaration<Ctx>(tool: AnyTool<Ctx>, names: ToolNames): Fields {
  const { name, description, parameters } = tool.schema;
  const schema = functionParameters(parameters);
  return {
    name: names.toWire(name),
    description,
    ...(isEmpty(schema) ? {} : { parametersJsonSchema: supportedSchema(schema) }),
  };
}

const isEmpty = (schema: Fields): boolean =>
  Object.keys(fieldsOf(schema["properties"])).length === 0 && !schema["additionalProperties"];

/** The same schema in the keywords that Gemini knows: it ignores `const`, and reads an `enum` of one. */
function supportedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(supportedSchema);
  if (!isObject(schema)) return schema;
  const { const: constant, ...rest } = schema;
  const entries = Object.entries(rest).map(([keyword, value]) => [keyword, within(keyword, value)]);
  const written = Object.fromEntries(entries);
  return typeof constant === "string" ? { ...written, enum: [constant] } : { ...schema, ...written };
}

/** Names of properties are no keywords, and values of an `enum` no schemas. */
function within(keyword: string, value: unknown): unknown {
  if (keyword === "properties" || keyword === "$defs")
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, supportedSchema(inner)]))
      : value;
  return ["enum", "default", "examples", "required"].includes(keyword) ? value : supportedSchema(value);
}
