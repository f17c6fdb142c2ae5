import { readToolResult, rejectedResult, rejectionOf } from "@jaf/core/adapter";
import type { ContentPart, RichMessage } from "@jaf/memory";
import { partText, present } from "@jaf/memory/internal";
import { fieldsOf, isFields, textField } from "../fields.ts";
import { base64Of, fileOf } from "../request/media.ts";
import type { UIOptions } from "./parts.ts";
import type { AiSdkToolPart, AiSdkUIPart, ToolState, UIJsonObject, UIMetadata } from "./ui-message.ts";

export const isToolPart = (part: AiSdkUIPart): part is AiSdkToolPart => "toolCallId" in part;

interface UICall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly isDynamic?: boolean;
  readonly providerExecuted?: boolean;
  readonly callProviderMetadata?: UIMetadata | undefined;
  readonly toolMetadata?: UIJsonObject;
}

/** A call that waits. */
export function callPart(call: UICall, { isDynamic }: UIOptions): AiSdkToolPart {
  const { id, name, input, callProviderMetadata, toolMetadata } = call;
  const rest = {
    toolCallId: id,
    ...(call.providerExecuted === true ? { providerExecuted: true } : {}),
    ...present({ callProviderMetadata, toolMetadata }),
    state: "input-available" as const,
    input,
  };
  return call.isDynamic === true || isDynamic(name)
    ? { type: "dynamic-tool", toolName: name, ...rest }
    : { type: `tool-${name}`, ...rest };
}

/** The same call in another state. */
export function withState(call: AiSdkToolPart, state: ToolState): AiSdkToolPart {
  const { toolCallId, providerExecuted, callProviderMetadata, toolMetadata } = call;
  const rest = {
    toolCallId,
    ...present({ providerExecuted, callProviderMetadata, toolMetadata }),
    ...state,
  };
  return call.type === "dynamic-tool"
    ? { type: "dynamic-tool", toolName: call.toolName, ...rest }
    : { type: call.type, ...rest };
}

/** Marks a call whose input is a text, not JSON. */
export const CUSTOM_CALL: UIJsonObject = { inputType: "text" };

type Answered = Extract<ToolState, { state: `output-${string}` }>;

interface AnsweredCall {
  readonly toolCallId: string;
  readonly input: unknown;
}

/**
 * What a call's result is shown as: an error where the tool, or the engine for it, said so, and denied where somebody
 * didn't approve it. A text stays as the model read it; parts are `{ type: "content", value }`.
 */
export function answeredState(
  { toolCallId, input }: AnsweredCall,
  content: RichMessage["content"],
): Answered {
  if (content !== null && typeof content !== "string") {
    return {
      state: "output-available",
      input,
      output: { type: "content", value: content.flatMap(outputPart) },
    };
  }
  const text = content ?? "";
  const result = readToolResult(text);
  if (result === undefined || result.status === "success") {
    return { state: "output-available", input, output: text };
  }
  const rejection = rejectionOf(result);
  if (rejection === undefined) return { state: "output-error", input, errorText: text };
  // The id under which it was asked for isn't kept once it is decided.
  const approval = { id: toolCallId, approved: false as const, ...rejection };
  return { state: "output-denied", input, approval };
}

/** What the engine writes for the model where a call wasn't approved. */
export const deniedText = (reason: string | undefined): string => JSON.stringify(rejectedResult(reason));

/** As the AI SDK's own results in parts are written. What is neither text nor media isn't shown. */
function outputPart(part: ContentPart): object[] {
  const text = partText(part);
  if (text !== undefined) return [{ type: "text", text }];
  const file = fileOf(part, "");
  if (file === undefined) return [];
  const { mediaType, filename, data } = file;
  const named = filename === undefined ? { mediaType } : { mediaType, filename };
  switch (data.type) {
    case "data":
      return [{ type: "file-data", data: base64Of(data.data), ...named }];
    case "url":
      return [{ type: "file-url", url: data.originalUrl ?? data.url.href, ...named }];
    case "reference":
      return [];
  }
}

/** The result that an output stands for, as a message holds it. */
export function outputContent(output: unknown): string | ContentPart[] {
  if (typeof output === "string") return output;
  const value = isFields(output) && output["type"] === "content" ? output["value"] : undefined;
  const parts = Array.isArray(value) ? value.map(contentPart) : [];
  const known = parts.filter((part) => part !== undefined);
  if (parts.length > 0 && known.length === parts.length) return known;
  return JSON.stringify(output) ?? "";
}

function contentPart(value: unknown): ContentPart | undefined {
  const part = fieldsOf(value);
  const mediaType = textField(part, "mediaType");
  const filename = textField(part, "filename");
  const named = present({ filename });
  const [text, data, url] = [textField(part, "text"), textField(part, "data"), textField(part, "url")];
  switch (part["type"]) {
    case "text":
      return text === undefined ? undefined : { type: "text", text };
    case "file-data":
      return data === undefined || mediaType === undefined
        ? undefined
        : { type: "media", mediaType, data, ...named };
    case "file-url":
      return url === undefined || mediaType === undefined
        ? undefined
        : { type: "media", mediaType, url, ...named };
    default:
      return undefined;
  }
}
