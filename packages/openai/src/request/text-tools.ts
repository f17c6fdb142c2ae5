import type { Tool } from "@jaf/core";
import { type Fields, fieldsOf, objectSchema, parametersOf, parseJson } from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export type AnyTool<Ctx> = Tool<any, Ctx>;

/** A tool whose input is a text: a custom tool where the endpoint has them, else a function of one text. */
export const takesText = <Ctx>({ schema }: AnyTool<Ctx>): boolean =>
  parametersOf(schema.parameters)["type"] === "string";

const TEXT_INPUT: Fields = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** What a function takes. */
export const functionParameters = <Ctx>(tool: AnyTool<Ctx>): Fields =>
  takesText(tool) ? TEXT_INPUT : objectSchema(parametersOf(tool.schema.parameters));

export const isCustomTool = <Ctx>(tool: AnyTool<Ctx>, { customTools }: DialectRules): boolean =>
  customTools && takesText(tool);

/** Names, as the agent has them, of tools that take text and go out as functions of one text. */
export const textFunctions = <Ctx>(
  tools: readonly AnyTool<Ctx>[],
  { customTools }: DialectRules,
): ReadonlySet<string> =>
  new Set(customTools ? [] : tools.filter(takesText).map(({ schema }) => schema.name));

/** The text that a function of one text was called with. Models that don't keep to it write the text alone. */
export function textInput(sent: unknown): string {
  if (typeof sent !== "string") return "";
  const input = fieldsOf(parseJson(sent))["input"];
  return typeof input === "string" ? input : sent;
}
