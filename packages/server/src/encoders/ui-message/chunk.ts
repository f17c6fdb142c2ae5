import type { AiSdkToolPart } from "@jaf/ai-sdk";

type Input = Extract<AiSdkToolPart, { state: "input-available" }>["input"];

/**
 * A chunk of the AI SDK's UI message stream, as far as JAF sends it. Fields that came with later releases of `ai@5` to `ai@7`
 * aren't used, since earlier ones refuse a chunk that has one.
 */
export type UIMessageChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" }
  | { readonly type: "finish-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  | { readonly type: "source-url"; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: "source-document";
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
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
  | { readonly type: "message-metadata"; readonly messageMetadata: MessageMetadata }
  | { readonly type: "abort" }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "finish"; readonly finishReason: "stop" | "tool-calls" };

/** The metadata of a UI message: which of its parts are void, by their index. Absent where none is. */
export interface MessageMetadata {
  readonly jaf: { readonly retracted: Readonly<Record<string, true>> };
}
