export type {
  ApprovalDecision,
  CacheAdapter,
  ContentPart,
  ContinuationValidator,
  ErrorCause,
  MediaPart,
  MemoryErrorUnion,
  MemoryProvider,
  Message,
  ModelOrigin,
  Result,
  RichMessage,
  RichToolCall,
  RunId,
  TextPart,
  ToolCall,
  TraceId,
} from "@jaf/memory";
export {
  createFailure,
  createRunId,
  createSuccess,
  createTraceId,
  generateRunId,
  generateTraceId,
  isFailure,
  isSuccess,
  maskSecrets,
  messageText,
} from "@jaf/memory/engine";
export type {
  Agent,
  Conversational,
  ConversationalDeclaration,
  MaybeConversational,
  ResolvedAgent,
} from "./agent.ts";
export type { PromptStream } from "./client/agent-client.ts";
export { type AgentClient, createAgentClient } from "./client/agent-client.ts";
export type { AgentClientConfig, ClientMemoryConfig } from "./client/config.ts";
export { ConversationOwnershipError } from "./client/conversation.ts";
export { getConversationStore, setConversationStore } from "./client/conversation-store.ts";
export type { PromptInput, PromptOptions } from "./client/options.ts";
export type { PromptResult } from "./client/prompt-result.ts";
export type { ToolPart, ToolParts, UserMessage, UserPart } from "./content-parts.ts";
export type {
  CompactionReport,
  ContextAddition,
  ContextFate,
  ContextLabel,
  ContextManifest,
  ContextRange,
  ContextReason,
  WindowLimit,
} from "./context-manifest.ts";
export type {
  BudgetExceeded,
  ContinuationRejected,
  ErrorSeverity,
  JAFError,
  ModelCallError,
  ModelRefused,
  RunInterrupted,
} from "./errors.ts";
export { JAFErrorHandler } from "./errors.ts";
export type { TraceEvent } from "./events.ts";
export { createContentFilter } from "./guardrails/content-filter.ts";
export type { Guardrail, ValidationResult } from "./guardrails/guardrail.ts";
export { composeValidations } from "./guardrails/guardrail.ts";
export { createPermissionCheck, type PermissionCheckOptions } from "./guardrails/permission-check.ts";
export { createRateLimiter, type RateLimiterOptions } from "./guardrails/rate-limiter.ts";
export {
  type ApprovalRequest,
  approve,
  type ClientToolCall,
  type ClientToolResult,
  type Interruption,
  reject,
} from "./interruption.ts";
export type { BudgetLimits, RunBudget, Spent } from "./limits/budget.ts";
export type { ModelUsage } from "./limits/cost.ts";
export { costOf, type ModelPrice, type ModelPrices } from "./limits/cost.ts";
export type { RunTimeouts } from "./limits/time-limit.ts";
export type {
  Durability,
  MemoryConfig,
  RunWindow,
  Summarize,
  SummarizeInput,
  SummaryConfig,
} from "./memory-config.ts";
export type {
  CompletionRequest,
  Middleware,
  MiddlewareTurn,
  ModelCallChanges,
  ModelCallRequest,
  NextModelCall,
  NextToolCall,
  ToolCallChanges,
  ToolCallRequest,
  TurnAddition,
  WrapModelCall,
  WrapToolCall,
} from "./middleware.ts";
export type { ModelCompletion, ModelStreamChunk, ModelToolCall } from "./model/completion.ts";
export type { CacheableConfig, ModelConfig, ReasoningEffort, ToolChoice } from "./model/model-config.ts";
export type { ModelRetryPolicy } from "./model/retry.ts";
export { ModelCallFailure } from "./model-calls/wrap-model-call.ts";
export { run } from "./run/run.ts";
export { type RunStream, runStream } from "./run/run-stream.ts";
export type {
  FallbackModel,
  ModelFallback,
  ModelProvider,
  Resume,
  RunConfig,
  RunSettings,
} from "./run-config.ts";
export type { RunResult } from "./state.ts";
export { createRunState, type RunState, type RunStateInput } from "./state.ts";
export { spentIn } from "./stored/metadata.ts";
export { type HandoffArguments, handoffTool } from "./tool-calls/handoff.ts";
export { type ErrorHandlingOptions, type ToolLogEntry, withErrorHandling } from "./tools/error-handling.ts";
export {
  readToolResult,
  rejectedResult,
  rejectionOf,
  type ToolErrorCode,
  ToolErrorCodes,
  ToolResponse,
  type ToolResult,
  type ToolResultStatus,
} from "./tools/result.ts";
export {
  createTool,
  isClientTool,
  type Tool,
  type ToolCallInfo,
  type ToolCallTurn,
  type ToolDefinition,
  type ToolReturn,
} from "./tools/tool.ts";
export type {
  RemembersDeclaration,
  RemembersSpec,
  RunUserMemory,
} from "./user-memory.ts";
export { setRunUserMemory } from "./user-memory.ts";
