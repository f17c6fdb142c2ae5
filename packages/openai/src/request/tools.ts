import type { Tool } from "@jaf/core";
import {
  type Fields,
  objectSchema,
  parametersOf,
  TEXT_INPUT,
  type ToolNames,
  takesText,
} from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** A tool whose input is a text is a custom tool where the endpoint has them, else a function of one text. */
export function wireTool<Ctx>(tool: AnyTool<Ctx>, rules: DialectRules, names: ToolNames): Fields {
  const { name, description, parameters } = tool.schema;
  const named = { name: names.toWire(name), description };
  if (!takesText(parameters))
    return functionTool({ ...named, parameters: objectSchema(parametersOf(parameters)) });
  return rules.customTools
    ? { type: "custom", custom: named }
    : functionTool({ ...named, parameters: TEXT_INPUT });
}

const functionTool = (called: Fields): Fields => ({ type: "function", function: called });
