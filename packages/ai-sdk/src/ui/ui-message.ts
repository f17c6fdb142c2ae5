/** The structure of a UI message in AI SDK 5 to 7, as `useChat` uses it. */
export interface AiSdkUIMessage {
  id: string;
  role: "system" | "user" | "assistant";
  parts: AiSdkUIPart[];
}

export type AiSdkUIPart =
  /** `state` is set if the stored message has several parts. */
  | { type: "text"; text: string; state?: "done"; providerMetadata?: UIMetadata }
  | { type: "reasoning"; text: string; providerMetadata?: UIMetadata }
  | { type: "file"; mediaType: string; url: string; filename?: string; providerMetadata?: UIMetadata }
  | { type: "source-url"; sourceId: string; url: string; title?: string; providerMetadata?: UIMetadata }
  | {
      type: "source-document";
      sourceId: string;
      mediaType: string;
      title: string;
      filename?: string;
      providerMetadata?: UIMetadata;
    }
  | { type: "step-start" }
  | AiSdkToolPart;

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

/** Metadata by provider name. */
export type UIMetadata = Record<string, UIJsonObject>;
