import { createMemoryStorageError } from "../contract/errors.ts";
import { present } from "../runtime/objects.ts";
import { type BoundedEventQuery, defineTurnLog, TurnConflict } from "./define-turn-log.ts";
import type {
  AppendedEvents,
  BegunTurn,
  EventPage,
  LoggedTurn,
  NewTurn,
  TakenOverTurn,
  TurnLog,
  TurnState,
  TurnWriter,
  WriterAnswer,
} from "./turn-log.ts";

const PROVIDER = "memory";
/** Each `begin` checks this many stored turns and removes those that have expired. */
const LOOKED_AT = 20;

interface Entry {
  readonly conversationId: string;
  readonly userId: string;
  readonly turnId: string;
  /** The number of turns of this log that began before this turn. Lists of turns are sorted by this number. */
  readonly nth: number;
  readonly startedAt: number;
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly texts: string[];
  state: TurnState;
  token: string;
  leaseEndsAt: number;
  stopRequested: boolean;
  request: string;
  record: string | undefined;
  /** The number of events that were appended to the turn. This number stays the same when the events expire. */
  events: number;
  eventsExpireAt: number;
  expiresAt: number;
}

type TurnName = Pick<TurnWriter, "conversationId" | "turnId">;

const toTurn = (entry: Entry): LoggedTurn => ({
  conversationId: entry.conversationId,
  userId: entry.userId,
  turnId: entry.turnId,
  state: entry.state,
  startedAt: new Date(entry.startedAt),
  events: entry.events,
  stopRequested: entry.stopRequested,
  ...present({ record: entry.record }),
});

const byBeginning = (a: Entry, b: Entry): number => b.nth - a.nth;

