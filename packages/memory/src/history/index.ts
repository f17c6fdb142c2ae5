// The pure functions of a conversation, for programs of any kind: without zod, Node's modules and stores. The root has the
// sanitizer and the continuation validator of it.
export type {
  ContentPart,
  KnownPart,
  MediaPart,
  OtherPart,
  ProviderToolCallPart,
  ProviderToolResultPart,
  ReasoningPart,
  RefusalPart,
  SourcePart,
  TextPart,
  ToolCallPart,
} from "../contract/message.ts";
export {
  type ApprovalDecision,
  type PendingApproval,
  parseApprovalDecision,
} from "./continuation/approval.ts";
export {
  type HistoryPosition,
  historyTokenOf,
} from "./continuation/validate-continuation.ts";
export type { ContinuationMode, ContinuationOptions, HistoryTokens } from "./continuation/continuation-options.ts";
export {
  assertValidContinuation,
  ContinuationValidationError,
  validateContinuation,
} from "./continuation/validate-continuation.ts";
export type {
  ContinuationAcceptance,
  ContinuationRejection,
  ContinuationRejectionCode,
  ContinuationValidationResult,
} from "./continuation/validation-result.ts";
export {
  type Continuation,
  type ContinuationValidator,
  defaultContinuationValidator,
} from "./continuation/validate-continuation.ts";
export { sameJson } from "../codec/same-json.ts";
export type {
  CustomToolCall,
  FunctionToolCall,
  Message,
  ModelOrigin,
  RichMessage,
  RichToolCall,
  ToolCall,
} from "../contract/message.ts";
export { messageText, partText } from "./messages/message-content.ts";
export { type PendingToolCalls, pendingToolCalls } from "./messages/tool-calls.ts";
export { isReplayable, sanitizeConversation } from "./messages/sanitizer.ts";
export { isMediaPart, isReasoningField, isReasoningPart, isTextPart } from "./messages/message-content.ts";
export type { ProviderMetadata } from "../contract/message.ts";
export { type CalledTool, calledTool } from "./messages/tool-calls.ts";
export { countMessageTokens } from "./window/tokens.ts";
export type { MessageWindowOptions, TokenWindowOptions, WindowOptions } from "./window/window-options.ts";
export { estimateTokens, type Tokenizer } from "./window/tokens.ts";
export {
  messageWindow,
  type Omission,
  type OmissionReason,
  planWindow,
  tokenWindow,
  type WindowPlan,
} from "./window/window.ts";
export { type WindowEnd, type WindowTail, windowTailOf } from "./window/window-tail.ts";
