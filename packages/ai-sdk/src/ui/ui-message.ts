/** A UI message as `useChat` of AI SDK 5 to 7 uses it. */
export interface AiSdkUIMessage {
  /** The message's id, unique in the conversation. */
  id: string;
  role: "system" | "user" | "assistant";
  /** The message's parts in order. In a message of the assistant, each step begins with a `step-start` part. */
  parts: AiSdkUIPart[];
}

/** A part of an {@link AiSdkUIMessage}. */
export type AiSdkUIPart =
  | AiSdkTextPart
  | AiSdkReasoningPart
  | AiSdkFilePart
  | AiSdkSourceUrlPart
  | AiSdkSourceDocumentPart
  | AiSdkStepStartPart
  | AiSdkToolPart;

/** A text in a UI message. */
export interface AiSdkTextPart {
  type: "text";
  text: string;
  /** Present if the stored message consists of several parts. */
  state?: "done";
  providerMetadata?: UIMetadata;
}

/** Reasoning of the model in a UI message. */
export interface AiSdkReasoningPart {
  type: "reasoning";
  /** The reasoning's text. `""` if the reasoning isn't readable, or users shouldn't see it. */
  text: string;
  providerMetadata?: UIMetadata;
}

/** An image or another file. */
export interface AiSdkFilePart {
  type: "file";
  mediaType: string;
  /** A web URL, or a `data:` URL with the content. */
  url: string;
  filename?: string;
  providerMetadata?: UIMetadata;
}

/** A web page that the reply is based on. */
export interface AiSdkSourceUrlPart {
  type: "source-url";
  sourceId: string;
  url: string;
  title?: string;
  providerMetadata?: UIMetadata;
}

/** A document that the reply is based on. */
export interface AiSdkSourceDocumentPart {
  type: "source-document";
  sourceId: string;
  mediaType: string;
  title: string;
  filename?: string;
  providerMetadata?: UIMetadata;
}

/** Marks the beginning of a step. */
export interface AiSdkStepStartPart {
  type: "step-start";
}

/** A tool call and its state. */
export type AiSdkToolPart = ({ type: `tool-${string}` } | { type: "dynamic-tool"; toolName: string }) & {
  toolCallId: string;
  /** Whether the provider runs the tool. */
  providerExecuted?: boolean;
  callProviderMetadata?: UIMetadata;
  toolMetadata?: UIJsonObject;
} & ToolState;

export type ToolState =
  | { state: "input-available"; input: unknown }
  | { state: "approval-requested"; input: unknown; approval: { id: string } }
  | {
      state: "approval-responded";
      input: unknown;
      approval: { id: string; approved: boolean; reason?: string };
    }
  | { state: "output-available"; input: unknown; output: unknown }
  | { state: "output-error"; input: unknown; errorText: string }
  | {
      state: "output-denied";
      input: unknown;
      approval: { id: string; approved: false; reason?: string };
    };

type UIJson = null | string | number | boolean | UIJsonObject | UIJson[];

export type UIJsonObject = { [field: string]: UIJson | undefined };

/** Metadata of different providers, by provider name. */
export type UIMetadata = Record<string, UIJsonObject>;
