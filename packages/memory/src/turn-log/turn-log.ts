import type { Result } from "../contract/errors.ts";
import type { NewTurn, TurnBeginner, TurnBeginning, TurnWriter } from "../contract/turn-beginning.ts";

export type { NewTurn, TurnBeginner, TurnBeginning, TurnWriter };

/**
 * The state of a turn:
 *
 * - `"running"`: a writer appends events to it.
 * - `"waiting"`: it ended with calls that wait for an approval or the client. The conversation's next turn ends it.
 * - `"ended"`: it doesn't change any more.
 */
export type TurnState = "running" | "waiting" | "ended";

/** A turn as the log stores it. */
export interface LoggedTurn {
  readonly conversationId: string;
  /** The owner of the conversation. */
  readonly userId: string;
  readonly turnId: string;
  readonly state: TurnState;
  readonly startedAt: Date;
  /** The number of events. Events are numbered from 0, so this is the number of the next one. */
  readonly events: number;
  /** Whether a stop was requested. */
  readonly stopRequested: boolean;
  /** What the writer recorded at the end of the turn, e.g. what the model saw. Absent while the turn runs. */
  readonly record?: string;
}

/** The result of `begin`. */
export type BegunTurn =
  | { readonly begun: true; readonly writer: TurnWriter }
  /** The conversation has a running turn, or one without a writer that `takeOver` can continue. */
  | { readonly begun: false; readonly running: LoggedTurn };

/** How a turn ends, and how long it is kept. */
export interface TurnEnding {
  readonly state: "waiting" | "ended";
  /** The writer's data about the turn: see {@link LoggedTurn.record}. */
  readonly record: string;
  /** How long its events can be read, in seconds. */
  readonly eventSeconds: number;
  /** How long the turn and its record are kept, in seconds. At least `eventSeconds`. */
  readonly recordSeconds: number;
}

/** Events that a writer appends to its turn. */
export interface AppendedEvents {
  readonly writer: TurnWriter;
  /** The number of the first event: the number of events that the turn already has. */
  readonly first: number;
  /** JSON texts. Can be empty if the turn ends. */
  readonly events: readonly string[];
  /** Present if the turn ends with these events. */
  readonly end?: TurnEnding;
}

/**
 * The log's answer to a writer. `held: false`: another writer holds the lease, the turn has ended, or it was erased.
 * Nothing was stored, and the writer must stop.
 */
export type WriterAnswer =
  | { readonly held: true; readonly stopRequested: boolean }
  | { readonly held: false };

/** A turn that `takeOver` has handed to the caller. */
export interface TakenOverTurn {
  readonly writer: TurnWriter;
  readonly turn: LoggedTurn;
  /** The `request` of the {@link NewTurn}. */
  readonly request: string;
}

/** Selects events of one turn. */
export interface EventQuery {
  /** The conversation of the turn. */
  readonly conversationId: string;
  /** Default: the conversation's latest turn. */
  readonly turnId?: string;
  /** The number of the first event to read. Default 0. */
  readonly from?: number;
  /** The maximum number of events. Default 1,000. */
  readonly limit?: number;
}

/** A turn and some of its events. */
export interface EventPage {
  readonly turn: LoggedTurn;
  /** In order and without gaps, starting with number `from`. `[]` if there are none or they have expired. */
  readonly events: readonly string[];
}

/** Selects a user's turns by their state. */
export interface TurnQuery {
  /** The owner of the conversations. */
  readonly userId: string;
  /** Only turns in this state. */
  readonly state: "running" | "waiting";
}

/**
 * The durable log of turns: the events of an agent's run, numbered, for any process to read during the run and after
 * it. A turn belongs to a conversation, and each conversation has at most one running turn. Events are texts that the
 * log doesn't interpret. They expire.
 *
 * Every method is one atomic step for its turn. The same rules apply to `conversationId`, `userId` and `turnId` as to
 * the ids of a `MemoryProvider`. Other ids, and numbers out of range, are a `MemoryValidationError`. Failures of the
 * store are a `MemoryConnectionError` or a `MemoryStorageError`.
 *
 * Times are measured by the store's clock. The kit `describeTurnLogConformance` of `@jaf/memory/testing` tests all of
 * this.
 */
export interface TurnLog {
  /** Begins a turn of the conversation, and ends a previous one that waits. */
  readonly begin: (turn: NewTurn) => Promise<Result<BegunTurn>>;
  /**
   * Prepares a turn that a write to its conversation begins, for providers whose `canBegin` accepts it. Does no I/O. Absent:
   * the log shares its storage with no provider.
   */
  readonly beginning?: (turn: NewTurn) => Result<TurnBeginning>;
  /**
   * Stores all events or none, and renews the lease. Repeating the call after a lost reply stores nothing twice: events
   * with numbers that the turn already has count as stored. If `first` leaves a gap, that is a `MemoryConflictError`.
   * After a turn has ended, its last writer can repeat its last call and gets `held: true` again.
   */
  readonly append: (events: AppendedEvents) => Promise<Result<WriterAnswer>>;
  /** Renews the lease. */
  readonly renew: (writer: TurnWriter) => Promise<Result<WriterAnswer>>;
  /**
   * Makes the caller the writer of a running turn with an expired lease. Returns `null` if there is none, or if another
   * caller was faster.
   */
  readonly takeOver: (
    turn: Pick<TurnWriter, "conversationId" | "turnId">,
  ) => Promise<Result<TakenOverTurn | null>>;
  /** Ends the lease immediately, so another process can take over. Does nothing unless the writer holds the lease. */
  readonly release: (writer: TurnWriter) => Promise<Result<void>>;
  /** Reads events of a turn. Returns `null` if the turn doesn't exist or has expired. */
  readonly read: (query: EventQuery) => Promise<Result<EventPage | null>>;
  /** Runs several queries, in one round trip if the store can. Returns the answers in their order. */
  readonly readAll: (queries: readonly EventQuery[]) => Promise<Result<readonly (EventPage | null)[]>>;
  /** Returns the turns of a conversation, latest first. Default `limit` 100. */
  readonly turnsOf: (conversationId: string, limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /** Returns a user's turns in this state, latest first. Default `limit` 100. */
  readonly find: (query: TurnQuery, limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /** Asks the writer to stop; it learns this from its next call. Returns `false` if no such turn runs. */
  readonly requestStop: (turn: Pick<TurnWriter, "conversationId" | "turnId">) => Promise<Result<boolean>>;
  /** Returns at most `limit` running turns with an expired lease, longest expired first. */
  readonly abandoned: (limit: number) => Promise<Result<readonly LoggedTurn[]>>;
  /**
   * Erases the conversation's turns immediately, even a running one: its writer then gets `held: false`. Returns the
   * number of erased turns.
   */
  readonly deleteConversation: (conversationId: string) => Promise<Result<number>>;
  /** Erases the turns of all of the user's conversations. Returns the number of erased turns. */
  readonly deleteUser: (userId: string) => Promise<Result<number>>;
  /** Closes what the log opened, but not a client that you passed in. */
  readonly close: () => Promise<Result<void>>;
}
