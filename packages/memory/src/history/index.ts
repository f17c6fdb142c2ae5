// The pure functions of a conversation, for programs of any kind: without zod, Node's modules and stores. The root has the
// sanitizer and the continuation validator of it.

// The messages.

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

// Their order, text and tool calls.

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

// What fits into a window.

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

// What a client adds to a history.

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

// Equality as JSON.

export { sameJson } from "../codec/same-json.ts";
