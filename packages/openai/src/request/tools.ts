import type { Tool } from "@jaf/core";
import { type Fields, objectSchema, parametersOf, type ToolNames } from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** A tool whose input is a text: a custom tool where the endpoint has them, else a function of one text. */
export const takesText = <Ctx>({ schema }: AnyTool<Ctx>): boolean =>
  parametersOf(schema.parameters)["type"] === "string";

const TEXT_INPUT: Fields = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

export function wireTool<Ctx>(tool: AnyTool<Ctx>, rules: DialectRules, names: ToolNames): Fields {
  const { name, description, parameters } = tool.schema;
  const named = { name: names.toWire(name), description };
  if (!takesText(tool)) return functionTool({ ...named, parameters: objectSchema(parametersOf(parameters)) });
  return rules.customTools
    ? { type: "custom", custom: named }
    : functionTool({ ...named, parameters: TEXT_INPUT });
}

const functionTool = (called: Fields): Fields => ({ type: "function", function: called });
