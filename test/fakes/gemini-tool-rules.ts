import { isObject, type Json, type JsonObject, objectsOf, Refusal } from "./service.ts";

interface ToolContent {
  readonly role: "user" | "model";
  readonly parts: readonly JsonObject[];
}

/** The functions that Google documents for the tool `computerUse`. */
const PREDEFINED = [
  ...["open_web_browser", "wait_5_seconds", "go_back", "go_forward", "search", "navigate", "click_at"],
  ...["hover_at", "type_text_at", "key_combination", "scroll_document", "scroll_at", "drag_and_drop"],
];

const listIn = (value: Json | undefined): readonly JsonObject[] => objectsOf(value ?? [], "tools");

const fieldIn = (holder: Json | undefined, field: string): Json | undefined =>
  isObject(holder) ? holder[field] : undefined;

/** Returns the functions that the tool `computerUse` declares; none without it. */
function predefinedIn(tools: readonly JsonObject[]): ReadonlySet<string> {
  const names = tools.flatMap(({ computerUse }) => {
    if (!isObject(computerUse)) return [];
    const excluded = computerUse["excludedPredefinedFunctions"];
    return PREDEFINED.filter((name) => !(Array.isArray(excluded) && excluded.includes(name)));
  });
  return new Set(names);
}

/** Throws a {@link Refusal} for tools that Google doesn't take together. */
export function checkToolsTogether(tools: Json | undefined, toolConfig: Json | undefined): void {
  const list = listIn(tools);
  const declared = list.flatMap(({ functionDeclarations }) => listIn(functionDeclarations));
  const predefined = predefinedIn(list);
  const twice = declared.find(({ name }) => predefined.has(String(name)));
  if (twice !== undefined) throw new Refusal(`Duplicate function declaration found: ${twice["name"]}`);
  const builtIn = list.some(
    (tool) => "googleSearch" in tool || "googleMaps" in tool || "urlContext" in tool || "fileSearch" in tool,
  );
  if (builtIn && declared.length > 0 && fieldIn(toolConfig, "includeServerSideToolInvocations") !== true)
    throw new Refusal(
      "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
    );
}

/** Returns the calls of a content that the content itself doesn't answer. */
export function waitingCalls(parts: readonly JsonObject[]): readonly JsonObject[] {
  const responses = parts.flatMap(({ functionResponse }) =>
    isObject(functionResponse) ? [functionResponse] : [],
  );
  return parts.filter(({ functionCall: call }) => {
    if (!isObject(call)) return false;
    const at = responses.findIndex(({ id, name }) => id === call["id"] && name === call["name"]);
    if (at !== -1) responses.splice(at, 1);
    return at === -1;
  });
}

/** Throws a {@link Refusal} for calls and results of tools that aren't as Google sends them or wants them. */
export function checkToolParts(
  content: ToolContent,
  before: ToolContent | undefined,
  tools: Json | undefined,
): void {
  const { role, parts } = content;
  for (const { functionCall: call, toolCall, toolResponse } of parts) {
    if (isObject(call) && (call["partialArgs"] !== undefined || call["willContinue"] !== undefined))
      throw new Refusal("partial_args is output only.");
    const id = fieldIn(toolResponse, "id");
    if (toolResponse !== undefined && !parts.some((part) => fieldIn(part["toolCall"], "id") === id))
      throw new Refusal("Please ensure that each tool response has a tool call in the same content.");
    const asked = fieldIn(toolCall, "id");
    if (toolCall !== undefined && !parts.some((part) => fieldIn(part["toolResponse"], "id") === asked))
      throw new Refusal("Please ensure that each tool call has a tool response in the same content.");
  }
  if (role === "user") checkComputersResults(parts, before, predefinedIn(listIn(tools)));
}

function checkComputersResults(
  parts: readonly JsonObject[],
  before: ToolContent | undefined,
  predefined: ReadonlySet<string>,
): void {
  for (const { functionResponse } of parts) {
    if (!isObject(functionResponse)) continue;
    const { id, name, response } = functionResponse;
    if (fieldIn(response, "error") !== undefined) continue;
    if (predefined.has(String(name)) && fieldIn(response, "url") === undefined)
      throw new Refusal(`The response of ${name} must have the url of the page.`);
    const call = before?.parts
      .map(({ functionCall }) => functionCall)
      .find((each) => fieldIn(each, "name") === name && fieldIn(each, "id") === id);
    const decision = fieldIn(fieldIn(fieldIn(call, "args"), "safety_decision"), "decision");
    if (decision === "require_confirmation" && fieldIn(response, "safety_acknowledgement") !== "true")
      throw new Refusal("The user must acknowledge the safety decision.");
  }
}
