import type { Result } from "../contract/errors.ts";
import type { NewTurn, TurnBeginner, TurnBeginning, TurnWriter } from "../contract/turn-beginning.ts";

export type { NewTurn, TurnBeginner, TurnBeginning, TurnWriter };

/**
 * The state of a turn in the log:
 *
 * - `"running"`: a writer appends events to the turn.
 * - `"waiting"`: the turn has tool calls that wait for an approval or for the client. It becomes `"ended"` when the
 *   next turn of the conversation begins.
 * - `"ended"`: the turn doesn't change any more.
 */
export type TurnState = "running" | "waiting" | "ended";

/** A turn as the log stores it, without its events. */
export interface LoggedTurn {
  readonly conversationId: string;
  /** The user who owns the conversation. */
  readonly userId: string;
  readonly turnId: string;
  readonly state: TurnState;
  readonly startedAt: Date;
  /**
   * The number of events that were appended to the turn, including expired ones. Events are numbered from 0, so this is
   * also the number of the next event.
   */
  readonly events: number;
  /** Whether `requestStop` was called for the turn. */
  readonly stopRequested: boolean;
  /**
   * The text that the writer stored as `TurnEnding.record` when the turn changed to `"waiting"` or `"ended"` (e.g. what
   * the model saw, as JSON). Absent while the turn is `"running"`.
   */
  readonly record?: string;
}

/** The result of `begin`: a new turn, or the turn that prevents it. */
export type BegunTurn =
  | { readonly begun: true; readonly writer: TurnWriter }
  /**
   * The conversation has a running turn, so no new turn began. If the lease of the running turn has expired, `takeOver`
   * can continue the running turn.
   */
  | { readonly begun: false; readonly running: LoggedTurn };

/** The end of the writer's work: the turn's new state, and how long the log keeps the turn. */
export interface TurnEnding {
  readonly state: "waiting" | "ended";
  /** The writer's data about the turn, as text. The log returns this text in {@link LoggedTurn.record}. */
  readonly record: string;
  /** How many seconds the events of the turn can be read, from the `append` with this ending on. */
  readonly eventSeconds: number;
  /**
   * How many seconds the turn and its `record` are kept, from the `append` with this ending on. At least
   * `eventSeconds`.
   */
  readonly recordSeconds: number;
}

/** Events that a writer appends to its turn. */
export interface AppendedEvents {
  readonly writer: TurnWriter;
  /**
   * The number of the first event in `events`: the number of events that the turn has before this call. A repeated call
   * has the `first` of the original call.
   */
  readonly first: number;
  /** The events as JSON texts. May be empty if `end` is present. */
  readonly events: readonly string[];
  /** How the turn ends. Present only if `events` are the last events of the turn. */
  readonly end?: TurnEnding;
}

/**
 * The log's answer to a writer:
 *
 * - `held: true`: the writer holds the lease, and the call was carried out. `stopRequested` is `true` if `requestStop`
 *   was called for the turn.
 * - `held: false`: another process has taken the turn over, the turn has ended, or the turn was erased. Nothing was
 *   stored, and the writer must stop.
 */
export type WriterAnswer =
  | { readonly held: true; readonly stopRequested: boolean }
  | { readonly held: false };

/** A turn that the caller of `takeOver` now continues. */
export interface TakenOverTurn {
  readonly writer: TurnWriter;
  readonly turn: LoggedTurn;
  /** The `request` with which the turn began. */
  readonly request: string;
}

/** Selects events of one turn. */
export interface EventQuery {
  /** The id of the turn's conversation. */
  readonly conversationId: string;
  /** The id of the turn. Default: the conversation's latest turn. */
  readonly turnId?: string;
  /** The number of the first event to return. Default 0. */
  readonly from?: number;
  /** The maximum number of events to return. Default 1,000. */
  readonly limit?: number;
}

/** The answer to an {@link EventQuery}: a turn and some of its events. */
export interface EventPage {
  readonly turn: LoggedTurn;
  /**
   * The selected events, in order and without gaps. The first one has the number `from` of the query. `[]` if the turn
   * has at most `from` events, or if its events have expired.
   */
  readonly events: readonly string[];
}

/** Selects turns of one user by their state. */
export interface TurnQuery {
  /** The user who owns the conversations. */
  readonly userId: string;
  /** Only turns in this state are returned. */
  readonly state: "running" | "waiting";
}

