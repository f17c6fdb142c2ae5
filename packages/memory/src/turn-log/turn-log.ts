import type { Result } from "../contract/errors.ts";

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
  /** The number of events. Events are numbered from 0, so this is also the number of the next event. */
  readonly events: number;
  /** Whether `requestStop` was called for the turn. */
  readonly stopRequested: boolean;
  /**
   * The data that the writer stored when the turn ended (e.g. what the model saw). Absent while the turn is running.
   */
  readonly record?: string;
}

/** The arguments with which a turn begins. */
export interface NewTurn {
  readonly conversationId: string;
  readonly userId: string;
  /** The id of the turn. The caller chooses it, and it must be unique in the conversation. 1 to 255 UTF-16 units. */
  readonly turnId: string;
  /** The data that a process needs to continue the turn after `takeOver`. The log erases it when the turn ends. */
  readonly request: string;
  /**
   * How many seconds the writer holds the lease after each `begin`, `append` and `renew`. At least 1; fractions are
   * allowed.
   */
  readonly leaseSeconds: number;
  /** How many seconds the log keeps a running turn after the last call of its writer. A whole number, at least 1. */
  readonly keepSeconds: number;
}

/**
 * Proves that a process holds the turn's lease. `begin` and `takeOver` return it. Only the latest writer of a turn may
 * append.
 */
export interface TurnWriter {
  readonly conversationId: string;
  readonly turnId: string;
  /** A random text. The log compares it with the token of the turn's latest writer. */
  readonly token: string;
}

/** The result of `begin`: a new turn, or the turn that prevents it. */
export type BegunTurn =
  | { readonly begun: true; readonly writer: TurnWriter }
  /** The conversation has a running turn, so no turn began. If its lease has expired, `takeOver` can continue it. */
  | { readonly begun: false; readonly running: LoggedTurn };

/** How a turn ends, and how long the log keeps it. */
export interface TurnEnding {
  readonly state: "waiting" | "ended";
  /** The writer's data about the turn. The log returns it in {@link LoggedTurn.record}. */
  readonly record: string;
  /** How many seconds the events of the turn can be read after its end. */
  readonly eventSeconds: number;
  /** How many seconds the turn and its `record` are kept after its end. At least `eventSeconds`. */
  readonly recordSeconds: number;
}

/** Events that a writer appends to its turn. */
export interface AppendedEvents {
  readonly writer: TurnWriter;
  /** The number of the first of these events. It is the number of events that the turn already has. */
  readonly first: number;
  /** The events as JSON texts. May be empty if `end` is present. */
  readonly events: readonly string[];
  /** How the turn ends. Present if these are its last events. */
  readonly end?: TurnEnding;
}

/**
 * The log's answer to a writer. `held: true`: the writer holds the lease. `held: false`: another writer holds the
 * lease, the turn has ended, or the turn was erased. In this case nothing was stored, and the writer must stop.
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
  /** The maximum number of events. Default 1,000. */
  readonly limit?: number;
}

/** The answer to an {@link EventQuery}: a turn and some of its events. */
export interface EventPage {
  readonly turn: LoggedTurn;
  /**
   * The selected events, in order and without gaps. The first one has the number `from` of the query. `[]` if the turn
   * has no such event, or if its events have expired.
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
 * The durable log of turns. Any process can read the events of an agent's run from it, during the run and after it. A
 * turn belongs to a conversation, and a conversation has at most one running turn. The events of a turn are numbered.
 * Each event is a text that the log doesn't interpret. Events expire.
 *
 * Every method is one atomic step for its turn. Failures are tagged errors in the result. An id that a `MemoryProvider`
 * would refuse, or a number out of range, is a `MemoryValidationError`. A failure of the store is a
 * `MemoryConnectionError` or a `MemoryStorageError`.
 *
 * All times are measured by the store's clock. The kit `describeTurnLogConformance` of `@jaf/memory/testing` tests all
 * rules of this interface.
 */
export interface TurnLog {
  /**
   * Begins a turn of the conversation. If an earlier turn is `"waiting"`, that turn becomes `"ended"`. If a turn is
   * running, no turn begins.
   */
  readonly begin: (turn: NewTurn) => Promise<Result<BegunTurn>>;
  /**
   * Adds events to a turn, all of them or none, and renews the writer's lease. If the reply was lost, the writer can
   * repeat the call: events whose numbers the turn already has are not stored again. If the turn has fewer than `first`
   * events, the call fails with a `MemoryConflictError`. After the end of the turn, its last writer can also repeat its
   * last call, and gets `held: true` again.
   */
  readonly append: (events: AppendedEvents) => Promise<Result<WriterAnswer>>;
  /** Renews the writer's lease. The answer is `held: false` if the writer no longer holds the lease. */
  readonly renew: (writer: TurnWriter) => Promise<Result<WriterAnswer>>;
  /**
   * Makes the caller the writer of a running turn whose lease has expired. Returns `null` if the turn isn't running, if
   * its lease hasn't expired, or if another caller was faster.
   */
  readonly takeOver: (
    turn: Pick<TurnWriter, "conversationId" | "turnId">,
  ) => Promise<Result<TakenOverTurn | null>>;
  /**
   * Ends the writer's lease at once, so that another process can call `takeOver`. Does nothing if the writer doesn't
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
  /** Returns the turns of a conversation, latest first. Default `limit` 100. */
  readonly turnsOf: (conversationId: string, limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /** Returns the user's turns in the given state, latest first. Default `limit` 100. */
  readonly find: (query: TurnQuery, limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /**
   * Asks the writer of a turn to stop. The writer's next call returns `stopRequested: true`. Returns `false` if the
   * turn isn't running, otherwise `true`.
   */
  readonly requestStop: (turn: Pick<TurnWriter, "conversationId" | "turnId">) => Promise<Result<boolean>>;
  /** Returns at most `limit` running turns whose lease has expired. The turn whose lease expired first comes first. */
  readonly abandoned: (limit: number) => Promise<Result<readonly LoggedTurn[]>>;
  /**
   * Erases the turns of a conversation at once, even a running turn. The writer of an erased turn gets `held: false`
   * from its next call. Returns the number of erased turns.
   */
  readonly deleteConversation: (conversationId: string) => Promise<Result<number>>;
  /** Erases the turns of all of the user's conversations. Returns the number of erased turns. */
  readonly deleteUser: (userId: string) => Promise<Result<number>>;
  /** Closes what the log opened itself, but not a client that you passed to it. */
  readonly close: () => Promise<Result<void>>;
}
