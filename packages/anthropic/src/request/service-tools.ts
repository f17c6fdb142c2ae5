import type { Tool } from "@jaf/core";
import { type Fields, functionParameters, optionsFor, type ToolNames, takesText } from "@jaf/model-http";
import type { WireBlock } from "../parts.ts";
import { outputSchema } from "./output-format.ts";

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** A tool of the service by its name. A toolset has none: its calls name the family, e.g. `computer`. */
export const serviceToolName = ({ name, type }: Fields): string | undefined =>
  typeof name === "string" ? name : /^(\w+)_toolset_\d+$/.exec(String(type))?.[1];

/** The tools of a request. */
export interface OfferedTools {
  readonly definitions: readonly Fields[];
  /** The agent's names of tools with text input that are sent as tools with one text parameter. */
  readonly textTools: ReadonlySet<string>;
  readonly executorOf: (call: WireBlock) => Executor;
}

/** The agent's tool that runs a call. */
export interface Executor {
  readonly name: string;
  /** Whether the tool runs all calls of a toolset: it gets the call's own name as `action`. */
  readonly isToolset: boolean;
  /** Whether the service defines the tool, and the agent has none to run it. */
  readonly isMissing: boolean;
}

interface Given<Ctx> {
  readonly tools: readonly AnyTool<Ctx>[];
  /** The definitions of the service's tools. */
  readonly service: readonly Fields[];
  readonly names: ToolNames;
  readonly provider: string;
}

/** A tool of the agent with the name of a service's tool runs that tool's calls, and isn't offered a second time. */
export function offeredTools<Ctx>({ tools, service, names, provider }: Given<Ctx>): OfferedTools {
  const own = new Map(tools.map((tool) => [tool.schema.name, tool]));
  const named = new Set(service.map(serviceToolName));
  const ordinary = tools.filter(({ schema }) => !named.has(schema.name));
  const optionsOf = (tool: AnyTool<Ctx> | undefined): Fields =>
    Object.assign({}, ...optionsFor(tool, "anthropic", provider));
  const wireTool = (tool: AnyTool<Ctx>): Fields => {
    const { name, description, parameters } = tool.schema;
    const options = optionsOf(tool);
    const schema = functionParameters(parameters);
    // A strict tool takes no properties but the described ones.
    const input_schema = options["strict"] === true ? (outputSchema(schema) ?? schema) : schema;
    return { name: names.toWire(name), description, input_schema, ...options };
  };
  return {
    definitions: [
      ...ordinary.map(wireTool),
      ...service.map((tool) => ({ ...tool, ...optionsOf(own.get(serviceToolName(tool) ?? "")) })),
    ],
    textTools: new Set(
      ordinary.filter(({ schema }) => takesText(schema.parameters)).map(({ schema }) => schema.name),
    ),
    executorOf: ({ name: wire, toolset_name: toolset }) => {
      const isMember = typeof toolset === "string";
      if (isMember && own.has(toolset)) return { name: toolset, isToolset: true, isMissing: false };
      const name = names.toOwn(String(wire ?? ""));
      const isMissing = !own.has(name) && (isMember || named.has(name));
      return { name: isMissing && isMember ? toolset : name, isToolset: false, isMissing };
    },
  };
}
