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
export type { Agent, ResolvedAgent } from "./agent.ts";
export { type AgentClient, createAgentClient } from "./client/agent-client.ts";
export type { AgentClientConfig, ClientMemoryConfig } from "./client/config.ts";
export type {
  Conversational,
  ConversationalDeclaration,
  MaybeConversational,
} from "./client/conversational-option.ts";
export { getConversationStore, setConversationStore } from "./client/default-store.ts";
export type { PromptInput, PromptOptions } from "./client/options.ts";
export { ConversationOwnershipError } from "./client/ownership-error.ts";
export type { PromptResult } from "./client/prompt-result.ts";
export type { PromptStream } from "./client/prompt-stream.ts";
export type {
  FallbackModel,
  ModelFallback,
  ModelProvider,
  Resume,
  RunConfig,
  RunSettings,
} from "./config.ts";
export type {
  CompactionReport,
  ContextAddition,
  ContextFate,
  ContextLabel,
  ContextManifest,
  ContextRange,
  ContextReason,
  WindowLimit,
} from "./context/manifest.ts";
export type { Summarize, SummarizeInput } from "./context/summarize-function.ts";
export type { BudgetLimits, RunBudget } from "./cost/budget.ts";
export { costOf, type ModelPrice, type ModelPrices } from "./cost/price.ts";
export type { Spent } from "./cost/spending.ts";
export { spentIn } from "./cost/spent-in.ts";
export { run } from "./engine/run.ts";
export { type RunStream, runStream } from "./engine/run-stream.ts";
export { JAFErrorHandler } from "./error-handler.ts";
export type {
  BudgetExceeded,
  ContinuationRejected,
  ErrorSeverity,
  JAFError,
  ModelCallError,
  ModelRefused,
  RunInterrupted,
} from "./errors.ts";
export type { TraceEvent } from "./events/trace-event.ts";
export { composeValidations } from "./guardrails/compose.ts";
export { createContentFilter } from "./guardrails/content-filter.ts";
export type { Guardrail, ValidationResult } from "./guardrails/guardrail.ts";
export { createPermissionCheck, type PermissionCheckOptions } from "./guardrails/permission-check.ts";
export { createRateLimiter, type RateLimiterOptions } from "./guardrails/rate-limiter.ts";
export { type HandoffArguments, handoffTool } from "./handoff/handoff-tool.ts";
export {
  type ApprovalRequest,
  approve,
  type ClientToolCall,
  type ClientToolResult,
  type Interruption,
  reject,
} from "./interruption/interruption.ts";
export type { Durability, MemoryConfig, SummaryConfig } from "./memory/config.ts";
export type {
  CompletionRequest,
  Middleware,
  MiddlewareTurn,
  TurnAddition,
} from "./middleware/middleware.ts";
export { setRunUserMemory } from "./middleware/user-memory/default-memory.ts";
export type {
  RemembersDeclaration,
  RemembersSpec,
  RunUserMemory,
} from "./middleware/user-memory/remembers.ts";
export type { CacheableConfig } from "./model/cache.ts";
export { ModelCallFailure } from "./model/call-failure.ts";
export type { ModelCompletion, ModelStreamChunk, ModelToolCall, ModelUsage } from "./model/completion.ts";
export type {
  ModelCallChanges,
  ModelCallRequest,
  NextModelCall,
  WrapModelCall,
} from "./model/model-call-request.ts";
export type { ModelConfig, ReasoningEffort, ToolChoice } from "./model/model-config.ts";
export type { ModelRetryPolicy } from "./model/retry.ts";
export type { RunResult } from "./run-result.ts";
export { createRunState, type RunState, type RunStateInput } from "./state.ts";
export type { RunTimeouts } from "./timing/run-timeouts.ts";
export { createTool, type ToolDefinition, type ToolReturn } from "./tools/create-tool.ts";
export { type ErrorHandlingOptions, type ToolLogEntry, withErrorHandling } from "./tools/error-handling.ts";
export {
  type ToolErrorCode,
  ToolErrorCodes,
  ToolResponse,
  type ToolResult,
  type ToolResultStatus,
} from "./tools/result.ts";
export { readToolResult, rejectedResult, rejectionOf } from "./tools/result-text.ts";
export { isClientTool, type Tool, type ToolCallInfo, type ToolCallTurn } from "./tools/tool.ts";
export type {
  NextToolCall,
  ToolCallChanges,
  ToolCallRequest,
  WrapToolCall,
} from "./tools/tool-call-request.ts";
export type { ToolPart, ToolParts } from "./tools/tool-parts.ts";
export type { UserMessage, UserPart } from "./user-message.ts";
export type { RunWindow } from "./window/run-window.ts";
