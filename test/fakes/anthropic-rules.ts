import { isList, isObject, type Json, type JsonObject, objectsOf, Refusal, textOf } from "./service.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly blocks: readonly JsonObject[];
}

const ID = /^[a-zA-Z0-9_-]+$/;
const SERVER_IDS: Readonly<Record<string, RegExp>> = {
  server_tool_use: /^srvtoolu_[a-zA-Z0-9_]+$/,
  mcp_tool_use: /^mcptoolu_[a-zA-Z0-9_]+$/,
};
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

const BLOCKS: Readonly<Record<Turn["role"], ReadonlySet<string>>> = {
  user: new Set(["text", "image", "document", "search_result", "tool_result", "container_upload"]),
  assistant: new Set([
    ...["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"],
    ...["web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution"].map(
      (kind) => `${kind}_tool_result`,
    ),
    ...["tool_search_tool_result", "advisor_tool_result", "mcp_tool_result", "mcp_tool_listing"],
    ...["compaction", "fallback", "container_upload"],
  ]),
};

/** Returns the messages if they are valid. Throws a {@link Refusal}. */
export function checkMessages(body: JsonObject): readonly Turn[] {
  const tools = checkTools(body);
  const messages = objectsOf(body["messages"], "messages").map(readTurn);
  if (messages.length === 0) throw new Refusal("messages: at least one message is required");
  if (messages[0]?.role !== "user") throw new Refusal('messages: first message must use the "user" role');
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === messages[index - 1]?.role)
      throw new Refusal(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`,
      );
    checkBlocks(message, index, { ids, tools });
    checkCalls(messages, index);
    checkResults(messages, index);
  }
  checkPendingCode(body, messages);
  checkServerCalls(messages);
  return messages;
}

/** Returns the names of the tools. A toolset has none. */
function checkTools(body: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, tool] of objectsOf(body["tools"] ?? [], "tools").entries()) {
    if (/_toolset/.test(String(tool["type"]))) continue;
    const name = textOf(tool["name"], `tools.${index}.name`);
    if (!NAME.test(name))
      throw new Refusal(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    checkStrict(tool, index);
    if (names.has(name)) throw new Refusal("tools: Tool names must be unique.");
    names.add(name);
  }
  return names;
}

function checkStrict({ strict, input_schema: schema }: JsonObject, index: number): void {
  if (strict === true && isObject(schema) && schema["additionalProperties"] !== false)
    throw new Refusal(
      `tools.${index}.custom: For 'object' type, 'additionalProperties' must be explicitly set to false`,
    );
}

const isServerCall = ({ type }: JsonObject): boolean => SERVER_IDS[String(type)] !== undefined;

/** Whether the conversation ends with a turn that the service has paused: for one of its tools, or after a compaction. */
export const isPaused = (messages: readonly Turn[]): boolean => {
  const last = messages.at(-1);
  const block = last?.blocks.at(-1);
  return (
    last?.role === "assistant" &&
    block !== undefined &&
    (isServerCall(block) || block["type"] === "compaction")
  );
};

function readTurn(message: JsonObject, index: number): Turn {
  const { role, content } = message;
  if (role !== "user" && role !== "assistant")
    throw new Refusal(`messages: Unexpected role "${role}". Allowed roles are "user" or "assistant".`);
  const where = `messages.${index}.content`;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content, where);
  if (blocks.length === 0) throw new Refusal(`messages.${index}: all messages must have non-empty content`);
  return { role, blocks };
}

interface Known {
  /** The ids of the calls so far. */
  readonly ids: Set<string>;
  readonly tools: ReadonlySet<string>;
}

function checkBlocks({ role, blocks }: Turn, message: number, { ids, tools }: Known): void {
  for (const [index, block] of blocks.entries()) {
    const where = `messages.${message}.content.${index}`;
    const type = textOf(block["type"], `${where}.type`);
    if (!BLOCKS[role].has(type))
      throw new Refusal(`${where}: \`${type}\` blocks are not permitted within ${role} turns`);
    if (type === "text") checkText(block, where);
    if (type === "tool_use" || isServerCall(block)) checkUse(block, where, ids);
    if (type === "tool_result") checkResultContent(block["content"], where, tools);
  }
  const last = blocks.at(-1)?.["type"];
  if (role === "assistant" && (last === "thinking" || last === "redacted_thinking"))
    throw new Refusal(`messages.${message}: The final block in an assistant message cannot be \`thinking\`.`);
}

function checkText(block: JsonObject, where: string): void {
  const text = textOf(block["text"], `${where}.text`);
  if (text === "") throw new Refusal("messages: text content blocks must be non-empty");
  if (text.trim() === "") throw new Refusal("messages: text content blocks must contain non-whitespace text");
}

