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
  UserView,
} from "../backend/backend.ts";
export { boundOptions } from "../bound-options.ts";
export { defineUserMemory } from "../define-user-memory.ts";
export { userMemoryOptionsSchema } from "../options.ts";
export type { MatchedDocument, Matches, MessageLocation, TermWeight } from "../ranker/index.ts";
export { extendUserMemoryBackend } from "./extend-backend.ts";
export { mapFacts, type TextCodec } from "./map-facts.ts";
