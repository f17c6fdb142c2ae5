/** A message of the AI SDK's user interfaces, by structure: as `useChat` shows it, of AI SDK 5 to 7. */
export interface AiSdkUIMessage {
  id: string;
  role: "system" | "user" | "assistant";
  parts: AiSdkUIPart[];
}

export type AiSdkUIPart =
  /** `state`: of a text that is one of several parts. */
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

/** A call, and what became of it. */
export type AiSdkToolPart = ({ type: `tool-${string}` } | { type: "dynamic-tool"; toolName: string }) & {
  toolCallId: string;
  /** The provider runs it, and answers itself. */
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

/** By the provider's name. */
export type UIMetadata = Record<string, UIJsonObject>;
