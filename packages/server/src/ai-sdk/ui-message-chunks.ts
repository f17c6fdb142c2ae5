import type { AiSdkToolPart, AiSdkUIPart } from "@jaf/ai-sdk";
import { type InputUIPart, isToolPart, isWriting, type ShownPart, type WritingCall } from "./ui-messages.ts";

type UIMetadata = NonNullable<Extract<AiSdkUIPart, { type: "source-url" }>["providerMetadata"]>;
type Input = Extract<AiSdkToolPart, { state: "input-available" }>["input"];

/** A chunk (one event) of the AI SDK's UI message stream, as JAF sends it. */
export type UIMessageChunk =
  // Without the fields that later releases of `ai@5` to `ai@7` added: earlier releases reject them.
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" }
  | { readonly type: "finish-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  | {
      readonly type: "source-url";
      readonly sourceId: string;
      readonly url: string;
      readonly title?: string;
      readonly providerMetadata?: UIMetadata;
    }
  | {
      readonly type: "source-document";
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
      readonly providerMetadata?: UIMetadata;
    }
  | {
      readonly type: "tool-input-start" | "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input?: Input;
      readonly providerExecuted?: true;
      readonly dynamic?: true;
    }
  | { readonly type: "tool-input-delta"; readonly toolCallId: string; readonly inputTextDelta: string }
  | { readonly type: "tool-approval-request"; readonly approvalId: string; readonly toolCallId: string }
  | { readonly type: "tool-output-available"; readonly toolCallId: string; readonly output: unknown }
  | { readonly type: "tool-output-error"; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | InputUIPart
  | { readonly type: "message-metadata"; readonly messageMetadata: MessageMetadata }
  | { readonly type: "abort" }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "finish"; readonly finishReason: "stop" | "tool-calls" };

/** The metadata of a UI message. The keys of `retracted` are the indexes of the retracted parts. */
interface MessageMetadata {
  readonly jaf: { readonly retracted: Readonly<Record<string, true>> };
}

/** Returns the chunks that add a part to the client's message. */
export function newChunks(part: Exclude<ShownPart, { type: "text" | "reasoning" }>): UIMessageChunk[] {
  if (isToolPart(part)) return isWriting(part) ? writingChunks(part) : callChunks(part);
  switch (part.type) {
    case "step-start":
      return [{ type: "start-step" }];
    case "file":
      return [{ type: "file", url: part.url, mediaType: part.mediaType }];
    default:
      return [part];
  }
}

function writingChunks({ type, toolCallId, input }: WritingCall): UIMessageChunk[] {
  const toolName = type.slice("tool-".length);
  return [{ type: "tool-input-start", toolCallId, toolName }, ...inputChunk(toolCallId, input)];
}

/** Returns the chunk that adds text to the input of a call that the model is writing. */
export const inputChunk = (toolCallId: string, inputTextDelta: string): UIMessageChunk[] =>
  inputTextDelta === "" ? [] : [{ type: "tool-input-delta", toolCallId, inputTextDelta }];

/** Returns the chunks that add a complete call to the client's message, or complete the call that it has. */
export function callChunks(part: AiSdkToolPart): UIMessageChunk[] {
  const call = {
    toolCallId: part.toolCallId,
    toolName: part.type === "dynamic-tool" ? part.toolName : part.type.slice("tool-".length),
    ...(part.providerExecuted === true ? { providerExecuted: true as const } : {}),
    ...(part.type === "dynamic-tool" ? { dynamic: true as const } : {}),
  };
  const isDone = part.state === "output-available" && part.providerExecuted !== true;
  const { input } = part;
  // "tool-input-available" makes the client run its own tool. This call is done, so it must not run again.
  if (isDone && typeof input === "object" && input !== null) {
    return [
      { type: "tool-input-start", ...call },
      { type: "tool-input-delta", toolCallId: call.toolCallId, inputTextDelta: JSON.stringify(input) },
      ...stateChunks(part),
    ];
  }
  return [{ type: "tool-input-available", ...call, input }, ...stateChunks(part)];
}

/**
 * Returns the chunks that change a tool call in the client's message to the state of `part`. `hasApproval`: the client
 * already has the approval request for this call.
 */
export function stateChunks(part: AiSdkToolPart, hasApproval = false): UIMessageChunk[] {
  const { toolCallId } = part;
  switch (part.state) {
    case "input-available":
    case "approval-responded":
      return [];
    case "approval-requested":
      return [{ type: "tool-approval-request", approvalId: part.approval.id, toolCallId }];
    case "output-available":
      return [{ type: "tool-output-available", toolCallId, output: part.output }];
    case "output-error":
      return [{ type: "tool-output-error", toolCallId, errorText: part.errorText }];
    case "output-denied": {
      const denied = { type: "tool-output-denied", toolCallId } as const;
      // An approval request would overwrite the client's decision.
      if (hasApproval) return [denied];
      return [{ type: "tool-approval-request", approvalId: part.approval.id, toolCallId }, denied];
    }
  }
}
