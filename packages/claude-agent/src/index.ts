export { createSessionStore } from "./session-store.ts";
export type { SessionStoreSettings } from "./settings.ts";
export type {
  ConversationSessionStore,
  FoldSessionSummary,
  SessionKey,
  SessionStoreEntry,
  SessionSummaryEntry,
} from "./types.ts";
