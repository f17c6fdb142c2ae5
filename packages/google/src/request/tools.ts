import type { Tool } from "@jaf/core";
import { type Fields, fieldsOf, objectSchema, parametersOf, type ToolNames } from "@jaf/model-http";
import { supportedSchema } from "./supported-schema.ts";

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** A tool whose input is a text goes out as a function of one text. */
export const takesText = <Ctx>({ schema }: AnyTool<Ctx>): boolean =>
  parametersOf(schema.parameters)["type"] === "string";

const TEXT_INPUT: Fields = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/** A tool without parameters has none on the wire: older models refuse an object of no properties. */
export function declaration<Ctx>(tool: AnyTool<Ctx>, names: ToolNames): Fields {
  const { name, description, parameters } = tool.schema;
  const schema = takesText(tool) ? TEXT_INPUT : objectSchema(parametersOf(parameters));
  return {
    name: names.toWire(name),
    description,
    ...(isEmpty(schema) ? {} : { parametersJsonSchema: supportedSchema(schema) }),
  };
}

const isEmpty = (schema: Fields): boolean =>
  Object.keys(fieldsOf(schema["properties"])).length === 0 && !schema["additionalProperties"];
