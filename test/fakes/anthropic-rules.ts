import { isList, isObject, type Json, type JsonObject, objectsOf, Refusal, textOf } from "./service.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly blocks: readonly JsonObject[];
}

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

const BLOCKS: Readonly<Record<Turn["role"], ReadonlySet<string>>> = {
  user: new Set(["text", "image", "document", "search_result", "tool_result"]),
  assistant: new Set([
    ...["text", "thinking", "redacted_thinking", "tool_use"],
    ...["server_tool_use", "web_search_tool_result"],
  ]),
};

/** Returns the messages if they are valid. Throws a {@link Refusal}. */
export function checkMessages(body: JsonObject): readonly Turn[] {
  for (const [index, tool] of objectsOf(body["tools"] ?? [], "tools").entries()) {
    if (!NAME.test(textOf(tool["name"], `tools.${index}.name`)))
      throw new Refusal(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  }
  const messages = objectsOf(body["messages"], "messages").map(readTurn);
  if (messages.length === 0) throw new Refusal("messages: at least one message is required");
  if (messages[0]?.role !== "user") throw new Refusal('messages: first message must use the "user" role');
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === messages[index - 1]?.role)
      throw new Refusal(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`,
      );
    checkBlocks(message, index, ids);
    checkCalls(messages, index);
    checkResults(messages, index);
    if (index < messages.length - 1 || !isPaused(messages)) checkSearches(message, index, messages);
  }
  return messages;
}

/** Whether the conversation ends with a turn that the service has paused: with a server tool call without a result. */
export const isPaused = (messages: readonly Turn[]): boolean => {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.blocks.at(-1)?.["type"] === "server_tool_use";
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

function checkBlocks({ role, blocks }: Turn, message: number, ids: Set<string>): void {
  for (const [index, block] of blocks.entries()) {
    const where = `messages.${message}.content.${index}`;
    const type = textOf(block["type"], `${where}.type`);
    if (!BLOCKS[role].has(type))
      throw new Refusal(`${where}: \`${type}\` blocks are not permitted within ${role} turns`);
    if (type === "text") checkText(block, where);
    if (type === "tool_use" || type === "server_tool_use") checkUse(block, where, ids);
    if (type === "tool_result") checkResultContent(block["content"], where);
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
  if (block["type"] === "server_tool_use" && !id.startsWith("srvtoolu_"))
    throw new Refusal(`${where}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`);
  if (!NAME.test(textOf(block["name"], `${where}.tool_use.name`)))
    throw new Refusal(`${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (!isObject(block["input"]))
    throw new Refusal(`${where}.tool_use.input: Input should be a valid dictionary`);
  if (ids.has(id)) throw new Refusal("messages: `tool_use` ids must be unique");
  ids.add(id);
}

const RESULT_PARTS: ReadonlySet<string> = new Set(["text", "image", "document", "search_result"]);

function checkResultContent(content: Json | undefined, where: string): void {
  if (!isList(content)) return;
  for (const part of objectsOf(content, `${where}.content`)) {
    if (!RESULT_PARTS.has(String(part["type"])))
      throw new Refusal(`${where}.content: \`${part["type"]}\` is not permitted within \`tool_result\``);
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

/** The code on the service that waits for the results of these calls. */
const callersIn = ({ blocks }: Turn): ReadonlySet<Json | undefined> =>
  new Set(blocks.map(({ caller }) => (isObject(caller) ? caller["tool_id"] : undefined)));

/** Server tool calls come with their results. */
function checkSearches(turn: Turn, index: number, messages: readonly Turn[]): void {
  const callers = index === messages.length - 2 ? callersIn(turn) : new Set();
  const results = new Set(idsOf(turn, "web_search_tool_result", "tool_use_id"));
  const uses = idsOf(turn, "server_tool_use", "id");
  for (const id of uses) {
    if (!results.delete(id) && !callers.has(id))
      throw new Refusal(
        `messages.${index}: \`web_search\` tool use with id \`${id}\` was found without a corresponding \`web_search_tool_result\` block`,
      );
  }
  const [stray] = results;
  if (stray !== undefined)
    throw new Refusal(
      `messages.${index}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${stray}`,
    );
}
