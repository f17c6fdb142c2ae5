import { isList, isObject, type Json, type JsonObject, objectsOf, Refusal, textOf } from "./service.ts";

/** The calls that the application answers, by the type of the answer. */
const ANSWERS: Readonly<Record<string, string>> = {
  function_call_output: "function_call",
  custom_tool_call_output: "custom_tool_call",
  shell_call_output: "shell_call",
  local_shell_call_output: "local_shell_call",
  apply_patch_call_output: "apply_patch_call",
  computer_call_output: "computer_call",
  tool_search_output: "tool_search_call",
};

/** Types of items without which a model's reply can't be continued, and that have to keep their id. */
const WITH_ID = ["local_shell_call", "computer_call", "mcp_approval_request", "program", "program_output"];

const missing = (where: string): Refusal => new Refusal(`Missing required parameter: '${where}'.`);

/**
 * Checks an item of a tool: the calls that the application runs, their outputs, approvals and programs. Returns whether it
 * is such an item. Throws a {@link Refusal}.
 */
export function checkToolItem(item: JsonObject, where: string): boolean {
  const type = String(item["type"]);
  if (WITH_ID.includes(type) && typeof item["id"] !== "string") throw missing(`${where}.id`);
  switch (type) {
    case "shell_call":
    case "local_shell_call":
      if (!isObject(item["action"])) throw missing(`${where}.action`);
      return true;
    case "apply_patch_call":
      if (!isObject(item["operation"])) throw missing(`${where}.operation`);
      return true;
    case "computer_call":
      if (!isObject(item["action"]) && !isList(item["actions"])) throw missing(`${where}.action`);
      return true;
    case "tool_search_call":
      if (item["arguments"] === undefined) throw missing(`${where}.arguments`);
      return true;
    case "mcp_approval_request":
      textOf(item["arguments"], `${where}.arguments`);
      return true;
    case "mcp_approval_response":
      textOf(item["approval_request_id"], `${where}.approval_request_id`);
      if (typeof item["approve"] !== "boolean") throw missing(`${where}.approve`);
      return true;
    case "program":
      textOf(item["fingerprint"], `${where}.fingerprint`);
      return true;
    case "program_output":
      return true;
    default:
      return checkOutput(item, where);
  }
}

function checkOutput(item: JsonObject, where: string): boolean {
  const { output } = item;
  switch (item["type"]) {
    case "shell_call_output":
      for (const [index, each] of objectsOf(output, `${where}.output`).entries()) {
        textOf(each["stdout"], `${where}.output[${index}].stdout`);
        textOf(each["stderr"], `${where}.output[${index}].stderr`);
        if (!isObject(each["outcome"])) throw missing(`${where}.output[${index}].outcome`);
      }
      return true;
    case "local_shell_call_output":
      textOf(item["call_id"], `${where}.call_id`);
      textOf(output, `${where}.output`);
      return true;
    case "apply_patch_call_output":
      if (item["status"] !== "completed" && item["status"] !== "failed")
        throw new Refusal(`Invalid '${where}.status'.`);
      return true;
    case "computer_call_output": {
      const { type, image_url, file_id } = isObject(output) ? output : {};
      if (type !== "computer_screenshot" || (image_url ?? file_id) === undefined)
        throw missing(`${where}.output`);
      return true;
    }
    case "tool_search_output":
      objectsOf(item["tools"], `${where}.tools`);
      return true;
    default:
      return false;
  }
}

/**
 * Checks that each call that the application runs has one answer of its kind, that approvals answer a request, that an
 * answer repeats the caller and the limit of its call, and that safety checks are acknowledged. Throws a {@link Refusal}.
 */
export function checkAnswers(items: readonly JsonObject[]): void {
  const open = new Map<Json, JsonObject>();
  const called = new Set<Json>();
  const programs = new Set<Json>();
  for (const item of items) {
    const type = String(item["type"]);
    const { call_id: id = null } = item;
    if (type === "program") programs.add(id);
    checkCaller(item, programs);
    if (type === "mcp_approval_request") open.set(item["id"] ?? null, item);
    else if (type === "mcp_approval_response") answer(open, item["approval_request_id"] ?? null, item);
    // Searches of the service's own have no id.
    else if (id === null) continue;
    else if (Object.values(ANSWERS).includes(type)) {
      if (called.has(id)) throw new Refusal(`Duplicate function call with call_id ${id}.`);
      called.add(id);
      open.set(id, item);
    } else if (ANSWERS[type] !== undefined) answer(open, id, item);
  }
  if (open.size > 0)
    throw new Refusal(`No tool output found for function call ${[...open.keys()].join(", ")}.`);
}

function answer(open: Map<Json, JsonObject>, id: Json, item: JsonObject): void {
  const type = String(item["type"]);
  const call = open.get(id);
  if (call === undefined || call["type"] !== (ANSWERS[type] ?? "mcp_approval_request"))
    throw new Refusal(`No tool call found for function call output with call_id ${id}.`);
  open.delete(id);
  if (JSON.stringify(call["caller"]) !== JSON.stringify(item["caller"]))
    throw new Refusal(`The caller of the output with call_id ${id} isn't that of its call.`);
  const { max_output_length: limit = null } = isObject(call["action"]) ? call["action"] : {};
  if (type === "shell_call_output" && limit !== (item["max_output_length"] ?? null))
    throw missing("max_output_length");
  const pending = isList(call["pending_safety_checks"]) ? call["pending_safety_checks"] : [];
  if (pending.length > 0 && !isList(item["acknowledged_safety_checks"]))
    throw new Refusal("Computer tool call has pending safety checks that must be acknowledged.");
}

function checkCaller({ caller }: JsonObject, programs: ReadonlySet<Json>): void {
  if (!isObject(caller) || caller["type"] !== "program") return;
  if (!programs.has(caller["caller_id"] ?? null))
    throw new Refusal(`No program found for the caller '${caller["caller_id"]}'.`);
}
