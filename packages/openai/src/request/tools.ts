import type { RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/internal";
import {
  type CallIds,
  type Fields,
  functionParameters,
  isObject,
  optionsFor,
  parseJson,
  type ToolNames,
  takesText,
} from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";
import { strictSchema } from "./output-format.ts";
import type { AnyAgent } from "./request.ts";

export type AnyTool = NonNullable<AnyAgent["tools"]>[number];

/** A tool with text input: a custom tool if the endpoint has them, else a function with one text parameter. */
const isTextTool = ({ schema }: AnyTool): boolean => takesText(schema.parameters);

export const isCustomTool = (tool: AnyTool, { customTools }: DialectRules): boolean =>
  customTools && isTextTool(tool);

/** The agent's names of tools with text input that are sent as functions with one text parameter. */
export const textFunctions = (
  tools: readonly AnyTool[],
  { customTools }: DialectRules,
): ReadonlySet<string> =>
  new Set(customTools ? [] : tools.filter(isTextTool).map(({ schema }) => schema.name));

/** A tool's definition. */
interface DefinedTool {
  readonly type: "function" | "custom";
  /** The fields that the API puts into the definition. */
  readonly fields: Fields;
}

export interface ToolContext {
  readonly rules: DialectRules;
  readonly names: ToolNames;
  /** The provider's name in `providerOptions`. */
  readonly provider: string;
}

/**
 * Returns a tool's definition with the fields of its `providerOptions`. Strict mode is asked for only where it can
 * express the parameters, and `format` (a grammar) only for a custom tool.
 */
export function definedTool(tool: AnyTool, { rules, names, provider }: ToolContext): DefinedTool {
  const { name, description, parameters } = tool.schema;
  const named = { name: names.toWire(name), description };
  const given: Fields = Object.assign({}, ...optionsFor(tool, "openai", provider));
  if (isCustomTool(tool, rules)) return { type: "custom", fields: { ...named, ...given } };
  const { strict, format: _, ...further } = given;
  const schema = functionParameters(parameters);
  const closed = strict === true ? strictSchema(schema) : undefined;
  return {
    type: "function",
    fields: {
      ...{ ...named, parameters: closed ?? schema },
      ...(strict === undefined ? {} : { strict: closed !== undefined }),
      ...further,
    },
  };
}

interface Choosing {
  readonly rules: DialectRules;
  /** The API's choice of one tool. */
  readonly choose: (type: "function" | "custom", name: string) => Fields;
}

export function toolChoice(
  { modelConfig, tools = [] }: AnyAgent,
  names: ToolNames,
  { rules, choose }: Choosing,
): Fields {
  const choice = modelConfig?.toolChoice;
  if (choice === undefined) return {};
  if (typeof choice === "string") return { tool_choice: choice };
  const tool = tools.find(({ schema }) => schema.name === choice.tool);
  const type = tool !== undefined && isCustomTool(tool, rules) ? "custom" : "function";
  return { tool_choice: choose(type, names.toWire(choice.tool)) };
}

export interface CallContext {
  readonly rules: DialectRules;
  readonly names: ToolNames;
  readonly ids: CallIds;
}

/** A call in the endpoint's terms. */
export interface WireCall {
  readonly kind: "function" | "custom";
  readonly id: string;
  readonly name: string;
  /** JSON for a function, any text for a custom tool. */
  readonly text: string;
}

/** `isOwn`: the endpoint itself created the id, so it must not change. */
export function wireCall(call: RichToolCall, isOwn: boolean, { rules, names, ids }: CallContext): WireCall {
  const { name, input } = calledTool(call);
  const called = { id: ids.open(call.id, isOwn), name: names.toWire(name) };
  return call.type === "custom" && rules.customTools
    ? { ...called, kind: "custom", text: input }
    : { ...called, kind: "function", text: argumentsOf(call, input, rules) };
}

/**
 * The arguments as the model wrote them. Endpoints that parse them refuse the whole conversation if the arguments of one
 * call aren't a JSON object, so these are wrapped.
 */
function argumentsOf(call: RichToolCall, input: string, rules: DialectRules): string {
  if (call.type === "custom") return JSON.stringify({ input });
  if (rules.anyArguments || isObject(parseJson(input))) return input;
  return input.trim() === "" ? "{}" : JSON.stringify({ input });
}
