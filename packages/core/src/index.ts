// Types of conversations and results, from @jaf/memory.

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
} from "@jaf/memory/internal";

// Base types: an agent, its messages, a run's configuration, its events and its outcome.

export type {
  Agent,
  Conversational,
  ConversationalDeclaration,
  MaybeConversational,
  ResolvedAgent,
} from "./agent.ts";
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
export {
  type BudgetExceeded,
  type CallOutdated,
  type ContinuationRejected,
  type ErrorSeverity,
  type JAFError,
  JAFErrorHandler,
  type ModelCallError,
  type ModelRefused,
  type RunInterrupted,
} from "./errors.ts";
export type { TraceEvent } from "./events.ts";
export {
  type ApprovalRequest,
  approve,
  type CallChanges,
  type ChangedCall,
  type ClientToolCall,
  type ClientToolResult,
  type Interruption,
  reject,
  type TextChange,
} from "./interruption.ts";
export type {
  Durability,
  MemoryConfig,
  RunInbox,
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
  WrappedRun,
  WrapToolCall,
} from "./middleware.ts";
export type {
  FallbackModel,
  ModelFallback,
  ModelProvider,
  OnToolChange,
  Resume,
  RunConfig,
  RunSettings,
  ToolChangeAction,
} from "./run-config.ts";
export { fromStandardSchema, type SchemaOutput, type StandardSchema } from "./standard-schema.ts";
export {
  createRunState,
  type RunOutcome,
  type RunResult,
  type RunSpent,
  type RunState,
  type RunStateInput,
} from "./state.ts";
export { UserFacingError } from "./user-facing-error.ts";
export {
  type RemembersDeclaration,
  type RemembersSpec,
  type RunUserMemory,
  setRunUserMemory,
  type UserMemoryObserver,
} from "./user-memory.ts";

// limits: budgets, costs and time limits.

export { runLedger } from "./ledger/create-run-ledger.ts";
export type { RunLedger, RunLedgerOptions } from "./ledger/run-ledger.ts";
export type { BudgetLimits, LedgerBudget, RunBudget, Spent } from "./limits/budget.ts";
export { costOf, type ModelPrice, type ModelPrices, type ModelUsage } from "./limits/cost.ts";
export type { RunTimeouts } from "./limits/time-limit.ts";

// model: settings and replies of a model.

export type { ModelCompletion, ModelStreamChunk, ModelToolCall } from "./model/completion.ts";
export type { CacheableConfig, ModelConfig, ReasoningEffort, ToolChoice } from "./model/model-config.ts";
export type { ModelRetryPolicy } from "./model/retry.ts";

// tools: creating tools and their results.

export {
  type AgentToolArguments,
  type AgentToolOptions,
  asTool,
} from "./run/as-tool.ts";
export {
  readToolResult,
  rejectedResult,
  rejectionOf,
  type ToolErrorCode,
  ToolErrorCodes,
  ToolResponse,
  type ToolResult,
  type ToolResultError,
  type ToolResultMetadata,
  type ToolResultStatus,
} from "./tools/result.ts";
export {
  createTool,
  isClientTool,
  type ProviderOptions,
  type Tool,
  type ToolCallInfo,
  type ToolCallTurn,
  type ToolDefinition,
  type ToolReturn,
} from "./tools/tool.ts";
export {
  type ErrorHandlingOptions,
  type ToolLogEntry,
  withErrorHandling,
} from "./tools/with-error-handling.ts";

// guardrails: ready-made guardrails.

export { createContentFilter } from "./guardrails/content-filter.ts";
export { composeValidations, type Guardrail, type ValidationResult } from "./guardrails/guardrail.ts";
export { createPermissionCheck, type PermissionCheckOptions } from "./guardrails/permission-check.ts";
export { createRateLimiter, type RateLimiterOptions } from "./guardrails/rate-limiter.ts";

// stored: the stored conversation.

export { spentIn } from "./stored/metadata.ts";

// model-calls: the model calls of a run.

export { ModelCallFailure } from "./model-calls/wrap-model-call.ts";

// tool-calls: the tool calls of a run.

export { type HandoffArguments, handoffTool } from "./tool-calls/handoff.ts";

// run: the loop.

export { run } from "./run/run.ts";
export { runInbox } from "./run/run-inbox.ts";
export { type RunStream, runStream } from "./run/run-stream.ts";

// client: the agent client.

export { type AgentClient, createAgentClient, type PromptStream } from "./client/agent-client.ts";
export type { AgentClientConfig, ClientMemoryConfig } from "./client/config.ts";
export { ConversationOwnershipError } from "./client/conversation.ts";
export { getConversationStore, setConversationStore } from "./client/conversation-store.ts";
export type { PromptInput, PromptOptions } from "./client/options.ts";
export type { PromptResult } from "./client/prompt-result.ts";
export type { SendOptions, SentMessage } from "./client/send.ts";
