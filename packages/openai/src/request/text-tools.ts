import type { Tool } from "@jaf/core";
import { type Fields, objectSchema, parametersOf, TEXT_INPUT, takesText } from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export type AnyTool<Ctx> = Tool<any, Ctx>;

/** A tool whose input is a text: a custom tool where the endpoint has them, else a function of one text. */
const isTextTool = <Ctx>({ schema }: AnyTool<Ctx>): boolean => takesText(schema.parameters);

/** What a function takes. */
export const functionParameters = <Ctx>(tool: AnyTool<Ctx>): Fields =>
  isTextTool(tool) ? TEXT_INPUT : objectSchema(parametersOf(tool.schema.parameters));

export const isCustomTool = <Ctx>(tool: AnyTool<Ctx>, { customTools }: DialectRules): boolean =>
  customTools && isTextTool(tool);

/** Names, as the agent has them, of tools that take text and go out as functions of one text. */
export const textFunctions = <Ctx>(
  tools: readonly AnyTool<Ctx>[],
  { customTools }: DialectRules,
): ReadonlySet<string> =>
  new Set(customTools ? [] : tools.filter(isTextTool).map(({ schema }) => schema.name));