function checkUse(block: JsonObject, where: string, ids: Set<string>): void {
  const id = textOf(block["id"], `${where}.${block["type"]}.id`);
  if (!ID.test(id)) throw new Refusal(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  const pattern = SERVER_IDS[String(block["type"])];
  if (pattern?.test(id) === false)
    throw new Refusal(`${where}.${block["type"]}.id: String should match pattern '${pattern.source}'`);
  if (!NAME.test(textOf(block["name"], `${where}.tool_use.name`)))
    throw new Refusal(`${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (!isObject(block["input"]))
    throw new Refusal(`${where}.tool_use.input: Input should be a valid dictionary`);
  const { caller } = block;
  if (isObject(caller) && caller["tool_id"] !== undefined && !ids.has(String(caller["tool_id"])))
    throw new Refusal(`${where}.tool_use.caller: there is no call with the id ${caller["tool_id"]}`);
  if (ids.has(id)) throw new Refusal("messages: `tool_use` ids must be unique");
  ids.add(id);
}

const RESULT_PARTS: ReadonlySet<string> = new Set([
  ...["text", "image", "document", "search_result", "tool_reference", "browser_state"],
]);

function checkResultContent(content: Json | undefined, where: string, tools: ReadonlySet<string>): void {
  if (!isList(content)) return;
  for (const part of objectsOf(content, `${where}.content`)) {
    if (!RESULT_PARTS.has(String(part["type"])))
      throw new Refusal(`${where}.content: \`${part["type"]}\` is not permitted within \`tool_result\``);
    if (part["type"] === "tool_reference" && !tools.has(String(part["tool_name"])))
      throw new Refusal(`Tool reference '${part["tool_name"]}' not found in available tools`);
    if (part["cache_control"] !== undefined)
      throw new Refusal(`${where}.content: cache_control is not permitted`);
    if (part["type"] === "text" && part["text"] === "")
      throw new Refusal("messages: text content blocks must be non-empty");
  }
}

const idsOf = (turn: Turn | undefined, type: string, field: string): readonly string[] =>
  (turn?.blocks ?? []).flatMap((block) => (block["type"] === type ? [String(block[field])] : []));

/** Each call is answered at the beginning of the next message. */
function checkCalls(messages: readonly Turn[], index: number): void {
  const uses = idsOf(messages[index], "tool_use", "id");
  if (uses.length === 0) return;
  const after = messages[index + 1]?.blocks ?? [];
  const firstOther = after.findIndex((block) => block["type"] !== "tool_result");
  const answers = firstOther === -1 ? after : after.slice(0, firstOther);
  const answered = new Set(answers.map((block) => String(block["tool_use_id"])));
  const open = uses.filter((id) => !answered.has(id));
  if (open.length > 0)
    throw new Refusal(
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. ` +
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    );
}

function checkResults(messages: readonly Turn[], index: number): void {
  const results = idsOf(messages[index], "tool_result", "tool_use_id");
  const uses = new Set(idsOf(messages[index - 1], "tool_use", "id"));
  const stray = results.find((id) => !uses.has(id));
  if (stray !== undefined)
    throw new Refusal(
      `messages.${index}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. ` +
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    );
  if (new Set(results).size < results.length)
    throw new Refusal(`messages.${index}.content: each tool_use must have a single result`);
}

const resultIn = ({ type, tool_use_id: id }: JsonObject): string | undefined =>
  String(type).endsWith("_tool_result") ? String(id) : undefined;

/**
 * A call of the service's tools has its result in the same turn: at once, or after the results of the calls that the model
 * or the tool made of the application's tools.
 */
function checkServerCalls(messages: readonly Turn[]): void {
  const open = new Map<string, string>();
  const refuseOpen = (index: number): void => {
    for (const [id, name] of open)
      throw new Refusal(
        `messages.${index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`,
      );
  };
  for (const [index, { role, blocks }] of messages.entries()) {
    if (role === "user" && !blocks.every(({ type }) => type === "tool_result")) refuseOpen(index - 1);
    for (const block of blocks) {
      if (isServerCall(block)) open.set(String(block["id"]), String(block["name"]));
      const result = resultIn(block);
      if (result !== undefined && !open.delete(result))
        throw new Refusal(
          `messages.${index}: unexpected \`tool_use_id\` found in \`${block["type"]}\` blocks: ${result}`,
        );
    }
  }
  if (messages.at(-1)?.role === "assistant" && !isPaused(messages)) refuseOpen(messages.length - 1);
}

/** Code that waits for the results of its calls goes on in its container, with nothing but these results. */
function checkPendingCode({ container }: JsonObject, messages: readonly Turn[]): void {
  const isFromCode = ({ type, caller }: JsonObject): boolean =>
    type === "tool_use" && isObject(caller) && caller["tool_id"] !== undefined;
  if (messages.at(-1)?.role !== "user" || !messages.at(-2)?.blocks.some(isFromCode)) return;
  const id = isObject(container) ? container["id"] : container;
  if (typeof id !== "string")
    throw new Refusal(
      "container_id is required when there are pending tool uses generated by code execution",
    );
  if (!messages.at(-1)?.blocks.every(({ type }) => type === "tool_result"))
    throw new Refusal("When responding to programmatic tool calls, only tool_result blocks are allowed");
}
