import type { RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, messageText, partText, stableLength } from "@jaf/memory/internal";
import { approvalIn, isProviderExecuted, textField, withoutForeignApprovals } from "@jaf/model-http";
import { assistantParts, type Recipient } from "./assistant-message.ts";
import { executorOutput } from "./executor-output.ts";
import { fileOf, placeholder } from "./media.ts";
import { type PromptMessage, providerOptionsOf, type ToolPart, type UserPart } from "./prompt.ts";
import { addCacheControl, cacheControlFor } from "./prompt-cache.ts";
import { toolOutput } from "./tools.ts";

/**
 * Converts a conversation into a prompt. The instructions and all system and developer messages come first, because most
 * providers accept them only at the beginning. The other messages follow in order. Consecutive tool results are merged into
 * one message.
 */
export function toPrompt(
  instructions: string,
  history: readonly RichMessage[],
  recipient: Recipient,
): PromptMessage[] {
  const messages = withoutForeignApprovals(history, recipient.origin);
  const system: PromptMessage[] = [];
  const rest: PromptMessage[] = [];
  const known: AskedBefore = new Map();
  const { cache = {} } = recipient;
  const cacheControl = cacheControlFor(recipient.origin, cache);
  if (instructions !== "") system.push({ role: "system", content: instructions });
  if (cache.instructions === true) addCacheControl(system[0], cacheControl);
  const { messages: cached = 0 } = cache;
  const stable = stableLength(messages);
  const kept = cached === "all" ? messages.length : Math.min(cached, stable);
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "system":
      case "developer": {
        const content = messageText(message);
        const options = providerOptionsOf(message.providerMetadata);
        if (content !== "") system.push({ role: "system", content, ...options });
        break;
      }
      case "user":
        addUser(rest, message, recipient);
        break;
      case "assistant": {
        for (const call of message.tool_calls ?? []) known.set(call.id, call);
        const content = assistantParts(message, recipient);
        if (content.length > 0) rest.push({ role: "assistant", content });
        break;
      }
      case "tool":
        addResult(rest, resultPart(message, recipient, known));
    }
    // One mark before text that the next turn won't repeat, and one at the end for the steps of this turn.
    const isStableEnd = cached === "all" && index === stable - 1;
    if (index === kept - 1 || isStableEnd) addCacheControl(rest.at(-1), cacheControl);
  }
  return [...system, ...rest];
}

/**
 * The latest call with an id in the messages that were converted so far. Earlier calls may have the same id, because
 * providers repeat ids.
 */
type AskedBefore = Map<string, RichToolCall>;

function addUser(prompt: PromptMessage[], message: RichMessage, recipient: Recipient): void {
  const options = providerOptionsOf(message.providerMetadata);
  if (typeof message.content === "string") {
    prompt.push({ role: "user", content: [{ type: "text", text: message.content }], ...options });
    return;
  }
  const content: UserPart[] = [];
  for (const part of message.content ?? []) {
    const partOptions = providerOptionsOf(part["providerMetadata"]);
    const text = partText(part);
    const file = fileOf(part, recipient.providerKey);
    if (text !== undefined && text !== "") content.push({ type: "text", text, ...partOptions });
    else if (file !== undefined) content.push({ type: "file", ...file, ...partOptions });
    else if (part.type === "media") content.push({ type: "text", text: placeholder(part) });
  }
  if (content.length > 0) prompt.push({ role: "user", content, ...options });
}

/** Converts a tool result. Returns `undefined` for a result without its call, which every provider refuses. */
function resultPart(message: RichMessage, recipient: Recipient, known: AskedBefore): ToolPart | undefined {
  const { content, tool_call_id: toolCallId = "" } = message;
  const call = known.get(toolCallId);
  if (call === undefined) return undefined;
  const toolName = calledTool(call).name;
  const approvalId = isProviderExecuted(call) ? textField(call, "approvalId") : undefined;
  if (approvalId !== undefined) return { type: "tool-approval-response", approvalId, ...approvalIn(message) };
  const providerTool = recipient.providerTools.get(toolName);
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output:
      providerTool !== undefined && typeof content === "string"
        ? executorOutput(content, providerTool)
        : toolOutput(content, recipient.providerKey),
    ...providerOptionsOf(message.providerMetadata),
  };
}

function addResult(prompt: PromptMessage[], part: ToolPart | undefined): void {
  if (part === undefined) return;
  const last = prompt.at(-1);
  if (last?.role === "tool") last.content.push(part);
  else prompt.push({ role: "tool", content: [part] });
}
