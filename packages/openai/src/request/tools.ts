import type { RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/internal";
import { type CallIds, type Fields, isObject, parseJson, type ToolNames, takesText } from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";
import type { AnyAgent } from "./request.ts";

export type AnyTool = NonNullable<AnyAgent["tools"]>[number];

/** A tool whose input is a text: a custom tool where the endpoint has them, else a function of one text. */
const isTextTool = ({ schema }: AnyTool): boolean => takesText(schema.parameters);

export const isCustomTool = (tool: AnyTool, { customTools }: DialectRules): boolean =>
  customTools && isTextTool(tool);

/** Names, as the agent has them, of tools that take text and go out as functions of one text. */
export const textFunctions = (
  tools: readonly AnyTool[],
  { customTools }: DialectRules,
): ReadonlySet<string> =>
  new Set(customTools ? [] : tools.filter(isTextTool).map(({ schema }) => schema.name));

interface Choosing {
  readonly rules: DialectRules;
  /** How the API names one tool. */
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

/** A call as the endpoint takes it, whichever model made it. */
export interface WireCall {
  readonly kind: "function" | "custom";
  readonly id: string;
  readonly name: string;
  /** JSON of a function, any text of a custom tool. */
  readonly text: string;
}

/** `isOwn`: the endpoint gave the id, and knows it as it is. */
export function wireCall(call: RichToolCall, isOwn: boolean, { rules, names, ids }: CallContext): WireCall {
  const { name, input } = calledTool(call);
  const called = { id: ids.open(call.id, isOwn), name: names.toWire(name) };
  return call.type === "custom" && rules.customTools
    ? { ...called, kind: "custom", text: input }
    : { ...called, kind: "function", text: argumentsOf(call, input, rules) };
}

/**
 * As the model wrote them. Endpoints that read the arguments of earlier calls refuse the whole conversation for one call
 * that is no JSON object, so there it is wrapped.
 */
function argumentsOf(call: RichToolCall, input: string, rules: DialectRules): string {
  if (call.type === "custom") return JSON.stringify({ input });
  if (rules.anyArguments || isObject(parseJson(input))) return input;
  return input.trim() === "" ? "{}" : JSON.stringify({ input });
}
