import { guardCalls, type Issue, limitIssue, textIssue } from "../backend/guard-calls.ts";
import {
  createFailure,
  createMemoryConflictError,
  createMemoryValidationError,
  createSuccess,
  type MemoryErrorUnion,
  type Result,
} from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type {
  AppendedEvents,
  EventPage,
  EventQuery,
  NewTurn,
  TurnBeginning,
  TurnEnding,
  TurnLog,
  TurnQuery,
  TurnWriter,
} from "./turn-log.ts";

const MOST = Number.MAX_SAFE_INTEGER;
// Every store can represent a time in a hundred years.
/** The maximum value of every duration in seconds: a hundred years. */
const LONGEST_SECONDS = 3_153_600_000;
/** The default of `EventQuery.limit`, the maximum number of events in an answer. */
const MOST_EVENTS = 1_000;

function wholeNumber(
  path: string,
  value: unknown,
  { from, to = MOST }: { from: number; to?: number },
): Issue {
  if (Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to) return undefined;
  return {
    path,
    expected: to === MOST ? `a whole number from ${from}` : `a whole number from ${from} to ${to}`,
  };
}

const seconds = (path: string, value: unknown): Issue =>
  wholeNumber(path, value, { from: 1, to: LONGEST_SECONDS });

const turnIssues = ({ conversationId, turnId }: Pick<TurnWriter, "conversationId" | "turnId">): Issue[] => [
  idIssue("conversationId", conversationId),
  idIssue("turnId", turnId),
];

const writerIssues = (writer: TurnWriter): Issue[] => [...turnIssues(writer), idIssue("token", writer.token)];

function newTurnIssues(turn: NewTurn): Issue[] {
  const { leaseSeconds } = turn;
  const hasLease = typeof leaseSeconds === "number" && leaseSeconds >= 1 && leaseSeconds <= LONGEST_SECONDS;
  return [
    ...turnIssues(turn),
    idIssue("userId", turn.userId),
    textIssue("request", turn.request),
    hasLease ? undefined : { path: "leaseSeconds", expected: "a number from 1" },
    seconds("keepSeconds", turn.keepSeconds),
  ];
}

function endingIssues({ state, record, eventSeconds, recordSeconds }: TurnEnding): Issue[] {
  return [
    state === "waiting" || state === "ended"
      ? undefined
      : { path: "end.state", expected: '"waiting" or "ended"' },
    textIssue("end.record", record),
    seconds("end.eventSeconds", eventSeconds),
    seconds("end.recordSeconds", recordSeconds) ??
      (recordSeconds < eventSeconds
        ? { path: "end.recordSeconds", expected: "at least end.eventSeconds" }
        : undefined),
  ];
}

function appendIssues({ writer, first, events, end }: AppendedEvents): Issue[] {
  if (!Array.isArray(events)) return [{ path: "events", expected: "an array of strings" }];
  const isEmpty = events.length === 0 && end === undefined;
  return [
    ...writerIssues(writer),
    wholeNumber("first", first, { from: 0 }),
    isEmpty ? { path: "events", expected: "at least one, or an end" } : undefined,
    ...events.map((event, at) => textIssue(`events[${at}]`, event)),
    ...(end === undefined ? [] : endingIssues(end)),
  ];
}

const queryIssues = ({ conversationId, turnId, from = 0, limit = 1 }: EventQuery): Issue[] => [
  idIssue("conversationId", conversationId),
  turnId === undefined ? undefined : idIssue("turnId", turnId),
  wholeNumber("from", from, { from: 0 }),
  limitIssue(limit),
];

const findIssues = ({ userId, state }: TurnQuery): Issue[] => [
  idIssue("userId", userId),
  state === "running" || state === "waiting"
    ? undefined
    : { path: "state", expected: '"running" or "waiting"' },
];

/**
 * Thrown by a backend if a call contradicts the stored turns. The {@link TurnLog} converts it into a
 * `MemoryConflictError`. There are two cases:
 *
 * - `append` begins after the turn's next event, so that events would be missing.
 * - `begin` has a turn id that the conversation already has.
 */
export class TurnConflict extends Error {
  override readonly name = "TurnConflict";
}

type Plain<Method> = Method extends (...args: infer Arguments) => Promise<Result<infer Data>>
  ? (...args: Required<Arguments>) => Promise<Data>
  : never;

/** An event query in which `from` and `limit` are always present. */
export interface BoundedEventQuery extends EventQuery {
  readonly from: number;
  readonly limit: number;
}

/** The methods of {@link TurnLog} that a backend doesn't implement, or implements with other parameters. */
type Queries = "read" | "readAll" | "beginning";

type PlainMethods = {
  readonly [Method in Exclude<keyof TurnLog, Queries>]: Plain<TurnLog[Method]>;
};

