import type { Fields, ToolNames } from "@jaf/model-http";
import type { DialectRules } from "../../dialect.ts";
import { type AnyTool, functionParameters, isCustomTool } from "../../request/text-tools.ts";

export function wireTool<Ctx>(tool: AnyTool<Ctx>, rules: DialectRules, names: ToolNames): Fields {
  const { name, description } = tool.schema;
  const named = { name: names.toWire(name), description };
  return isCustomTool(tool, rules)
    ? { type: "custom", custom: named }
    : { type: "function", function: { ...named, parameters: functionParameters(tool) } };
}
