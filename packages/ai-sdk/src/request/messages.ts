import type { ContentPart, RichMessage } from "@jaf/memory";
import { calledTool, messageText, partText, present, stableLength } from "@jaf/memory/internal";
import { isSameOrigin, textField } from "@jaf/model-http";
import { assistantParts, type Recipient } from "./assistant-message.ts";
import { fileOf, mediaPlaceholder } from "./media.ts";
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
  messages: readonly RichMessage[],
  recipient: Recipient,
): PromptMessage[] {
  const system: PromptMessage[] = [];
  const rest: PromptMessage[] = [];
  const known: AskedBefore = { toolNames: new Map(), approvals: new Set() };
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
        addUser(rest, message, { recipient, known });
        break;
      case "assistant": {
        recordAsked(known, message, recipient);
        const content = assistantParts(message, recipient);
        if (content.length > 0) rest.push({ role: "assistant", content });
        break;
      }
      case "tool":
        addResults(rest, toolParts(message, { recipient, known }));
    }
    // One mark before text that the next turn won't repeat, and one at the end for the steps of this turn.
    const isStableEnd = cached === "all" && index === stable - 1;
    if (index === kept - 1 || isStableEnd) addCacheControl(rest.at(-1), cacheControl);
  }
  return [...system, ...rest];
}

/** The tool calls and requests for approval in the messages that were converted so far. */
interface AskedBefore {
  /** The tool name of the latest call with an id. Earlier calls may have the same id, because providers repeat ids. */
  readonly toolNames: Map<string, string>;
  /** Ids of the approvals that this model requested. Other models don't know these approvals. */
  readonly approvals: Set<unknown>;
}

interface Place {
  readonly recipient: Recipient;
  readonly known: AskedBefore;
}

function recordAsked(
  { toolNames, approvals }: AskedBefore,
  message: RichMessage,
  recipient: Recipient,
): void {
  for (const call of message.tool_calls ?? []) toolNames.set(call.id, calledTool(call).name);
  if (typeof message.content === "string" || !isSameOrigin(message.origin, recipient.origin)) return;
  for (const part of message.content ?? []) {
    if (part.type === "tool-approval-request") approvals.add(part["approvalId"]);
  }
}

function addUser(prompt: PromptMessage[], message: RichMessage, { recipient, known }: Place): void {
  const options = providerOptionsOf(message.providerMetadata);
  if (typeof message.content === "string") {
    prompt.push({ role: "user", content: [{ type: "text", text: message.content }], ...options });
    return;
  }
  const decisions: ToolPart[] = [];
  const content: UserPart[] = [];
  for (const part of message.content ?? []) {
    const partOptions = providerOptionsOf(part["providerMetadata"]);
    const text = partText(part);
    const file = fileOf(part, recipient.providerKey);
    if (text !== undefined && text !== "") content.push({ type: "text", text, ...partOptions });
    else if (file !== undefined) content.push({ type: "file", ...file, ...partOptions });
    else if (part.type === "media") content.push({ type: "text", text: mediaPlaceholder(part) });
    else decisions.push(...approvalParts(part, known));
  }
  if (decisions.length > 0) addResults(prompt, decisions);
  if (content.length > 0) prompt.push({ role: "user", content, ...options });
}

function toolParts(message: RichMessage, { recipient, known }: Place): ToolPart[] {
  const { content } = message;
  const parts = typeof content === "string" ? [] : (content ?? []);
  const decisions = parts.flatMap((part) => approvalParts(part, known));
  const toolName = known.toolNames.get(message.tool_call_id ?? "");
  // Every provider refuses a result without its call.
  if (message.tool_call_id === undefined || toolName === undefined) return decisions;
  return [
    ...decisions,
    {
      type: "tool-result",
      toolCallId: message.tool_call_id,
      toolName,
      output: toolOutput(content, recipient.providerKey),
      ...providerOptionsOf(message.providerMetadata),
    },
  ];
}

/** Converts a decision about a call that the provider runs. Leaves out the decision if this model didn't request it. */
function approvalParts(part: ContentPart, { approvals }: AskedBefore): ToolPart[] {
  const approvalId = textField(part, "approvalId");
  if (part.type !== "tool-approval-response") return [];
  if (approvalId === undefined || !approvals.has(approvalId)) return [];
  const reason = textField(part, "reason");
  const approved = part["approved"] === true;
  return [{ type: "tool-approval-response", approvalId, approved, ...present({ reason }) }];
}

function addResults(prompt: PromptMessage[], parts: readonly ToolPart[]): void {
  if (parts.length === 0) return;
  const last = prompt.at(-1);
  if (last?.role === "tool") last.content.push(...parts);
  else prompt.push({ role: "tool", content: [...parts] });
}
