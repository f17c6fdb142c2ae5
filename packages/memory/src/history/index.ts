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
} from "../content-part.ts";
export {
  type ApprovalDecision,
  type PendingApproval,
  parseApprovalDecision,
} from "../continuation/approval.ts";
export {
  type HistoryPosition,
  historyTokenOf,
} from "../continuation/history-token.ts";
export type { ContinuationMode, ContinuationOptions, HistoryTokens } from "../continuation/options.ts";
export {
  assertValidContinuation,
  ContinuationValidationError,
  validateContinuation,
} from "../continuation/validate-continuation.ts";
export type {
  ContinuationAcceptance,
  ContinuationRejection,
  ContinuationRejectionCode,
  ContinuationValidationResult,
} from "../continuation/validation-result.ts";
export {
  type Continuation,
  type ContinuationValidator,
  defaultContinuationValidator,
} from "../continuation/validator-hook.ts";
export { sameJson } from "../json/same-json.ts";
export type {
  CustomToolCall,
  FunctionToolCall,
  Message,
  ModelOrigin,
  RichMessage,
  RichToolCall,
  ToolCall,
} from "../message.ts";
export { messageText, partText } from "../message-text.ts";
export { type PendingToolCalls, pendingToolCalls } from "../messages/pending.ts";
export { isReplayable, sanitizeConversation } from "../messages/sanitizer.ts";
export { isMediaPart, isReasoningField, isReasoningPart, isTextPart } from "../part-kinds.ts";
export type { ProviderMetadata } from "../provider-metadata.ts";
export { type CalledTool, calledTool } from "../tool-call.ts";
export { countMessageTokens } from "../window/message-tokens.ts";
export type { MessageWindowOptions, TokenWindowOptions, WindowOptions } from "../window/options.ts";
export { estimateTokens, type Tokenizer } from "../window/tokens.ts";
export {
  messageWindow,
  type Omission,
  type OmissionReason,
  planWindow,
  tokenWindow,
  type WindowPlan,
} from "../window/window.ts";
export { type WindowEnd, type WindowTail, windowTailOf } from "../window/window-tail.ts";
