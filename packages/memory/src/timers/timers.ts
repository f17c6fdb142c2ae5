import type { Result } from "../contract/errors.ts";

/** Names a timer. A timer's id is unique in its conversation. */
export interface TimerName {
  readonly conversationId: string;
  /** 1 to 255 UTF-16 units. */
  readonly timerId: string;
}

/** A timer: what is to happen in a conversation, and when. */
export interface Timer extends TimerName {
  /** The user who owns the conversation. The store doesn't check this: the caller must. */
  readonly userId: string;
  /** When the timer is due, exact to the millisecond. From 1970 on. */
  readonly at: Date;
  /** A text that the store doesn't interpret, e.g. a message as JSON. */
  readonly content: string;
}

/**
 * The answer to `set`:
 *
 * - `"set"`: the timer is stored.
 * - `"full"`: the user has `MOST_TIMERS` other timers, so nothing was stored.
 */
export type SetTimer = "set" | "full";

/** Moves a timer to the next time at which it is due. */
export interface TimerStep extends TimerName {
  /** The time at which the timer was due. If the timer is now due at another time, nothing happens. */
  readonly from: Date;
  /** The next time. `null`: the timer is removed. */
  readonly to: Date | null;
}

/** Selects the timers of a user. */
export interface TimerQuery {
  readonly userId: string;
  /** Only timers of this conversation are returned. Default: of all conversations. */
  readonly conversationId?: string;
  /** The maximum number of timers to return. Default 100. */
  readonly limit?: number;
}

/**
 * The durable timers of conversations: reminders, and schedules that are due again and again.
 *
 * - A process asks for the timers that are `due`, makes of each what its `content` says (under a key that is the same for
 *   every process), and then calls `advance`. If it dies in between, another process does the same again.
 * - Every method is atomic for each timer. Whether a timer is due is decided by the store's clock.
 * - Failures are tagged errors in the result. An id that a `MemoryProvider` would refuse, a number out of range, or an
 *   invalid date or one before 1970, is a `MemoryValidationError`.
 * - The order of timers that are due at the same time isn't defined.
 *
 * The kit `describeTimersConformance` of `@jaf/memory/testing` tests all rules of this interface.
 */
export interface Timers {
  /** Stores a timer. Replaces the timer that has the same conversation and id, even if it has another user. */
  readonly set: (timer: Timer) => Promise<Result<SetTimer>>;
  /** Returns at most `limit` timers that are due; the one that has been due longest comes first. Default `limit` 100. */
  readonly due: (limit?: number) => Promise<Result<readonly Timer[]>>;
  /** Moves or removes a timer that was due. Returns `false` if the timer is gone or due at another time than `from`. */
  readonly advance: (step: TimerStep) => Promise<Result<boolean>>;
  /** Returns the timers of a user; the one that is due first comes first. */
  readonly find: (query: TimerQuery) => Promise<Result<readonly Timer[]>>;
  /** Removes a timer. Returns whether there was one. */
  readonly remove: (timer: TimerName) => Promise<Result<boolean>>;
  /** Erases the timers of a conversation. Returns the number of erased timers. */
  readonly deleteConversation: (conversationId: string) => Promise<Result<number>>;
  /** Erases the timers of all of the user's conversations. Returns the number of erased timers. */
  readonly deleteUser: (userId: string) => Promise<Result<number>>;
  /** Closes the clients that the store opened itself, but no client that the application passed to it. */
  readonly close: () => Promise<Result<void>>;
}

/** The maximum number of timers of one user. */
export const MOST_TIMERS = 1_000;
