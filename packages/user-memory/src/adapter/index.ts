export type {
  Erased,
  Erasure,
  Extent,
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
  UserSnapshot,
} from "../backend.ts";
export type {
  ChangedConversation,
  ConversationRevision,
  IndexBatch,
  IndexedPassage,
  IndexedWord,
  MessageIndex,
  MessagePlace,
  NewPassage,
  PassageCounts,
  WantedPassages,
} from "../message-search/message-index.ts";
export { bindOptions, type UserMemoryOptionsSchema, userMemoryOptionsSchema } from "../options.ts";
export type { MatchedDocument, Matches, MessageLocation, TermWeight } from "../ranker/index.ts";
export { defineUserMemory } from "../store/define-user-memory.ts";
export { extendUserMemoryBackend } from "./extend-backend.ts";
export { mapFacts, type TextCodec } from "./map-facts.ts";
