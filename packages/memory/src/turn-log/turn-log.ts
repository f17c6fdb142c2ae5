import type { Result } from "../contract/errors.ts";

/**
 * - `"running"`: a writer appends events to it.
 * - `"waiting"`: it ended with calls that wait for an approval or the client. The next turn of the conversation ends that.
 * - `"ended"`: nothing more happens in it.
 */
export type TurnState = "running" | "waiting" | "ended";

/** A turn as the log knows it. */
export interface LoggedTurn {
  readonly conversationId: string;
  /** The owner of the conversation. */
  readonly userId: string;
  readonly turnId: string;
  readonly state: TurnState;
  readonly startedAt: Date;
  /** How many events it has: they are numbered from 0, and the next gets this number. */
  readonly events: number;
  /** Somebody asked to stop it. */
  readonly stopRequested: boolean;
  /** What the writer left of it at its end, e.g. what the model saw. Absent while it runs. */
  readonly record?: string;
}

export interface NewTurn {
  readonly conversationId: string;
  readonly userId: string;
  /** Chosen by the caller, unique in the conversation. 1 to 255 UTF-16 units, as every id. */
  readonly turnId: string;
  /** What `takeOver` needs to go on with it. It is erased when the turn ends. */
  readonly request: string;
  /** How long the writer has the turn after each call of `begin`, `append` and `renew`. From 1, also a fraction. */
  readonly leaseSeconds: number;
  /** How long a turn that nobody goes on with is kept. A whole number, from 1. */
  readonly keepSeconds: number;
}

/** Who may append: the one that `begin` or `takeOver` returned last for the turn. */
export interface TurnWriter {
  readonly conversationId: string;
  readonly turnId: string;
  /** Random. */
  readonly token: string;
}

export type BegunTurn =
  | { readonly begun: true; readonly writer: TurnWriter }
  /** The conversation has a turn that runs, or whose writer is gone and that `takeOver` can go on with. */
  | { readonly begun: false; readonly running: LoggedTurn };

export interface TurnEnding {
  readonly state: "waiting" | "ended";
  readonly record: string;
  /** How long its events can still be read. */
  readonly eventSeconds: number;
  /** How long the turn itself and its record are kept. At least `eventSeconds`. */
  readonly recordSeconds: number;
}

export interface AppendedEvents {
  readonly writer: TurnWriter;
  /** The number of the first of them: how many the turn has so far. */
  readonly first: number;
  /** JSON texts. May be empty if the turn ends. */
  readonly events: readonly string[];
  /** The turn ends with these events. */
  readonly end?: TurnEnding;
}

/**
 * How the log answers a writer. `held: false`: another writer has the turn, it has ended, or it was erased; nothing was stored.
 * The writer has to stop then.
 */
export type WriterAnswer =
  | { readonly held: true; readonly stopRequested: boolean }
  | { readonly held: false };

export interface TakenOverTurn {
  readonly writer: TurnWriter;
  readonly turn: LoggedTurn;
  readonly request: string;
}

export interface EventQuery {
  readonly conversationId: string;
  /** Absent: the conversation's latest turn. */
  readonly turnId?: string;
  /** The number of the first event to read. Default 0. */
  readonly from?: number;
  /** At most so many. Default 1,000. */
  readonly limit?: number;
}

export interface EventPage {
  readonly turn: LoggedTurn;
  /** In order, without a gap, the first with the number `from`; `[]` if there are none, or none any more. */
  readonly events: readonly string[];
}

export interface TurnQuery {
  readonly userId: string;
  readonly state: "running" | "waiting";
}

/**
 * The durable log of turns: what happens in a run of an agent, as numbered events that any process can read while they are
 * written, and after. A turn belongs to a conversation, and of each conversation one turn at most runs. Its events are texts
 * that the log doesn't look into. They expire.
 *
 * Every method is one atomic step for the turn that it concerns. `conversationId`, `userId` and `turnId` may hold any
 * characters that those of a `MemoryProvider` may; anything else, and numbers out of range, is a `MemoryValidationError`. What
 * fails in the store is a `MemoryConnectionError` or a `MemoryStorageError`.
 *
 * Times are measured by the store's clock. The kit `describeTurnLogConformance` of `@jaf/memory/testing` tests all of this.
 */
export interface TurnLog {
  /** Begins a turn of the conversation. One that waited before is ended. */
  readonly begin: (turn: NewTurn) => Promise<Result<BegunTurn>>;
  /**
   * Stores the events, all or none, and renews the lease. The same call again, after a lost reply, stores nothing twice:
   * events whose numbers the turn already has are taken for stored. If `first` leaves a gap: `MemoryConflictError`. A turn
   * that has ended answers its last writer's last call again with `held: true`.
   */
  readonly append: (events: AppendedEvents) => Promise<Result<WriterAnswer>>;
  /** Renews the lease. */
  readonly renew: (writer: TurnWriter) => Promise<Result<WriterAnswer>>;
  /** Makes the caller the writer of a running turn whose lease has ended. `null`: there is none, or somebody was faster. */
  readonly takeOver: (
    turn: Pick<TurnWriter, "conversationId" | "turnId">,
  ) => Promise<Result<TakenOverTurn | null>>;
  /** Ends the lease at once, so that another process takes over now. Nothing happens unless the writer has the turn. */
  readonly release: (writer: TurnWriter) => Promise<Result<void>>;
  /** Events of a turn. `null`: there is no such turn, or it has expired. */
  readonly read: (query: EventQuery) => Promise<Result<EventPage | null>>;
  /** Several queries in one round trip, where the store can; answers in their order. */
  readonly readAll: (queries: readonly EventQuery[]) => Promise<Result<readonly (EventPage | null)[]>>;
  /** The turns of a conversation, the latest first. At most `limit`, default 100. */
  readonly turnsOf: (conversationId: string, limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /** A user's turns in this state, the latest first. At most `limit`, default 100. */
  readonly find: (query: TurnQuery, limit?: number) => Promise<Result<readonly LoggedTurn[]>>;
  /** Asks the writer to stop, which it learns from its next call. `false`: no such turn runs. */
  readonly requestStop: (turn: Pick<TurnWriter, "conversationId" | "turnId">) => Promise<Result<boolean>>;
  /** Running turns whose lease has ended, the longest first. At most `limit`. */
  readonly abandoned: (limit: number) => Promise<Result<readonly LoggedTurn[]>>;
  /** Erases the conversation's turns at once, also one that runs: its writer finds it lost. Returns how many there were. */
  readonly deleteConversation: (conversationId: string) => Promise<Result<number>>;
  /** Erases the turns of all conversations of the user. Returns how many there were. */
  readonly deleteUser: (userId: string) => Promise<Result<number>>;
  /** Closes what the log opened, but not a client that was passed in. */
  readonly close: () => Promise<Result<void>>;
}