/**
 * The storage port of a turn log, for {@link defineTurnLog}. The methods are those of {@link TurnLog}, with three
 * differences:
 *
 * - The arguments are already validated, and optional arguments are present.
 * - The methods return the data itself instead of a `Result`.
 * - The methods throw if they fail. They throw {@link TurnConflict} for a conflict. `toMemoryError` converts any other
 *   error into a tagged error.
 */
export interface TurnLogBackend extends PlainMethods {
  /** The store's name in errors (e.g. `"postgres"`). */
  readonly name: string;
  /** The storage of the log: see {@link TurnBeginning.place}. Absent: no write to a conversation can begin a turn. */
  readonly place?: object;
  /** Returns a turn and the selected events. Returns `null` if the turn doesn't exist or has expired. */
  readonly read: (query: BoundedEventQuery) => Promise<EventPage | null>;
  /** Runs several queries. Returns one answer for each query, in the order of the queries. */
  readonly readAll: (queries: readonly BoundedEventQuery[]) => Promise<readonly (EventPage | null)[]>;
  /** Converts an error that a method threw into a tagged error. `operation` is the name of the method. */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

const bounded = (query: EventQuery): BoundedEventQuery => ({
  ...query,
  from: query.from ?? 0,
  limit: query.limit ?? MOST_EVENTS,
});

/**
 * Makes a {@link TurnLog} from a backend. The turn log refuses invalid arguments, and calls after `close`. It calls the
 * backend's `close` only once. It converts errors that the backend throws into tagged errors.
 *
 * @example
 * ```ts
 * import { defineTurnLog, type TurnLogBackend } from "@jaf/memory/adapter";
 *
 * declare function openMyTurnBackend(url: string): TurnLogBackend;
 *
 * export const createMyTurnLog = (url: string) => defineTurnLog(openMyTurnBackend(url));
 * ```
 */
export function defineTurnLog(backend: TurnLogBackend): TurnLog {
  const provider = backend.name;
  const { call, close } = guardCalls({
    name: provider,
    what: "turn log",
    toMemoryError: (operation, thrown) =>
      thrown instanceof TurnConflict
        ? createMemoryConflictError("lease", { provider, operation })
        : backend.toMemoryError(operation, thrown),
  });

  function beginningIn(place: object) {
    return function beginning(this: unknown, turn: NewTurn): Result<TurnBeginning> {
      const found = newTurnIssues(turn).filter((issue) => issue !== undefined);
      // A copy with its own `begin`, e.g. one that encrypts requests, must get its turns by `begin`.
      if (this !== log) found.push({ path: "this", expected: "the turn log itself, and not a copy" });
      if (found.length > 0)
        return createFailure(createMemoryValidationError(found, { provider, operation: "beginning" }));
      const { conversationId, turnId } = turn;
      const writer = { conversationId, turnId, token: crypto.randomUUID() };
      return createSuccess({ turn, writer, place });
    };
  }

  const log = Object.freeze<TurnLog>({
    ...(backend.place && { beginning: beginningIn(backend.place) }),
    begin: (turn) => call("begin", newTurnIssues(turn), () => backend.begin(turn)),
    append: (events) => call("append", appendIssues(events), () => backend.append(events)),
    renew: (writer) => call("renew", writerIssues(writer), () => backend.renew(writer)),
    takeOver: (turn) => call("takeOver", turnIssues(turn), () => backend.takeOver(turn)),
    release: (writer) => call("release", writerIssues(writer), () => backend.release(writer)),
    read: (query) => call("read", queryIssues(query), () => backend.read(bounded(query))),
    readAll: (queries) =>
      call("readAll", queries.flatMap(queryIssues), () => backend.readAll(queries.map(bounded))),
    turnsOf: (conversationId, limit = 100) =>
      call("turnsOf", [idIssue("conversationId", conversationId), limitIssue(limit)], () =>
        backend.turnsOf(conversationId, limit),
      ),
    find: (query, limit = 100) =>
      call("find", [...findIssues(query), limitIssue(limit)], () => backend.find(query, limit)),
    requestStop: (turn) => call("requestStop", turnIssues(turn), () => backend.requestStop(turn)),
    abandoned: (limit = 100) => call("abandoned", [limitIssue(limit)], () => backend.abandoned(limit)),
    deleteConversation: (conversationId) =>
      call("deleteConversation", [idIssue("conversationId", conversationId)], () =>
        backend.deleteConversation(conversationId),
      ),
    deleteUser: (userId) => call("deleteUser", [idIssue("userId", userId)], () => backend.deleteUser(userId)),
    close: () => close(() => backend.close()),
  });
  return log;
}
