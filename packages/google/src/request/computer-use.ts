import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { ModelRules } from "../model-rules.ts";

/** The functions that Google documents for the tool `computerUse` of models before Gemini 3.5. */
const OLDER = [
  ...["open_web_browser", "wait_5_seconds", "go_back", "go_forward", "search", "navigate"],
  ...["click_at", "hover_at", "type_text_at", "key_combination"],
  ...["scroll_document", "scroll_at", "drag_and_drop"],
];

/** Those since Gemini 3.5, by what the model uses. */
const SCREEN = ["click", "type", "scroll", "drag_and_drop", "press_key", "wait", "take_screenshot"];
const DESKTOP = [
  ...[...SCREEN, "double_click", "triple_click", "middle_click", "right_click"],
  ...["mouse_down", "mouse_up", "move", "key_down", "key_up", "hotkey"],
];
const MOBILE = [...SCREEN, "long_press", "go_back", "open_app", "list_apps"];
const BROWSER = [...DESKTOP, "go_back", "go_forward", "navigate"];

function functionsOf(environment: unknown, { olderComputer }: ModelRules): readonly string[] {
  if (olderComputer) return OLDER;
  if (environment === "ENVIRONMENT_MOBILE") return MOBILE;
  return environment === "ENVIRONMENT_DESKTOP" ? DESKTOP : BROWSER;
}

/** Returns the functions that `computerUse` among Google's tools declares itself; none without this tool. */
export function predefinedFunctions(googles: readonly unknown[], rules: ModelRules): ReadonlySet<string> {
  const names = googles.flatMap((tool) => {
    const { computerUse } = fieldsOf(tool);
    const { environment, excludedPredefinedFunctions: excluded } = fieldsOf(computerUse);
    if (computerUse === undefined) return [];
    return functionsOf(environment, rules).filter((name) => !listOf(excluded).includes(name));
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
