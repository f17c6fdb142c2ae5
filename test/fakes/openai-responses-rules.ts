import type { OpaqueValues, Owner } from "./opaque-values.ts";
import { checkMessage, checkParts, INPUT_PARTS } from "./openai-responses-part-rules.ts";
import { REASONING } from "./openai-responses-reply.ts";
import { checkAnswers, checkToolItem } from "./openai-responses-tool-rules.ts";
import { isList, type Json, type JsonObject, objectsOf, Refusal, textOf } from "./service.ts";

interface ItemRules {
  readonly owner: Owner;
  readonly opaque: Pick<OpaqueValues, "isGenuine">;
  /** By an item's id, the id of the reasoning before it. */
  readonly reasonedFor: ReadonlyMap<string, string>;
  /** The ids of all items of the model's replies. */
  readonly known: ReadonlySet<string>;
  /** Whether items are stored, so reasoning is found by its id. Default `false`. */
  readonly isStoring?: boolean;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The prefix of an id, by the type of its item. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
  web_search_call: "ws",
  file_search_call: "fs",
  code_interpreter_call: "ci",
  image_generation_call: "ig",
  mcp_call: "mcp",
  mcp_list_tools: "mcpl",
  compaction: "cmp",
};

/** Returns the items of the input if they are valid. Throws a {@link Refusal}. */
export function checkItems(body: JsonObject, rules: ItemRules): readonly JsonObject[] {
  const { input } = body;
  const items =
    typeof input === "string"
      ? [{ role: "user", content: input }]
      : objectsOf(input, "input").map((item) =>
          item["type"] === undefined && item["role"] !== undefined ? { ...item, type: "message" } : item,
        );
  if (items.length === 0) throw new Refusal("Missing required parameter: 'input'.");
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    checkId(item, index, { ids, known: rules.known });
    checkItem(item, index, rules);
    checkReasoning(items, index, rules);
  }
  checkAnswers(items);
  return items;
}

interface Ids {
  /** The ids of the request so far. */
  readonly ids: Set<string>;
  readonly known: ReadonlySet<string>;
}

function checkId(item: JsonObject, index: number, { ids, known }: Ids): void {
  const { id, type } = item;
  if (id === undefined || id === null) return;
  const prefix = PREFIXES[String(type)];
  if (typeof id !== "string" || (prefix !== undefined && !id.startsWith(`${prefix}_`)))
    throw new Refusal(
      `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix ?? ""}'.`,
    );
  // References and encrypted content are checked by their own rules.
  if (!["item_reference", "reasoning", "compaction"].includes(String(type)) && !known.has(id))
    throw notFound(id);
  if (ids.has(id))
    throw new Refusal(
      `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
    );
  ids.add(id);
}

const notFound = (id: Json | undefined): Refusal =>
  new Refusal(
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    404,
  );

function checkItem(item: JsonObject, index: number, { owner, opaque, known, isStoring }: ItemRules): void {
  const where = `input[${index}]`;
  switch (item["type"]) {
    case "message":
      checkMessage(item, where);
      return;
    case "reasoning": {
      const { encrypted_content: encrypted } = item;
      if (!isList(item["summary"])) throw new Refusal(`Missing required parameter: '${where}.summary'.`);
      if (typeof encrypted !== "string" || encrypted === "") {
        if (isStoring === true && known.has(String(item["id"]))) return;
        throw notFound(item["id"]);
      }
      if (!opaque.isGenuine(owner, REASONING, encrypted))
        throw new Refusal(
          `The encrypted content for item ${item["id"]} could not be verified.`,
          400,
          "invalid_encrypted_content",
        );
      return;
    }
    case "function_call":
      checkCallId(item, where);
      textOf(item["arguments"], `${where}.arguments`);
      if (!NAME.test(textOf(item["name"], `${where}.name`)))
        throw new Refusal(`Invalid '${where}.name': string does not match pattern.`);
      return;
    case "custom_tool_call":
      checkCallId(item, where);
      textOf(item["input"], `${where}.input`);
      if (!NAME.test(textOf(item["name"], `${where}.name`)))
        throw new Refusal(`Invalid '${where}.name': string does not match pattern.`);
      return;
    case "function_call_output":
    case "custom_tool_call_output":
      checkCallId(item, where);
      if (typeof item["output"] === "string") return;
      if (!isList(item["output"])) throw new Refusal(`Missing required parameter: '${where}.output'.`);
      checkParts(item["output"], INPUT_PARTS, `${where}.output`);
      return;
    case "compaction": {
      const encrypted = item["encrypted_content"];
      if (typeof encrypted !== "string" || !opaque.isGenuine(owner, REASONING, encrypted))
        throw new Refusal("The encrypted content for the item could not be verified.", 400);
      return;
    }
    case "image_generation_call":
      textOf(item["result"], `${where}.result`);
      checkBuiltIn(item, where);
      return;
    case "web_search_call":
    case "file_search_call":
    case "code_interpreter_call":
    case "mcp_call":
    case "mcp_list_tools":
      checkBuiltIn(item, where);
      return;
    case "item_reference":
      throw notFound(item["id"]);
    default:
      if (checkToolItem(item, where)) return;
      throw new Refusal(`Invalid value: '${item["type"]}'. Supported values are: 'message', 'reasoning', …`);
  }
}

function checkBuiltIn(item: JsonObject, where: string): void {
  if (item["id"] === undefined) throw new Refusal(`Missing required parameter: '${where}.id'.`);
}

function checkCallId(item: JsonObject, where: string): void {
  const id = textOf(item["call_id"], `${where}.call_id`);
  if (id === "" || id.length > 64)
    throw new Refusal(
      `Invalid '${where}.call_id': expected a string of 1 to 64 characters, but got one of ${id.length}.`,
    );
}

/** Reasoning comes directly before its item, and an item with an id comes directly after its reasoning. */
function checkReasoning(items: readonly JsonObject[], index: number, { reasonedFor }: ItemRules): void {
  const item = items[index] ?? {};
  if (item["type"] === "reasoning") {
    const next = items[index + 1];
    const isOutput = next?.["type"] === "message" ? next["role"] === "assistant" : next !== undefined;
    const known = reasonedFor.get(String(next?.["id"]));
    const fits = isOutput && !/_output$|^reasoning$|^mcp_approval_response$/.test(String(next?.["type"]));
    if (!fits || (known !== undefined && item["id"] !== undefined && known !== item["id"]))
      throw new Refusal(
        `Item '${item["id"]}' of type 'reasoning' was provided without its required following item.`,
      );
    return;
  }
  const needed = typeof item["id"] === "string" ? reasonedFor.get(item["id"]) : undefined;
  const before = items[index - 1];
  if (needed === undefined || (before?.["type"] === "reasoning" && (before["id"] ?? needed) === needed))
    return;
  throw new Refusal(
    `Item '${item["id"]}' of type '${item["type"]}' was provided without its required 'reasoning' item: '${needed}'.`,
  );
}