/** Options of `createInMemoryTurnLog`. */
export interface InMemoryTurnLogOptions {
  /** Returns the current time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Creates a turn log in the memory of this process. It is meant for tests, for development, and for servers that may
 * lose turns in a restart.
 *
 * @example
 * ```ts
 * import { createInMemoryTurnLog } from "@jaf/memory/adapter";
 *
 * const log = createInMemoryTurnLog();
 * const ids = { conversationId: "conv-123", userId: "user-456", turnId: crypto.randomUUID() };
 * const begun = await log.begin({ ...ids, request: "{}", leaseSeconds: 30, keepSeconds: 3_600 });
 * if (begun.success && begun.data.begun) {
 *   await log.append({ writer: begun.data.writer, first: 0, events: ['{"type":"start"}'] });
 * }
 * ```
 */
export function createInMemoryTurnLog({ now = Date.now }: InMemoryTurnLogOptions = {}): TurnLog {
  /** The turns of each conversation: a map from the conversation id to a map from the turn id to the turn. */
  const conversations = new Map<string, Map<string, Entry>>();
  let begun = 0;

  const isThere = ({ expiresAt }: Entry): boolean => expiresAt > now();

  function* all(): Generator<Entry> {
    for (const turns of conversations.values()) yield* turns.values();
  }

  const ofConversation = (conversationId: string): Entry[] =>
    [...(conversations.get(conversationId)?.values() ?? [])].filter(isThere).sort(byBeginning);

  function find({ conversationId, turnId }: TurnName): Entry | undefined {
    const entry = conversations.get(conversationId)?.get(turnId);
    return entry !== undefined && isThere(entry) ? entry : undefined;
  }

  function remove({ conversationId, turnId }: TurnName): void {
    const turns = conversations.get(conversationId);
    turns?.delete(turnId);
    if (turns?.size === 0) conversations.delete(conversationId);
  }

  let sweep = all();

  /** Checks a few turns, and removes expired turns and expired events. */
  function removeExpired(): void {
    // Each call continues with the turn at which the last call stopped. So the cost of `begin` doesn't depend on the
    // number of stored turns.
    for (let looked = 0; looked < LOOKED_AT; looked++) {
      const { value: entry, done } = sweep.next();
      if (done === true) {
        sweep = all();
        return;
      }
      if (entry.eventsExpireAt <= now()) entry.texts.length = 0;
      if (!isThere(entry)) remove(entry);
    }
  }

  function renewLease(entry: Entry): void {
    entry.leaseEndsAt = now() + entry.leaseMs;
    entry.expiresAt = Math.max(entry.leaseEndsAt, now() + entry.keepMs);
    entry.eventsExpireAt = entry.expiresAt;
  }

  const writerOf = ({ conversationId, turnId, token }: Entry): TurnWriter => ({
    conversationId,
    turnId,
    token,
  });

  function begin(turn: NewTurn): BegunTurn {
    const { conversationId, userId, turnId, request, leaseSeconds, keepSeconds } = turn;
    const others = ofConversation(conversationId);
    const running = others.find(({ state }) => state === "running");
    if (running !== undefined) return { begun: false, running: toTurn(running) };
    if (find(turn) !== undefined) throw new TurnConflict("the id is taken");
    removeExpired();
    for (const other of others) other.state = "ended";
    const entry: Entry = {
      conversationId,
      userId,
      turnId,
      nth: begun,
      startedAt: now(),
      leaseMs: 1_000 * leaseSeconds,
      keepMs: 1_000 * keepSeconds,
      texts: [],
      state: "running",
      token: crypto.randomUUID(),
      leaseEndsAt: 0,
      stopRequested: false,
      request,
      record: undefined,
      events: 0,
      eventsExpireAt: 0,
      expiresAt: 0,
    };
    begun += 1;
    renewLease(entry);
    const turns = conversations.get(conversationId) ?? new Map<string, Entry>();
    conversations.set(conversationId, turns.set(turnId, entry));
    return { begun: true, writer: writerOf(entry) };
  }

  function append({ writer, first, events, end }: AppendedEvents): WriterAnswer {
    const entry = find(writer);
    if (entry === undefined || entry.token !== writer.token) return { held: false };
    const { stopRequested } = entry;
    const isRepeat = first + events.length <= entry.events;
    // Only an `append` with `end` stops a running turn. So an `append` to a turn that isn't running can only be a
    // repeat of the call with `end`.
    if (entry.state !== "running")
      return isRepeat && end !== undefined ? { held: true, stopRequested } : { held: false };
    if (first > entry.events) throw new TurnConflict("events are missing");
    const added = events.slice(entry.events - first);
    for (const text of added) entry.texts.push(text);
    entry.events += added.length;
    renewLease(entry);
    if (end !== undefined) {
      entry.state = end.state;
      entry.record = end.record;
      entry.request = "";
      entry.eventsExpireAt = now() + 1_000 * end.eventSeconds;
      entry.expiresAt = now() + 1_000 * end.recordSeconds;
    }
    return { held: true, stopRequested };
  }

  const holds = (writer: TurnWriter): Entry | undefined => {
    const entry = find(writer);
    return entry?.state === "running" && entry.token === writer.token ? entry : undefined;
  };

  function renew(writer: TurnWriter): WriterAnswer {
    const entry = holds(writer);
    if (entry === undefined) return { held: false };
    renewLease(entry);
    return { held: true, stopRequested: entry.stopRequested };
  }

  function takeOver(turn: TurnName): TakenOverTurn | null {
    const entry = find(turn);
    if (entry?.state !== "running" || entry.leaseEndsAt > now()) return null;
    entry.token = crypto.randomUUID();
    renewLease(entry);
    return { writer: writerOf(entry), turn: toTurn(entry), request: entry.request };
  }

  function page({ conversationId, turnId, from, limit }: BoundedEventQuery): EventPage | null {
    const entry = turnId === undefined ? ofConversation(conversationId)[0] : find({ conversationId, turnId });
    if (entry === undefined) return null;
    const events = entry.eventsExpireAt > now() ? entry.texts.slice(from, from + limit) : [];
    return { turn: toTurn(entry), events };
  }

  function erase(entries: readonly Entry[]): number {
    for (const entry of entries) remove(entry);
    return entries.length;
  }

  return defineTurnLog({
    name: PROVIDER,
    begin: async (turn) => begin(turn),
    append: async (events) => append(events),
    renew: async (writer) => renew(writer),
    takeOver: async (turn) => takeOver(turn),
    release: async (writer) => {
      const entry = holds(writer);
      if (entry !== undefined) entry.leaseEndsAt = now();
    },
    read: async (query) => page(query),
    readAll: async (queries) => queries.map(page),
    turnsOf: async (conversationId, limit) => ofConversation(conversationId).slice(0, limit).map(toTurn),
    find: async ({ userId, state }, limit) => {
      const found = [...all()].filter(
        (entry) => isThere(entry) && entry.userId === userId && entry.state === state,
      );
      return found.sort(byBeginning).slice(0, limit).map(toTurn);
    },
    requestStop: async (turn) => {
      const entry = find(turn);
      if (entry?.state !== "running") return false;
      entry.stopRequested = true;
      return true;
    },
    abandoned: async (limit) => {
      const left = [...all()].filter(
        (entry) => isThere(entry) && entry.state === "running" && entry.leaseEndsAt <= now(),
      );
      const longest = left.sort((a, b) => a.leaseEndsAt - b.leaseEndsAt);
      return longest.slice(0, limit).map(toTurn);
    },
    deleteConversation: async (conversationId) => erase(ofConversation(conversationId)),
    deleteUser: async (userId) =>
      erase([...all()].filter((entry) => isThere(entry) && entry.userId === userId)),
    close: async () => {},
    toMemoryError: (operation, cause) =>
      createMemoryStorageError(operation, "the in-memory log failed unexpectedly", {
        provider: PROVIDER,
        cause,
      }),
  });
}
