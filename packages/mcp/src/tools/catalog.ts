import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { report } from "../reports.ts";
import type { ListedTools, ToolDefinition } from "./definition.ts";
import { toolName } from "./names.ts";
import { checkSchema } from "./schema.ts";
import { createServerTool, withdrawn } from "./server-tool.ts";
import type { McpTool, ToolSource } from "./source.ts";

interface Entry {
  /** The definition as JSON, which tells whether it has changed. */
  readonly text: string;
  readonly tool: McpTool;
}

/** The tools of one server: those it offers, and those it has offered before. */
export interface Catalog {
  /** Takes a new list over. Tools whose definition stays the same stay the same objects. */
  readonly update: (listed: ListedTools) => void;
  /** In the order in which they were offered first, so that the beginning of a prompt stays the same. */
  readonly tools: () => readonly McpTool[];
  /** How many tools the server offers now. */
  readonly offered: () => number;
}

/** How many tools that are no longer offered stay known. */
const MAX_WITHDRAWN = 128;

export function createCatalog(source: ToolSource): Catalog {
  const entries = new Map<string, Entry>();
  let offered: ReadonlySet<string> = new Set();

  function leftOut(tool: string, message: string): void {
    const { name, options } = source;
    report(options.onWarning, { type: "tool_left_out", server: name, tool: tool.slice(0, 128), message });
  }

  function update({ definitions, broken }: ListedTools): void {
    for (const name of broken) leftOut(name, "its definition breaks the protocol");
    const validator = new AjvJsonSchemaValidator();
    const taken = new Set<string>();
    for (const definition of definitions) {
      const name = toolName(source.name, definition.name);
      if (taken.has(name)) leftOut(definition.name, "the server has another tool of this name");
      else if (taken.size >= source.options.tools)
        leftOut(definition.name, `the server has more than ${source.options.tools} tools`);
      else if (take(name, definition, validator)) taken.add(name);
    }
    offered = taken;
    forget();
  }

  function take(name: string, definition: ToolDefinition, validator: AjvJsonSchemaValidator): boolean {
    const text = textOf(definition);
    if (text !== undefined && entries.get(name)?.text === text) return true;
    const { schemaBytes } = source.options;
    const checked = checkSchema(definition.inputSchema, { schemaBytes, validator });
    if (text === undefined || !checked.ok) {
      leftOut(definition.name, checked.ok ? "its definition is nested too deeply" : checked.reason);
      return false;
    }
    const isOffered = () => offered.has(name);
    const tool = createServerTool(source, { definition, parameters: checked.parameters, isOffered });
    entries.set(name, { text, tool });
    return true;
  }

  function forget(): void {
    const gone = [...entries.keys()].filter((name) => !offered.has(name));
    for (const name of gone.slice(0, Math.max(0, gone.length - MAX_WITHDRAWN))) entries.delete(name);
  }

  return {
    update,
    tools: () => Array.from(entries, ([name, { tool }]) => (offered.has(name) ? tool : withdrawn(tool))),
    offered: () => offered.size,
  };
}

function textOf(definition: ToolDefinition): string | undefined {
  try {
    return JSON.stringify(definition);
  } catch {
    return undefined;
  }
}
