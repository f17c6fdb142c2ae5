import { type Fields, type ToolNames, takesText } from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";
import type { AnyAgent } from "../provider.ts";

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
