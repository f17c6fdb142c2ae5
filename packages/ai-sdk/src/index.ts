export { AiSdkCallError } from "./errors.ts";
export type { AiSdkModel, AiSdkModelFactory, AiSdkStream } from "./model.ts";
export type { AiSdkProviderOptions, DownloadRequest } from "./options.ts";
export { createAiSdkProvider } from "./provider.ts";
export { decisionsFromUIMessages, fromUIMessages } from "./ui/from-ui-messages.ts";
export { type ToUIMessagesOptions, toUIMessages } from "./ui/to-ui-messages.ts";
export type {
  AiSdkFilePart,
  AiSdkReasoningPart,
  AiSdkSourceDocumentPart,
  AiSdkSourceUrlPart,
  AiSdkStepStartPart,
  AiSdkTextPart,
  AiSdkToolPart,
  AiSdkUIMessage,
  AiSdkUIPart,
} from "./ui/ui-message.ts";
