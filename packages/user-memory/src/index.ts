export { holdsSecret } from "@jaf/memory/engine";
export type { AuditAction, AuditEntry, AuditProblem, AuditReport } from "./audit/entry.ts";
export { defineUserMemory } from "./define-user-memory.ts";
export type { ErasureMark } from "./erasure-mark.ts";
export { UserMemoryError, type UserMemoryErrorCode, type UserMemoryErrorFields } from "./errors.ts";
export type { FactExplanation, RecallReason } from "./explanation.ts";
export { ExtractionError, type ExtractionErrorCode, type ExtractionErrorFields } from "./extract/error.ts";
export type { CompleteText } from "./extract/extraction.ts";
export type {
  ExtractFacts,
  ExtractInput,
  ExtractionOptions,
  ExtractionReport,
  MemoryExtractOptions,
  OffRecordTurn,
  ProposedFact,
  VerifyFact,
} from "./extract/options.ts";
export {
  type ProcessExtractionsOptions,
  type ProcessedExtractions,
  processExtractions,
} from "./extract/process-extractions.ts";
export type { FactStatus, Provenance, QuarantineReason, Quotation, Trust, UserFact } from "./fact.ts";
export { getUserMemory } from "./global-user-memory.ts";
export { createInMemoryUserMemoryBackend } from "./in-memory/backend.ts";
export { MemoryUserMemory } from "./in-memory/store.ts";
export type { MemoryInjectOptions } from "./inject/options.ts";
export type { UserMemoryLimits } from "./limits.ts";
export { type AdaptedUserMemory, asUserMemory, setUserMemory } from "./link/as-user-memory.ts";
export { withMemoryExtract } from "./link/extract-middleware.ts";
export { withMemoryInject } from "./link/inject-middleware.ts";
export type { MemoryLinkOptions } from "./link/middleware.ts";
export {
  createMessageSearch,
  dropMessageIndex,
  type FoundMessage,
  type MessageSearch,
  type MessageSearchConfig,
  type MessageSearchOptions,
  searchMessages,
} from "./message-search/message-search.ts";
export type {
  Embed,
  IncomingFact,
  ResolveConflicts,
  UserMemoryOptions,
} from "./options.ts";
export type { ExtractionJob, ExtractionQueue, LeasedJob } from "./queue/queue.ts";
export type { ForgetDetails, ForgetReceipt } from "./receipt.ts";
export { type RenderOptions, renderUserMemory } from "./render/render.ts";
export type { RenderableFact } from "./render/renderable-fact.ts";
export type {
  FactChanges,
  FactReview,
  ListOptions,
  RecallOptions,
  RememberOptions,
  UserMemoryStore,
} from "./store.ts";
export type {
  ForgetArguments,
  MemoryToolsOptions,
  RecallArguments,
  RememberArguments,
  TurnStart,
} from "./tools/options.ts";
export { createMemoryTools, type MemoryTools } from "./tools/tools.ts";
export type { MemoryEntry, UserMemory } from "./user-memory.ts";
export type { LinkedUserMemory } from "./user-memory-guards.ts";
