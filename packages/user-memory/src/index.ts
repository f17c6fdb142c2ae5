export type { AuditAction, AuditEntry, AuditProblem, AuditReport } from "./audit/audit.ts";
export type {
  Erased,
  Erasure,
  FactSelection,
  JobBackend,
  StoredAuditEntry,
  StoredFact,
  StoredJob,
  Tombstone,
  UserChange,
  UserHead,
  UserKey,
  UserMemoryBackend,
  UserView,
} from "./backend/backend.ts";
export { defineUserMemory } from "./define-user-memory.ts";
export { UserMemoryError, type UserMemoryErrorCode, type UserMemoryErrorFields } from "./errors.ts";
export type { FactExplanation, RecallReason } from "./explanation.ts";
export type { FactStatus, Provenance, QuarantineReason, Trust, UserFact } from "./fact.ts";
export type { UserMemoryLimits } from "./limits.ts";
export { MemoryUserMemory } from "./memory-user-memory.ts";
export {
  createMessageSearch,
  type FoundMessage,
  type MessageSearch,
  type MessageSearchConfig,
  type MessageSearchOptions,
  searchMessages,
} from "./message-search/message-search.ts";
export {
  type Embed,
  type IncomingFact,
  type ResolveConflicts,
  type UserMemoryOptions,
  userMemoryOptionsSchema,
} from "./options.ts";
export type { ExtractionJob, ExtractionQueue, LeasedJob } from "./queue.ts";
export type { ForgetDetails, ForgetReceipt } from "./receipt.ts";
export type { Matches, MatchedDocument, Place, TermWeight } from "./recall/index.ts";
export type {
  ErasureMark,
  FactChanges,
  FactReview,
  ListOptions,
  RecallOptions,
  RememberOptions,
  UserMemoryStore,
} from "./store.ts";
export type { MemoryEntry, UserMemory } from "./user-memory.ts";
