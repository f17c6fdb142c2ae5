import { type Fields, fieldsOf, isObject } from "@jaf/model-http";

/** The types of the definitions of OpenAI's tools that the application runs, by the type of their calls. */
const CLIENT_TOOLS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["shell_call", ["shell"]],
  ["local_shell_call", ["local_shell"]],
  ["apply_patch_call", ["apply_patch"]],
  ["tool_search_call", ["tool_search"]],
  ["computer_call", ["computer", "computer_use_preview"]],
]);

/**
 * Returns the names that the agent's tool for a call can have; `undefined` for an item that isn't a call which the
 * application runs.
 */
export const clientToolNames = (call: Fields): readonly string[] | undefined =>
  isHosted(call) ? undefined : CLIENT_TOOLS.get(call["type"]);

/** Whether OpenAI runs the tool of this definition or call, which could be the application's: in a container, or a search. */
const isHosted = ({ type, environment, execution }: Fields): boolean =>
  type === "tool_search" || type === "tool_search_call"
    ? execution !== "client"
    : String(fieldsOf(environment)["type"]).startsWith("container");

/** Returns what a call asks for as JSON, without fields that are `null`: a search's arguments, else the item's fields. */
export function inputText({ action, actions, operation, pending_safety_checks, ...call }: Fields): string {
  const asked = call["arguments"] ?? { action, actions, operation, pending_safety_checks };
  return JSON.stringify(asked, (_, value: unknown) => (value === null ? undefined : value));
}

const CLIENT_NAMES: ReadonlySet<unknown> = new Set([...CLIENT_TOOLS.values()].flat());

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
