import type { JSONValue } from "@ai-sdk/provider";
import type { CacheableConfig } from "@jaf/core";
import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, jsonIn, partText } from "@jaf/memory/internal";
import { inputObject, isProviderExecuted, isSameOrigin, textField } from "@jaf/model-http";
import { segmentsOf } from "../reply/texts.ts";
import { fileOf } from "./media.ts";
import { type AssistantPart, providerOptionsOf, type ToolOutput } from "./prompt.ts";

/** The model that gets a prompt, with the settings for this prompt. */
export interface Recipient {
  readonly origin: ModelOrigin;
  readonly providerKey: string;
  /** Whether readable reasoning of other models is left out (`"omit"`) or sent as text (`"text"`). */
  readonly foreignReasoning: "omit" | "text";
  /** The ids of the tools of the model's provider that the request configures, by name. */
  readonly providerTools: ReadonlyMap<string, string>;
  /** Which parts of the prompt the provider should cache. Default: no parts. */
  readonly cache?: CacheableConfig | undefined;
}

/**
 * Converts an assistant message into prompt parts, with its calls at their original places. Opaque parts (reasoning, the
 * provider's own tools and all metadata) are sent only to the model that wrote the message.
 */
export function assistantParts(message: RichMessage, recipient: Recipient): AssistantPart[] {
  const isOwn = isSameOrigin(message.origin, recipient.origin);
  const calls = [...(message.tool_calls ?? [])];
  const parts: AssistantPart[] = [];
  for (const part of contentParts(message)) {
    if (part.type !== "tool-call") {
      const given = isOwn
        ? segmentsOf(part).map((segment) => ownPart(segment, recipient))
        : [foreignPart(part, recipient)];
      parts.push(...given.filter((each) => each !== undefined));
      continue;
    }
    const index = calls.findIndex(({ id }) => id === part["id"]);
    for (const call of index < 0 ? [] : calls.splice(index, 1)) parts.push(callPart(call, isOwn, recipient));
  }
  for (const call of calls) parts.push(callPart(call, isOwn, recipient));
  return parts;
}

function contentParts({ content, refusal }: RichMessage): readonly ContentPart[] {
  const parts: readonly ContentPart[] =
    typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : (content ?? []);
  return typeof refusal === "string" && refusal !== "" ? [...parts, { type: "refusal", refusal }] : parts;
}

/** Converts a part that any model can read: a text, a refusal or a file. Returns `undefined` for any other part. */
function readablePart(part: ContentPart, recipient: Recipient): AssistantPart | undefined {
  const text = part.type === "refusal" ? textField(part, "refusal") : partText(part);
  if (text !== undefined) return text === "" ? undefined : { type: "text", text };
  const file = fileOf(part, recipient.providerKey);
  return file === undefined ? undefined : { type: "file", ...file };
}

function foreignPart(part: ContentPart, recipient: Recipient): AssistantPart | undefined {
  if (part.type === "reasoning") {
    const text = textField(part, "text")?.trim() ?? "";
    return recipient.foreignReasoning === "omit" || text === ""
      ? undefined
      : { type: "text", text: `<thinking>\n${text}\n</thinking>` };
  }
  // Only its own provider knows a file id.
  if (part.type === "media" && part["data"] === undefined && part["url"] === undefined) return undefined;
  return readablePart(part, recipient);
}

function ownPart(part: ContentPart, recipient: Recipient): AssistantPart | undefined {
  const options = providerOptionsOf(part["providerMetadata"]);
  switch (part.type) {
    case "reasoning":
      return { type: "reasoning", text: textField(part, "text") ?? "", ...options };
    case "compaction":
      return { type: "text", text: textField(part, "text") ?? "", ...options };
    case "provider-tool-call":
      // The AI SDK would send code that Google ran as a call without a result, which Google refuses.
      if (options.providerOptions === undefined && recipient.origin.provider.startsWith("google."))
        return undefined;
      return {
        type: "tool-call",
        toolCallId: textField(part, "id") ?? "",
        toolName: textField(part, "name") ?? "",
        input: part["input"] ?? {},
        providerExecuted: true,
        ...options,
      };
    case "provider-tool-result":
      return {
        type: "tool-result",
        toolCallId: textField(part, "id") ?? "",
        toolName: textField(part, "name") ?? "",
        output: providerOutput(part),
        ...options,
      };
    case "reasoning-file": {
      const file = fileOf({ ...part, type: "media" }, recipient.providerKey);
      if (file?.data.type !== "data" && file?.data.type !== "url") return undefined;
      return { type: "reasoning-file", mediaType: file.mediaType, data: file.data, ...options };
    }
    case "custom":
      return { type: "custom", kind: textField(part, "kind") as `${string}.${string}`, ...options };
    default: {
      const readable = readablePart(part, recipient);
      if (readable !== undefined) return { ...readable, ...options };
      // Some signatures come with an empty text.
      const isSigned = partText(part) === "" && options.providerOptions !== undefined;
      return isSigned ? { type: "text", text: "", ...options } : undefined;
    }
  }
}

function providerOutput({ output, isError }: ContentPart): ToolOutput {
  // The provider sent JSON, and the store keeps JSON.
  const value = (output ?? null) as JSONValue;
  if (isError === true) return { type: "error-json", value };
  return typeof value === "string" ? { type: "text", value } : { type: "json", value };
}

function callPart(call: RichToolCall, isOwn: boolean, { providerTools }: Recipient): AssistantPart {
  const { name, input } = calledTool(call);
  return {
    type: "tool-call",
    toolCallId: call.id,
    toolName: name,
    input: (providerTools.has(name) ? jsonIn(input) : undefined) ?? inputObject(call),
    ...(isProviderExecuted(call) ? { providerExecuted: true } : {}),
    ...(isOwn ? withGoogleSignature(providerOptionsOf(call.providerMetadata)) : {}),
  };
}

/**
 * Copies Gemini's thought signature to the provider name `google`. AI SDK 6's provider for compatible services stores the
 * signature under its own name, but reads it only from `google`. Without the signature, Gemini refuses the conversation.
 */
function withGoogleSignature(
  options: ReturnType<typeof providerOptionsOf>,
): ReturnType<typeof providerOptionsOf> {
  const { providerOptions = {} } = options;
  const signed = Object.values(providerOptions).find(
    ({ thoughtSignature }) => thoughtSignature !== undefined,
  );
  return signed === undefined ? options : { providerOptions: { google: signed, ...providerOptions } };
}
