// For authors of backends: see docs/adding-a-provider.md.

// The provider contract.

export {
  createFailure,
  createMemoryConflictError,
  createMemoryConnectionError,
  createMemoryNotFoundError,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  describeCause,
  type ErrorCause,
  type MemoryConflictError,
  type MemoryConflictReason,
  type MemoryConnectionError,
  type MemoryErrorDetails,
  type MemoryErrorUnion,
  type MemoryIssue,
  type MemoryNotFoundError,
  MemorySetupError,
  type MemoryStorageError,
  type MemoryValidationError,
  type Result,
} from "./contract/errors.ts";
export { idIssue, isPortableText, MAX_ID_LENGTH } from "./contract/ids.ts";
export type { VersionedMemoryProvider } from "./contract/versioned-provider.ts";

// The storage port of conversations, and the function that makes a provider from it.

export { defineMemoryProvider } from "./backend/define-provider.ts";
export { extendBackend, type MessageMapping, mapMessages } from "./backend/map-messages.ts";
export { notWritten } from "./backend/not-written.ts";
export { parseOptions } from "./codec/checks.ts";
export { decodeMessage } from "./codec/messages.ts";
export { conversationCursor } from "./codec/query.ts";
export { selectedBounds } from "./codec/read.ts";
export {
  type ConversationPosition,
  type ConversationQuery,
  type ConversationSource,
  type ConversationWrite,
  type DigestAlgorithm,
  type EncodedMessage,
  type ExpectedIncarnation,
  type HistoryReader,
  type HistoryRequest,
  IDEMPOTENCY_WINDOW,
  isErasedSince,
  type JsonObject,
  type JsonValue,
  type MemoryBackend,
  messageHash,
  nextDigest,
  type OwnMessageId,
  type ReadOutcome,
  type ReadRequest,
  type StoredConversation,
  type StoredHistory,
  type StoredMessage,
  type StoredSelection,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
  type WriteConflictReason,
  type WriteOutcome,
} from "./contract/backend.ts";

// The in-memory backend: a reference, and a base for backends that keep a copy in the process.

export { createInMemoryBackend, type InMemoryConfig, inMemoryConfigSchema } from "./in-memory/provider.ts";

// The storage port of a turn log.

export { defineTurnLog, TurnConflict, type TurnLogBackend } from "./turn-log/define-turn-log.ts";
export { createInMemoryTurnLog, type InMemoryTurnLogOptions } from "./turn-log/in-memory.ts";
export type {
  AppendedEvents,
  BegunTurn,
  EventPage,
  EventQuery,
  LoggedTurn,
  NewTurn,
  TakenOverTurn,
  TurnBeginner,
  TurnBeginning,
  TurnEnding,
  TurnLog,
  TurnQuery,
  TurnState,
  TurnWriter,
  WriterAnswer,
} from "./turn-log/turn-log.ts";

// The storage port of an inbox.

export { type InboxPlace, parseInboxCursor, toInboxCursor } from "./inbox/cursor.ts";
export { type BoundedInboxQuery, defineInbox, type InboxBackend } from "./inbox/define-inbox.ts";
export { createInMemoryInbox, type InMemoryInboxOptions } from "./inbox/in-memory.ts";
export {
  INBOX_KEY_SECONDS,
  type Inbox,
  type InboxEntry,
  type InboxQuery,
  MOST_INBOX_ENTRIES,
  type NewInboxEntry,
  type PutEntry,
  type WaitingInbox,
} from "./inbox/inbox.ts";

// The storage port of timers.

export { type BoundedTimerQuery, defineTimers, type TimersBackend } from "./timers/define-timers.ts";
export { createInMemoryTimers, type InMemoryTimersOptions } from "./timers/in-memory.ts";
export {
  MOST_TIMERS,
  type SetTimer,
  type Timer,
  type TimerName,
  type TimerQuery,
  type TimerStep,
  type Timers,
} from "./timers/timers.ts";

// The port of a queue that hands turns to workers.

export { defineTurnQueue, type Submission, type TurnQueueBackend } from "./turn-queue/define-turn-queue.ts";
export type {
  SubmitOptions,
  TurnPointer,
  TurnQueue,
  TurnWorker,
  TurnWorkerOptions,
} from "./turn-queue/turn-queue.ts";

// The storage port for the bytes of large media.

export type { BlobBackend, BlobEntry, BlobHold, BlobStore, ListedBlob, NewBlob } from "./blobs/blob-store.ts";
export { defineBlobStore } from "./blobs/define-blob-store.ts";
export type { BlobReference } from "./contract/message.ts";

// The storage port of a ledger.

export { addAmounts, amountsOf, LEDGER_AMOUNTS, NO_AMOUNTS } from "./ledger/amounts.ts";
export type {
  LedgerAddition,
  LedgerBackend,
  LedgerKey,
  LedgerRecord,
  LedgerReportQuery,
  LedgerTotal,
} from "./ledger/backend.ts";
export { defineLedger } from "./ledger/define-ledger.ts";
export type {
  CacheMiss,
  Ledger,
  LedgerAmounts,
  LedgerEntry,
  LedgerGroup,
  LedgerQuery,
  LedgerRow,
  LedgerScope,
  LedgerStore,
} from "./ledger/ledger.ts";
export { createLedgerReport, type LedgerReport, type LedgerSum } from "./ledger/report.ts";

// The exports of a backend's package.

export type { AdapterVariable, MemoryAdapter } from "./config/adapter.ts";

// Helpers for backends.

export { type DeadlineOptions, withDeadline } from "./runtime/abort.ts";
export {
  type BackoffDelays,
  type BackoffLimits,
  type BackoffOptions,
  backoffDelayMs,
  type Outcome,
  retryWithBackoff,
} from "./runtime/backoff.ts";
export { createKeyedQueue, type KeyedQueue } from "./runtime/keyed-queue.ts";
export { present } from "./runtime/objects.ts";
export { callSafely } from "./runtime/observer.ts";
