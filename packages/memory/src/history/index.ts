// Pure functions over the messages of a conversation. They need no zod, no Node modules and no stores, so any program
// can use them. The package root also exports the sanitizer and the continuation validator.

// Messages.

export type {
  ContentPart,
  CustomToolCall,
  FunctionToolCall,
  KnownPart,
  MediaPart,
  Message,
  ModelOrigin,
  OtherPart,
  ProviderMetadata,
  ProviderToolCallPart,
  ProviderToolResultPart,
  ReasoningPart,
  RefusalPart,
  RichMessage,
  RichToolCall,
  SourcePart,
  TextPart,
  ToolCall,
  ToolCallPart,
} from "../contract/message.ts";

// Message order, text and tool calls.

export {
  isMediaPart,
  isReasoningField,
  isReasoningPart,
  isTextPart,
  messageText,
  partText,
} from "./messages/message-content.ts";
export { isReplayable, sanitizeConversation } from "./messages/sanitizer.ts";
export {
  type CalledTool,
  calledTool,
  type PendingToolCalls,
  pendingToolCalls,
} from "./messages/tool-calls.ts";

// The window that fits a limit.

export { countMessageTokens, estimateTokens, type Tokenizer } from "./window/tokens.ts";
export {
  messageWindow,
  type Omission,
  type OmissionReason,
  planWindow,
  tokenWindow,
  type WindowPlan,
} from "./window/window.ts";
export type { MessageWindowOptions, TokenWindowOptions, WindowOptions } from "./window/window-options.ts";
export { type WindowEnd, type WindowTail, windowTailOf } from "./window/window-tail.ts";

// New messages from a client.

export {
  type ApprovalDecision,
  type PendingApproval,
  parseApprovalDecision,
} from "./continuation/approval.ts";
export type {
  ContinuationMode,
  ContinuationOptions,
  HistoryTokens,
} from "./continuation/continuation-options.ts";
export {
  assertValidContinuation,
  type Continuation,
  ContinuationValidationError,
  type ContinuationValidator,
  defaultContinuationValidator,
  type HistoryPosition,
  historyTokenOf,
  validateContinuation,
} from "./continuation/validate-continuation.ts";
export type {
  ContinuationAcceptance,
  ContinuationRejection,
  ContinuationRejectionCode,
  ContinuationValidationResult,
} from "./continuation/validation-result.ts";

// JSON equality.

export { sameJson } from "../codec/same-json.ts";
