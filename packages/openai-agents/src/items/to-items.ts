import type { ContentPart, MediaPart, RichMessage, RichToolCall } from "@jaf/memory";
import { messageText, originalIn } from "@jaf/memory/internal";
import type {
  AgentInputItem,
  AssistantMessageItem,
  FunctionCallItem,
  FunctionCallResultItem,
} from "@openai/agents-core";
import { type InputPart, inputPartOf } from "./media.ts";

/** The field of a message that holds the SDK's own items. */
export const ORIGINAL = "openaiAgents";

/** The items of messages, in order. Reasoning and provider tools of other engines are left out. */
export const itemsOf = (messages: readonly RichMessage[]): AgentInputItem[] => itemsOfEach(messages).flat();

/** The items of each of the messages. A message of which nothing is an item has none. */
export function itemsOfEach(messages: readonly RichMessage[]): AgentInputItem[][] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    for (const call of message.tool_calls ?? []) names.set(call.id, nameOf(call));
    return itemsOfMessage(message, names);
  });
}

/** The items of one message. `names`: the functions of earlier calls, by the calls' ids. */
export function itemsOfMessage(
  message: RichMessage,
  names: ReadonlyMap<string, string> = new Map(),
): AgentInputItem[] {
  return originalItems(message) ?? standardItems(message, names);
}

/**
 * The items that the message was made of. `undefined` if the message has none, or items that don't belong to its role:
 * a client could have added them.
 */
function originalItems(message: RichMessage): AgentInputItem[] | undefined {
  const items = originalIn(message, ORIGINAL);
  if (!Array.isArray(items) || items.length === 0) return undefined;
  return items.every((item) => roleOf(item) === message.role) ? (items as AgentInputItem[]) : undefined;
}

function roleOf(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return undefined;
  if ("role" in item) return item.role;
  return "type" in item && item.type === "function_call_result" ? "tool" : "assistant";
}

function standardItems(message: RichMessage, names: ReadonlyMap<string, string>): AgentInputItem[] {
  const { role, content } = message;
  switch (role) {
    case "user": {
      const input = inputOf(content);
      return input.length > 0 || content === "" ? [{ type: "message", role, content: input }] : [];
    }
    case "system":
    case "developer": {
      const text = messageText(message);
      return text !== "" || content === "" ? [{ type: "message", role: "system", content: text }] : [];
    }
    case "tool":
      return message.tool_call_id === undefined ? [] : [resultItem(message, message.tool_call_id, names)];
    default:
      return replyItems(message);
  }
}

/** The result of a call. It stays without content, because the call needs one. */
function resultItem(
  message: RichMessage,
  callId: string,
  names: ReadonlyMap<string, string>,
): FunctionCallResultItem {
  const name = message["name"];
  const input = inputOf(message.content);
  const output = typeof input === "string" ? input : input.filter((part) => part.type !== "audio");
  return {
    type: "function_call_result",
    name: typeof name === "string" ? name : (names.get(callId) ?? ""),
    callId,
    status: "completed",
    output: output.length === 0 ? "" : output,
  };
}

function inputOf(content: RichMessage["content"]): string | InputPart[] {
  if (content === null || typeof content === "string") return content ?? "";
  return content.flatMap((part): InputPart[] => {
    if (part.type === "text" && typeof part["text"] === "string")
      return [{ type: "input_text", text: part["text"] }];
    const input = isMedia(part) ? inputPartOf(part) : undefined;
    return input === undefined ? [] : [input];
  });
}

const isMedia = (part: ContentPart): part is MediaPart =>
  part.type === "media" && "mediaType" in part && typeof part["mediaType"] === "string";

/** The items of a reply: texts and calls in the order of the parts. A call without a part comes last. */
function replyItems({ content, tool_calls }: RichMessage): AgentInputItem[] {
  const items: AgentInputItem[] = [];
  const calls = [...(tool_calls ?? [])];
  let texts: AssistantMessageItem["content"] = [];
  const endText = () => {
    if (texts.length > 0) items.push(assistantItem(texts));
    texts = [];
  };
  for (const part of typeof content === "string" ? textParts(content) : (content ?? [])) {
    const index = part.type === "tool-call" ? calls.findIndex(({ id }) => id === part["id"]) : -1;
    if (index >= 0) {
      endText();
      items.push(...calls.splice(index, 1).map(callItem));
    } else texts.push(...outputOf(part));
  }
  endText();
  items.push(...calls.map(callItem));
  return items;
}

const textParts = (text: string): readonly ContentPart[] => (text === "" ? [] : [{ type: "text", text }]);

const assistantItem = (content: AssistantMessageItem["content"]): AssistantMessageItem => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content,
});

const nameOf = (call: RichToolCall): string =>
  call.type === "custom" ? call.custom.name : call.function.name;

/** The SDK has no calls with free text, so the text becomes the argument `input`. */
const callItem = (call: RichToolCall): FunctionCallItem => ({
  type: "function_call",
  callId: call.id,
  name: nameOf(call),
  status: "completed",
  arguments: call.type === "custom" ? JSON.stringify({ input: call.custom.input }) : call.function.arguments,
});

function outputOf(part: ContentPart): AssistantMessageItem["content"] {
  if (part.type === "text" && typeof part["text"] === "string")
    return [{ type: "output_text", text: part["text"] }];
  if (part.type === "refusal" && typeof part["refusal"] === "string") {
    return [{ type: "refusal", refusal: part["refusal"] }];
  }
  return [];
}
