// The types of the SDK's `SessionStore`, which it marks as alpha. They are written here because an import of the SDK's
// types needs those of three more packages. A test compares them with the SDK's.

/** Names a transcript of the SDK. */
export interface SessionKey {
  /** The SDK's name of the project: by default the working folder. */
  readonly projectKey: string;
  readonly sessionId: string;
  /** The transcript of a subagent. Absent: the main transcript. */
  readonly subpath?: string;
}

/** A line of a transcript: JSON that only the SDK understands. */
export interface SessionStoreEntry {
  readonly type: string;
  readonly uuid?: string;
  readonly timestamp?: string;
  readonly [field: string]: unknown;
}

/** The SDK's summary of a session. */
export interface SessionSummaryEntry {
  readonly sessionId: string;
  /** The time of the last write by the store's clock, in ms since 1970. */
  readonly mtime: number;
  /** The SDK's own data. */
  readonly data: Record<string, unknown>;
}

/** The SDK's function `foldSessionSummary`: the summary of a session after more entries. */
export type FoldSessionSummary = (
  previous: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: SessionStoreEntry[],
) => SessionSummaryEntry;

/** A `SessionStore` of the SDK with all optional methods, except `listSessionSummaries`. */
export interface ConversationSessionStore {
  readonly append: (key: SessionKey, entries: SessionStoreEntry[]) => Promise<void>;
  readonly load: (key: SessionKey) => Promise<SessionStoreEntry[] | null>;
  readonly listSessions: (projectKey: string) => Promise<{ sessionId: string; mtime: number }[]>;
  readonly listSubkeys: (key: { projectKey: string; sessionId: string }) => Promise<string[]>;
  readonly delete: (key: SessionKey) => Promise<void>;
  /** Present if the settings have `foldSessionSummary`. */
  readonly listSessionSummaries?: (projectKey: string) => Promise<SessionSummaryEntry[]>;
}
