import type { ContentPart, MediaPart, RichMessage, ToolCall } from "@jaf/memory";
import {
  createMemoryValidationError,
  isExact,
  MemoryCallError,
  present,
  withOriginal,
} from "@jaf/memory/internal";
import type {
  AgentInputItem,
  AssistantMessageItem,
  FunctionCallResultItem,
  ToolOutputFileContent,
} from "@openai/agents-core";
import { mediaOf, mediaPartOf, standardParts } from "./media.ts";
import { itemsOfMessage, ORIGINAL } from "./to-items.ts";

/** Whether the item is a part of a model's reply, which may have several items. */
const isOfReply = (item: AgentInputItem): boolean =>
  "role" in item
    ? item.role === "assistant"
    : item.type !== "function_call_result" && item.type !== "compaction";

const isAssistant = (item: AgentInputItem): boolean => "role" in item && item.role === "assistant";
const isCall = (item: AgentInputItem): boolean => item.type === "function_call";

/** Whether the item belongs to the reply of the items before it. A second text without a call is another reply. */
const continues = (group: readonly AgentInputItem[], item: AgentInputItem): boolean =>
  group.every(isOfReply) &&
  isOfReply(item) &&
  !(isAssistant(item) && group.some(isAssistant) && !group.some(isCall));

function groupsOf(items: readonly AgentInputItem[]): AgentInputItem[][] {
  const groups: AgentInputItem[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last !== undefined && continues(last, item)) last.push(item);
    else groups.push([item]);
  }
  return groups;
}

/**
 * The standard messages of items. The items of one reply (reasoning, text, calls) become one message. Where the
 * messages can't be converted back to exactly these items, the items stand in the messages' field `openaiAgents`.
 * Throws a `MemoryCallError` if an item isn't of the SDK's types and wouldn't come back.
 */
export function messagesOf(items: readonly AgentInputItem[]): RichMessage[] {
  const isItem = (item: unknown): boolean => typeof item === "object" && item !== null;
  if (!items.every(isItem)) throw refused(items.findIndex((item) => !isItem(item)));
  let index = 0;
  return groupsOf(items).map((group) => {
    const message = messageOf(group);
    if (message === undefined) throw refused(index);
    index += group.length;
    return message;
  });
}

function refused(index: number): MemoryCallError {
  const expected = "an item of the SDK's types";
  return new MemoryCallError(createMemoryValidationError([{ path: `items[${index}]`, expected }]));
}

/** `undefined` if the items wouldn't come back from the message. */
function messageOf(group: readonly AgentInputItem[]): RichMessage | undefined {
  const comesBack = (message: RichMessage) => isExact(itemsOfMessage(message), group);
  try {
    const message = standardOf(group);
    if (comesBack(message)) return message;
    const whole = withOriginal(message, ORIGINAL, group);
    return comesBack(whole) ? whole : undefined;
  } catch {
    // A field of another type than the SDK's, e.g. a text where a list belongs.
    return undefined;
  }
}

function standardOf(group: readonly AgentInputItem[]): RichMessage {
  const [item] = group;
  if (item !== undefined && "role" in item && item.role === "user") {
    const content = typeof item.content === "string" ? item.content : standardParts(item.content);
    return { role: "user", content };
  }
  if (item !== undefined && "role" in item && item.role === "system") {
    return { role: "system", content: item.content };
  }
  if (item?.type === "function_call_result") {
    const { callId, name, output } = item;
    return { role: "tool", tool_call_id: callId, name, content: outputOf(output) };
  }
  return replyOf(group);
}

function outputOf(output: FunctionCallResultItem["output"]): RichMessage["content"] {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return standardParts(output);
  if (output.type === "text") return output.text;
  if (output.type === "file") return [filePartOf(output.file)];
  const { image } = output;
  if (image === undefined || typeof image === "string") {
    const part = mediaPartOf({ type: "input_image", ...(image === undefined ? {} : { image }) });
    return part === undefined ? [] : [part];
  }
  const given =
    "fileId" in image ? { fileId: image.fileId } : "url" in image ? { url: image.url } : { data: image.data };
  const mediaType = "mediaType" in image ? image.mediaType : undefined;
  return [{ type: "media", mediaType: mediaType ?? "image/*", ...given }];
}

function filePartOf(file: ToolOutputFileContent["file"]): MediaPart {
  const mediaType = "application/octet-stream";
  if (typeof file === "string") return mediaOf(file, mediaType);
  if ("id" in file) {
    const { id: fileId, filename } = file;
    return { type: "media", mediaType, fileId, ...present({ filename }) };
  }
  return { type: "media", mediaType, ...present(file) };
}

function replyOf(group: readonly AgentInputItem[]): RichMessage {
  const calls = group.flatMap((item): ToolCall[] =>
    item.type === "function_call"
      ? [{ id: item.callId, type: "function", function: { name: item.name, arguments: item.arguments } }]
      : [],
  );
  const parts = group.flatMap(partsOf);
  const content = parts.some(({ type }) => type !== "text" && type !== "tool-call") ? parts : plain(parts);
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

/** The text alone, if it is one text with all calls after it. */
function plain(parts: readonly ContentPart[]): RichMessage["content"] {
  const texts = parts.filter(({ type }) => type === "text");
  const [first] = texts;
  if (first === undefined) return "";
  return texts.length === 1 && parts[0] === first && typeof first["text"] === "string"
    ? first["text"]
    : parts;
}

/** The type of items of a call whose name in the SDK doesn't say so. */
const isResult = (type: string): boolean => /_(?:output|result)$/.test(type);

function partsOf(item: AgentInputItem): readonly ContentPart[] {
  if ("role" in item) return item.role === "assistant" ? item.content.flatMap(replyPartOf) : [];
  switch (item.type) {
    case "reasoning":
      return [{ type: "reasoning", text: item.content.map(({ text }) => text).join("\n") }];
    case "function_call":
      return [{ type: "tool-call", id: item.callId }];
    case "hosted_tool_call":
      return hostedParts(item.id ?? "", item);
    case "compaction":
    case "unknown":
      return [{ type: item.type }];
    default: {
      // Calls that the SDK has its own items for, e.g. of a shell. Their content only has a meaning for the SDK.
      const id = "callId" in item && typeof item.callId === "string" ? item.callId : (item.id ?? "");
      const type = isResult(item.type) ? "provider-tool-result" : "provider-tool-call";
      return [{ type, id, name: item.type }];
    }
  }
}

const hostedParts = (
  id: string,
  {
    name,
    arguments: input,
    output,
  }: { name: string; arguments?: string | undefined; output?: string | undefined },
): readonly ContentPart[] => [
  { type: "provider-tool-call", id, name, ...(input === undefined ? {} : { input }) },
  ...(output === undefined ? [] : [{ type: "provider-tool-result", id, name, output }]),
];

function replyPartOf(part: AssistantMessageItem["content"][number]): readonly ContentPart[] {
  switch (part.type) {
    case "output_text":
      return [{ type: "text", text: part.text }];
    case "refusal":
      return [{ type: "refusal", refusal: part.refusal }];
    case "image":
      return [{ type: "media", mediaType: "image/*", data: part.image }];
    case "audio": {
      const media = mediaPartOf(part);
      return media === undefined ? [] : [media];
    }
  }
}
