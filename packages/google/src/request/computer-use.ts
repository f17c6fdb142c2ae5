import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import { errors } from "../errors.ts";

/** The functions that Google documents for the tool `computerUse`. */
const FUNCTIONS = [
  ...["open_web_browser", "wait_5_seconds", "go_back", "go_forward", "search", "navigate"],
  ...["click_at", "hover_at", "type_text_at", "key_combination"],
  ...["scroll_document", "scroll_at", "drag_and_drop"],
];

/** Returns the functions that `computerUse` among Google's tools declares itself; none without this tool. */
export function predefinedFunctions(googles: readonly unknown[]): ReadonlySet<string> {
  const names = googles.flatMap((tool) => {
    const { computerUse } = fieldsOf(tool);
    const excluded = new Set(listOf(fieldsOf(computerUse)["excludedPredefinedFunctions"]));
    return computerUse === undefined ? [] : FUNCTIONS.filter((name) => !excluded.has(name));
  });
  return new Set(names);
}

/** Whether Google demands that the user confirms the call. */
export const needsConfirmation = (args: Fields): boolean =>
  fieldsOf(args["safety_decision"])["decision"] === "require_confirmation";

/** A call of a reply, by the agent's name of the tool. */
export interface ToolUse {
  readonly name: string;
  readonly args: Fields;
}

/** What counts of an agent's tool here. */
interface Executor {
  readonly schema: { readonly name: string };
  readonly needsApproval?: unknown;
}

/**
 * Throws a `GoogleError` that says what to configure: if no tool of the agent executes a predefined function, or if nothing asks
 * the user to confirm a call.
 */
export function assertAnswerable(
  { name, args }: ToolUse,
  tools: readonly Executor[],
  predefined: ReadonlySet<string>,
): void {
  const tool = tools.find(({ schema }) => schema.name === name);
  if (tool === undefined && predefined.has(name))
    throw errors.configuration(
      `the model called ${name} of computerUse: add a tool of this name to the agent, or list it in excludedPredefinedFunctions`,
    );
  if (tool !== undefined && needsConfirmation(args) && (tool.needsApproval ?? false) === false)
    throw errors.configuration(
      `a call of ${name} needs the user's confirmation (safety_decision): set needsApproval of the agent's tool`,
    );
}