/**
 * The durable log of turns. During an agent's run, one process writes the events of the turn to the log. Any process
 * can read the events from the log, during the run and after it.
 *
 * - A turn belongs to a conversation, and a conversation has at most one running turn.
 * - The events of a turn are numbered from 0. Each event is a text that the log doesn't interpret. Events expire.
 * - Every method is atomic for each turn.
 * - All times are measured by the store's clock.
 * - Failures are tagged errors in the result. An id that a `MemoryProvider` would refuse, or a number out of range, is
 *   a `MemoryValidationError`. A failure of the store is a `MemoryConnectionError` or a `MemoryStorageError`.
 *
 * The kit `describeTurnLogConformance` of `@jaf/memory/testing` tests all rules of this interface.
 */
export interface TurnLog {
  /**
   * Begins a turn of the conversation and returns its writer. If an earlier turn of the conversation is `"waiting"`,
   * the earlier turn becomes `"ended"`. If the conversation has a running turn, no turn begins, and `begun` is `false`.
   */
  readonly begin: (turn: NewTurn) => Promise<Result<BegunTurn>>;
  /**
   * Prepares a turn that a write to its conversation begins (`WriteOptions.beginsTurn`), without a call to the store. A
   * provider whose `canBegin` accepts the result can make this write. Absent: the log shares its storage with no
   * provider.
   */
  readonly beginning?: (turn: NewTurn) => Result<TurnBeginning>;
  /**
   * Adds events to a turn, all of them or none, and renews the writer's lease. With `end`, ends the turn.
   *
   * If the reply was lost, the writer can repeat the call, even the call that ended the turn: events whose numbers the
   * turn already has are not stored again. If the turn has fewer than `first` events, the call fails with a
   * `MemoryConflictError`.
   */
  readonly append: (events: AppendedEvents) => Promise<Result<WriterAnswer>>;
  /** Renews the writer's lease. The answer is `held: false` if the writer no longer holds the lease. */
  readonly renew: (writer: TurnWriter) => Promise<Result<WriterAnswer>>;
  /**
   * Makes the caller the writer of a running turn whose lease has expired. Returns `null` in three cases:
   *
   * - The turn doesn't exist or isn't running.
   * - The lease of the turn hasn't expired.
   * - Another process has taken the turn over just before.
   */
  readonly takeOver: (
    turn: Pick<TurnWriter, "conversationId" | "turnId">,
  ) => Promise<Result<TakenOverTurn | null>>;
  /**
   * Ends the writer's lease at once, so that another process can take the turn over. Does nothing if the writer doesn't
   * hold the lease.
   */
  readonly release: (writer: TurnWriter) => Promise<Result<void>>;
  /** Returns a turn and the selected events. Returns `null` if the turn doesn't exist or has expired. */
  readonly read: (query: EventQuery) => Promise<Result<EventPage | null>>;
  /**
   * Runs several queries, in one round trip if the store can. Returns one answer for each query, in the order of the
   * queries.
   */
  readonly readAll: (queries: readonly EventQuery[]) => Promise<Result<readonly (EventPage | null)[]>>;
  /** Returns at most `limit` turns of a conversation; the turn that began last comes first. Default `limit` 100. */
  readonly turnsOf: (conversationId: string, limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /**
   * Returns at most `limit` turns of the user in the given state; the turn that began last comes first. Default `limit`
   * 100.
   */
  readonly find: (query: TurnQuery, limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /**
   * Asks the writer of a turn to stop. The next `append` or `renew` of the writer returns `stopRequested: true`.
   * Returns `true` if the turn is running, otherwise `false`.
   */
  readonly requestStop: (turn: Pick<TurnWriter, "conversationId" | "turnId">) => Promise<Result<boolean>>;
  /**
   * Returns at most `limit` (default 100) running turns whose lease has expired. The turn whose lease expired first comes
   * first.
   */
  readonly abandoned: (limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /**
   * Erases the turns of a conversation at once, even a running turn. The next `append` or `renew` of an erased turn's
   * writer returns `held: false`. Returns the number of erased turns.
   */
  readonly deleteConversation: (conversationId: string) => Promise<Result<number>>;
  /**
   * Erases the turns of all of the user's conversations at once, even running turns. Returns the number of erased
   * turns.
   */
  readonly deleteUser: (userId: string) => Promise<Result<number>>;
  /** Closes the clients that the log opened itself, but no client that the application passed to the log. */
  readonly close: () => Promise<Result<void>>;
}
