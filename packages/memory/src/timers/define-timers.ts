import { dateIssue, guardCalls, limitIssue, textIssue } from "../backend/guard-calls.ts";
import type { MemoryErrorUnion } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { SetTimer, Timer, TimerName, TimerStep, Timers } from "./timers.ts";

const DEFAULT_LIMIT = 100;

/** A query in which `limit` is always present. */
export interface BoundedTimerQuery {
  readonly userId: string;
  /** Only timers of this conversation. `undefined`: of all conversations. */
  readonly conversationId: string | undefined;
  readonly limit: number;
}

/**
 * The storage port of timers, for {@link defineTimers}. The methods are those of {@link Timers}, with three differences:
 *
 * - The arguments are already validated, and optional arguments are present.
 * - The methods return the data itself instead of a `Result`.
 * - The methods throw if they fail. `toMemoryError` converts what they threw into a tagged error.
 */
export interface TimersBackend {
  /** The store's name in errors (e.g. `"postgres"`). */
  readonly name: string;
  readonly set: (timer: Timer) => Promise<SetTimer>;
  readonly due: (limit: number) => Promise<readonly Timer[]>;
  readonly advance: (step: TimerStep) => Promise<boolean>;
  readonly find: (query: BoundedTimerQuery) => Promise<readonly Timer[]>;
  readonly remove: (timer: TimerName) => Promise<boolean>;
  readonly deleteConversation: (conversationId: string) => Promise<number>;
  readonly deleteUser: (userId: string) => Promise<number>;
  readonly close: () => Promise<void>;
  /** Converts an error that a method threw into a tagged error. `operation` is the name of the method. */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

const nameIssues = ({ conversationId, timerId }: TimerName) => [
  idIssue("conversationId", conversationId),
  idIssue("timerId", timerId),
];

/**
 * Makes {@link Timers} from a backend. They refuse invalid arguments, and calls after `close`. They convert errors that
 * the backend throws into tagged errors.
 *
 * @example
 * ```ts
 * import { defineTimers, type TimersBackend } from "@jaf/memory/adapter";
 *
 * declare function openMyTimersBackend(url: string): TimersBackend;
 *
 * export const createMyTimers = (url: string) => defineTimers(openMyTimersBackend(url));
 * ```
 */
export function defineTimers(backend: TimersBackend): Timers {
  const { call, close } = guardCalls({
    name: backend.name,
    what: "store of timers",
    toMemoryError: (operation, thrown) => backend.toMemoryError(operation, thrown),
  });
  return Object.freeze<Timers>({
    set: ({ conversationId, timerId, userId, at, content }) =>
      call(
        "set",
        [
          ...nameIssues({ conversationId, timerId }),
          idIssue("userId", userId),
          dateIssue("at", at),
          textIssue("content", content),
        ],
        () => backend.set({ conversationId, timerId, userId, at, content }),
      ),
    due: (limit = DEFAULT_LIMIT) => call("due", [limitIssue(limit)], () => backend.due(limit)),
    advance: ({ conversationId, timerId, from, to }) =>
      call(
        "advance",
        [
          ...nameIssues({ conversationId, timerId }),
          dateIssue("from", from),
          to === null ? undefined : dateIssue("to", to),
        ],
        () => backend.advance({ conversationId, timerId, from, to }),
      ),
    find: ({ userId, conversationId, limit = DEFAULT_LIMIT }) =>
      call(
        "find",
        [
          idIssue("userId", userId),
          conversationId === undefined ? undefined : idIssue("conversationId", conversationId),
          limitIssue(limit),
        ],
        () => backend.find({ userId, conversationId, limit }),
      ),
    remove: ({ conversationId, timerId }) =>
      call("remove", nameIssues({ conversationId, timerId }), () =>
        backend.remove({ conversationId, timerId }),
      ),
    deleteConversation: (conversationId) =>
      call("deleteConversation", [idIssue("conversationId", conversationId)], () =>
        backend.deleteConversation(conversationId),
      ),
    deleteUser: (userId) => call("deleteUser", [idIssue("userId", userId)], () => backend.deleteUser(userId)),
    close: () => close(() => backend.close()),
  });
}
