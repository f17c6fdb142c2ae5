import { type Fields, fieldsOf, isObject } from "@jaf/model-http";

/** A tool of OpenAI's that the application runs. */
interface ClientTool {
  /** The types of its definitions. The agent's tool of that name runs its calls. */
  readonly names: readonly string[];
  /** What a call asks for: the arguments of the agent's tool. */
  readonly input: (call: Fields) => unknown;
}

/** By the type of its calls. */
const CLIENT_TOOLS: ReadonlyMap<unknown, ClientTool> = new Map([
  ["shell_call", { names: ["shell"], input: ({ action }) => action }],
  ["local_shell_call", { names: ["local_shell"], input: ({ action }) => action }],
  ["apply_patch_call", { names: ["apply_patch"], input: ({ operation }) => operation }],
  ["tool_search_call", { names: ["tool_search"], input: ({ arguments: query }) => query }],
  [
    "computer_call",
    {
      names: ["computer", "computer_use_preview"],
      input: ({ action, actions, pending_safety_checks: checks }) => ({
        ...{ action, actions, pending_safety_checks: checks },
      }),
    },
  ],
]);

/** Returns the tool of a call that the application runs; `undefined` for any other item. */
export const clientToolOf = (call: Fields): ClientTool | undefined =>
  isHosted(call) ? undefined : CLIENT_TOOLS.get(call["type"]);

/** Whether OpenAI runs the tool of this definition or call, which could be the application's: in a container, or a search. */
const isHosted = ({ type, environment, execution }: Fields): boolean =>
  type === "tool_search" || type === "tool_search_call"
    ? execution !== "client"
    : String(fieldsOf(environment)["type"]).startsWith("container");

/** The arguments as JSON, without fields that are `null`. */
export const inputText = (tool: ClientTool, call: Fields): string =>
  JSON.stringify(tool.input(call) ?? {}, (_, value: unknown) => (value === null ? undefined : value));

const CLIENT_NAMES: ReadonlySet<unknown> = new Set([...CLIENT_TOOLS.values()].flatMap(({ names }) => names));

/**
 * Returns the names of the agent's tools that the service already knows by a definition in `providerOptions`: its own
 * tools that the application runs (by their type), functions, custom tools, and those in a namespace. They run the
 * calls, but aren't offered a second time.
 */
export const definedNames = (definitions: readonly unknown[]): ReadonlySet<string> =>
  new Set(definitions.filter(isObject).flatMap(namesOf));

function namesOf(definition: Fields): readonly string[] {
  const { type, name, tools } = definition;
  if (type === "namespace") return [...definedNames(Array.isArray(tools) ? tools : [])];
  if (CLIENT_NAMES.has(type)) return isHosted(definition) ? [] : [String(type)];
  return (type === "function" || type === "custom") && typeof name === "string" ? [name] : [];
}

/** Whether the name is the type of a tool of OpenAI's that the application runs. */
export const isClientToolName = (name: string): boolean => CLIENT_NAMES.has(name);
