// The contract of a store: memories, facts, errors, options, audit

export type { AuditAction, AuditEntry, AuditProblem, AuditReport } from "./audit.ts";
export { UserMemoryError, type UserMemoryErrorCode, type UserMemoryErrorFields } from "./errors.ts";
export type { FactStatus, Provenance, QuarantineReason, Quotation, Trust, UserFact } from "./fact.ts";
export type {
  Embed,
  IncomingFact,
  ResolveConflicts,
  UserMemoryLimits,
  UserMemoryOptions,
} from "./options.ts";
export type {
  ErasureMark,
  ExtractionJob,
  ExtractionQueue,
  FactChanges,
  FactExplanation,
  FactReview,
  ForgetDetails,
  ForgetReceipt,
  LeasedJob,
  ListOptions,
  RecallOptions,
  RecallReason,
  RememberOptions,
  UserMemoryStore,
} from "./store.ts";
export { getUserMemory, type LinkedUserMemory, type MemoryEntry, type UserMemory } from "./user-memory.ts";

// Facts and found messages in a prompt

export { renderFoundMessages } from "./render/found-messages.ts";
export { type RenderOptions, renderUserMemory } from "./render/render.ts";
export type { RenderableFact } from "./render/renderable-fact.ts";

// Extraction

export { holdsSecret, offTheRecord } from "@jaf/memory/internal";
export type { ProposedFact } from "./evidence/evidence.ts";
export {
  type CompleteText,
  ExtractionError,
  type ExtractionErrorCode,
  type ExtractionErrorFields,
} from "./extraction/extraction.ts";
export type {
  ExtractFacts,
  ExtractInput,
  ExtractionOptions,
  ExtractionReport,
  MemoryExtractOptions,
  OffRecordTurn,
  VerifyFact,
} from "./extraction/options.ts";
export {
  type ProcessExtractionsOptions,
  type ProcessedExtractions,
  processExtractions,
} from "./extraction/worker.ts";

// A user memory in runs: middleware and tools

export { type AdaptedUserMemory, asUserMemory, setUserMemory } from "./middleware/as-user-memory.ts";
export { withMemoryExtract } from "./middleware/extract.ts";
export { type MemoryInjectOptions, withMemoryInject } from "./middleware/inject.ts";
export type { MemoryLinkOptions } from "./middleware/middleware.ts";
export {
  type RecalledTurn,
  recallForTurn,
  type SpokenTurn,
  type TurnMemoryOptions,
} from "./middleware/turn-memory.ts";
export type {
  ForgetArguments,
  MemoryToolApprovals,
  MemoryToolsOptions,
  RecallArguments,
  RememberArguments,
  TurnStart,
} from "./tools/options.ts";
export {
  createMessageSearchTool,
  type MessageSearchToolOptions,
  type SearchArguments,
} from "./tools/search.ts";
export { createMemoryTools, type MemoryTools } from "./tools/tools.ts";

// Types of the engine, which these types stand in for

export type {
  CompletionRequest,
  Middleware,
  MiddlewareTurn,
  RemembersSpec,
  RunUserMemory,
  Tool,
  ToolCallInfo,
  TurnAddition,
  UserMemoryObserver,
} from "./run-types.ts";

// Stores

export { createInMemoryUserMemoryBackend } from "./in-memory/backend.ts";
export { MemoryUserMemory } from "./in-memory/user-memory.ts";
export { defineUserMemory } from "./store/define-user-memory.ts";

// Message search

export {
  createMessageSearch,
  dropMessageIndex,
  type FoundMessage,
  type MessageSearch,
  type MessageSearchConfig,
  type MessageSearchOptions,
  type RefreshProgress,
  searchMessages,
} from "./message-search/message-search.ts";
export type { FoundPassage } from "./message-search/passage.ts";
export { withoutPrivate } from "./message-search/without-private.ts";

// Health of a memory

export { type ExamineOptions, examineUserMemory } from "./health/examine.ts";
export type { JudgeContradictions, JudgedPair } from "./health/judge.ts";
export { type AppliedRemedy, applyRemedies, type RemedyOutcome } from "./health/remedies.ts";
export type { FactKind, FindingKind, MemoryFinding, MemoryReport, Remedy } from "./health/report.ts";

// Ranking of other texts

export { type RankedText, rankTexts } from "./ranker/rank-texts.ts";
