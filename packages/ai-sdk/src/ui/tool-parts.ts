import type { ContentPart, RichMessage } from "@jaf/memory";
import { partText, present, rejectionIn, rejectionText, structuredResultIn } from "@jaf/memory/internal";
import { approvalIn, base64Of, type Fields, fieldsOf, isObject, textField } from "@jaf/model-http";
import { fileOf } from "../request/media.ts";
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

/** Converts a call that has no result into a UI part. */
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

/** Returns a copy of the call with another state. */
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

/** Metadata that marks a call whose input is text instead of JSON. */
export const CUSTOM_CALL: UIJsonObject = { inputType: "text" };

type Answered = Extract<ToolState, { state: `output-${string}` }>;

interface AnsweredCall {
  readonly toolCallId: string;
  readonly input: unknown;
}

/**
 * Returns the state of a call that has a result. It is an error if the tool or the engine reported one, and denied if the
 * user rejected the call. A text result is shown as the model reads it; parts become `{ type: "content", value }`.
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
  const result = structuredResultIn(text);
  if (result === undefined || result.status === "success") {
    return { state: "output-available", input, output: text };
  }
  const rejection = rejectionIn(result);
  if (rejection === undefined) return { state: "output-error", input, errorText: text };
  // The approval's id isn't stored after the decision.
  const approval = { id: toolCallId, approved: false as const, ...rejection };
  return { state: "output-denied", input, approval };
}

/**
 * Returns the state of a call that the provider runs, after a decision. The approval has the call's id, as that of the
 * decision isn't stored. So {@link isDecided} finds the decisions in the UI messages of a client.
 */
export function decidedState({ toolCallId, input }: AnsweredCall, message: RichMessage): ToolState {
  const approval = { id: toolCallId, ...approvalIn(message) };
  if (approval.approved) return { state: "approval-responded", input, approval };
  return answeredState({ toolCallId, input }, message.content);
}

/** Checks whether a UI part shows a decision that was stored, and isn't the user's new decision. */
export const isDecided = (part: Fields): boolean =>
  part["providerExecuted"] === true && fieldsOf(part["approval"])["id"] === part["toolCallId"];

/** Returns a UI part with a decision that was stored, as {@link isDecided} finds it. Other parts stay as they are. */
export const asDecided = (part: Fields): Fields =>
  part["providerExecuted"] === true && part["state"] === "approval-responded"
    ? { ...part, approval: { ...fieldsOf(part["approval"]), id: part["toolCallId"] } }
    : part;

/** The result that the engine writes for an approved call that the provider runs. */
export const APPROVED = '{"status":"success","data":{"approved":true}}';

/** Returns the tool result that the engine writes for a rejected call. */
export const deniedText = (reason: string | undefined): string =>
  JSON.stringify({
    status: "permission_denied",
    error: { code: "PERMISSION_DENIED", message: rejectionText(reason) },
  });

/** Converts content parts into the AI SDK's result parts. Leaves out parts that are neither text nor media. */
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

/** Converts the output of a UI part back into a message's content. */
export function outputContent(output: unknown): string | ContentPart[] {
  if (typeof output === "string") return output;
  const value = isObject(output) && output["type"] === "content" ? output["value"] : undefined;
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
