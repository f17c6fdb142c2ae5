import type { KnownState } from "@jaf/core/internal";
import type { MemoryErrorUnion, Result } from "@jaf/memory";
import {
  createMemoryConflictError,
  type NewTurn,
  type TurnBeginning,
  type TurnEnding,
  type TurnWriter,
} from "@jaf/memory/adapter";
import { canBegin, createFailure, createMemoryStorageError } from "@jaf/memory/internal";
import { createEventWriter, type EventWriter } from "../turns/event-writer.ts";
import { createRecentEvents, type RecentEvents } from "../turns/recent-events.ts";
import { refusal, storeRefusal } from "../turns/turn-errors.ts";
import { encodeEvent, type TurnEvent } from "../turns/turn-event.ts";
import type { TurnIds, TurnRefusal } from "../turns/turn-service.ts";
import { type BaseReading, readBase } from "./conversation.ts";
import type { TurnSettings } from "./options.ts";
import {
  type ConversationBase,
  encodeRequest,
  type StoredRequest,
  userMessagesOf,
} from "./stored-request.ts";

export interface JobLeaseOptions<Ctx> extends TurnIds {
  // biome-ignore lint/suspicious/noExplicitAny: any context
  readonly settings: TurnSettings<Ctx> | TurnSettings<any>;
  readonly request: Omit<StoredRequest, "base">;
  readonly isDraining: () => boolean;
  readonly onStop: () => void;
  readonly onLost: () => void;
}

/** Why a turn couldn't begin in the log. */
export interface BeginFailure {
  readonly refusal: TurnRefusal;
  readonly error: MemoryErrorUnion;
  /**
   * The turn is or may be in the log, but this process isn't its writer, e.g. because the log's answer was lost. A process has to
   * take the turn over.
   */
  readonly isOrphaned?: true;
  /** The turn may be in the log, although its request is refused. The caller has to stop the turn in the log. */
  readonly isUnwanted?: true;
}

export interface HeldLease {
  readonly writer: TurnWriter;
  /** Number of the first event that this process writes. */
  readonly first: number;
  readonly base: ConversationBase;
}

/** A job's lease of its turn in the log. The object exists before the turn begins, and keeps events until the turn begins. */
export interface JobLease {
  /** Returns the latest events that this process has stored, or `undefined` if the turn hasn't begun. */
  readonly recentEvents: () => RecentEvents | undefined;
  readonly base: () => ConversationBase | undefined;
  /**
   * Begins the turn in the log, unless the turn has begun. `expectedVersion` is the conversation's version that the run has loaded.
   * Resolves with `undefined` if the turn has begun, and otherwise with the failure. After a transient failure, `begin` can be
   * repeated.
   */
  readonly begin: (expectedVersion?: number) => Promise<BeginFailure | undefined>;
  /**
   * Returns the turn that the run's first write is to begin. After the call, call `confirmBegun` if the write succeeds, and
   * `begin` if the write fails. Returns `undefined` if the write can't begin the turn (e.g. because log and conversations are
   * in different stores).
   */
  readonly beginWith: (known: KnownState) => TurnBeginning | undefined;
  /**
   * Confirms that the write of `beginWith` has begun the turn. Returns `false` if there was no such write, or if the turn is
   * known to have begun.
   */
  readonly confirmBegun: () => boolean;
  /** Waits until a call of `begin` that is in progress has ended. */
  readonly settle: () => Promise<void>;
  /**
   * Returns the failure of `begin` if the turn can never begin, or if the turn may be in the log despite the failure. Otherwise,
   * returns `undefined`.
   */
  readonly refused: () => BeginFailure | undefined;
  /**
   * Uses a lease that this process has taken over, so that no `begin` is needed. Events are stored early from now on, because
   * readers in any process can wait for them.
   */
  readonly hold: (held: HeldLease) => void;
  /** Adds an event to the turn. Until the turn begins, events are kept in memory. */
  readonly push: (event: TurnEvent) => void;
  readonly flush: () => Promise<boolean>;
  readonly end: (last: TurnEvent, ending: TurnEnding) => Promise<boolean>;
  /** Stores all added events, then releases the lease, so that another process can take over the turn. */
  readonly release: () => Promise<void>;
  /** Stops storing events, and makes every later `begin` fail. */
  readonly close: () => void;
}

/** A turn that a write to its conversation begins. */
interface OfferedTurn {
  readonly writer: TurnWriter;
  readonly base: ConversationBase;
}

const conflict = () => createMemoryConflictError("lease", { operation: "begin" });

export function openJobLease<Ctx>(options: JobLeaseOptions<Ctx>): JobLease {
  const { settings, request, conversationId, turnId } = options;
  const { log } = settings;
  let events: EventWriter | undefined;
  let recent: RecentEvents | undefined;
  let base: ConversationBase | undefined;
  let writer: TurnWriter | undefined;
  let waiting: TurnEvent[] = [];
  let final: BeginFailure | undefined;
  /** The conversation's state that was sent to the log by a `begin` whose answer was lost. */
  let sent: ConversationBase | undefined;
  let doubtful: BeginFailure | undefined;
  /** The turn that a write begins, until its result is known. */
  let offered: OfferedTurn | undefined;
  let hasOffered = false;
  let isClosed = false;
  let beginning: Promise<BeginFailure | undefined> | undefined;

  function hold(held: HeldLease): void {
    const ring = createRecentEvents(held.first, () => stored.storeEarly());
    base = held.base;
    writer = held.writer;
    recent = ring;
    const stored = createEventWriter({
      ...{ log, writer, first: held.first },
      gatherMs: settings.gatherMs,
      heartbeatMs: settings.heartbeatMs,
      leaseMs: settings.leaseSeconds * 1_000,
      onStored: ring.add,
      onStop: options.onStop,
      onLost: () => {
        ring.close();
        options.onLost();
      },
    });
    events = stored;
    const early = waiting;
    waiting = [];
    for (const event of early) stored.push(event);
  }

  async function currentBase(expectedVersion: number | undefined): Promise<BaseReading> {
    const read = await readBase(settings.provider, conversationId, request.edit);
    if (!("base" in read)) return read;
    const isSame = expectedVersion === undefined || read.base.version === expectedVersion;
    // A turn that the log may have continues from the base that was sent.
    if (isSame && (sent === undefined || isSameBase(sent, read.base))) return read;
    const changed = createMemoryConflictError("version", { operation: "begin" });
    return { refusal: refusal("changed"), error: changed };
  }

  const newTurn = (base: ConversationBase): NewTurn => ({
    ...{ conversationId, userId: request.identity.userId, turnId },
    request: encodeRequest({ ...request, base }),
    leaseSeconds: settings.leaseSeconds,
    keepSeconds: settings.keepSeconds,
  });

  function began({ writer, base }: OfferedTurn): void {
    const position = base.position + (userMessagesOf(request.input)?.length ?? 0);
    const { agentName } = request;
    const start: TurnEvent = { type: "turn_start", turnId, conversationId, position, agentName };
    waiting.unshift(start);
    hold({ writer, first: 0, base });
    // Follows from the stored request: a process that takes over stores the same event, so readers needn't wait.
    recent?.add(0, [encodeEvent(start)]);
  }

  function beginWith(known: KnownState): TurnBeginning | undefined {
    const { version, incarnation, nextPosition: position } = known;
    const mayBegin = events === undefined && final === undefined && !isClosed && !options.isDraining();
    // The first write of an edit expects what only its provider knows.
    if (!mayBegin || hasOffered || beginning !== undefined || request.edit !== undefined) return undefined;
    // Version 0: the conversation is missing, which `begin` refuses.
    if (!version || incarnation === undefined || position === undefined) return undefined;
    const base = { position, version, incarnation };
    const prepared = log.beginning?.(newTurn(base));
    if (prepared?.success !== true || !canBegin(settings.provider, prepared.data)) return undefined;
    hasOffered = true;
    offered = { base, writer: prepared.data.writer };
    return prepared.data;
  }

  /**
   * Finds out whether the write of `beginWith` has begun the turn: a write that failed may have lost only its answer. Resolves
   * with a failure if the log doesn't answer.
   */
  async function settleOffered(): Promise<BeginFailure | undefined> {
    if (offered === undefined) return undefined;
    const answer = await log.renew(offered.writer).catch(thrownInto);
    if (!answer.success) return { refusal: storeRefusal(answer.error), error: answer.error };
    if (answer.data.held) confirmBegun();
    return undefined;
  }

  function confirmBegun(): boolean {
    const turn = offered;
    offered = undefined;
    if (turn === undefined || isClosed) return false;
    final = undefined;
    doubtful = undefined;
    began(turn);
    return true;
  }

  async function beginInLog(base: ConversationBase): Promise<BeginFailure | undefined> {
    const begun = await log.begin(newTurn(base)).catch(thrownInto);
    if (!begun.success) {
      const { _tag: tag } = begun.error;
      if (tag !== "MemoryValidationError" && tag !== "MemoryConflictError") sent ??= base;
      return { refusal: storeRefusal(begun.error), error: begun.error };
    }
    if (begun.data.begun) {
      offered = undefined;
      began({ writer: begun.data.writer, base });
      return undefined;
    }
    const { turnId: running } = begun.data.running;
    final = { refusal: refusal("running", { turnId: running }), error: conflict() };
    // The answer to an earlier begin was lost, so its token is unknown. A named turn may also be another process's.
    if (running === turnId) final = { ...final, isOrphaned: true };
    return final;
  }

  async function attempt(expectedVersion: number | undefined): Promise<BeginFailure | undefined> {
    const unsettled = await settleOffered();
    if (unsettled !== undefined || events !== undefined) return unsettled;
    if (options.isDraining()) {
      final = { refusal: refusal("draining"), error: conflict() };
      return final;
    }
    const read = await currentBase(expectedVersion);
    return "base" in read ? beginInLog(read.base) : read;
  }

  /**
   * Looks into the log after a failed `begin` that may have begun the turn. If the turn is or may be in the log, marks the
   * failure: the turn continues (`isOrphaned`), or the turn has to be stopped in the log (`isUnwanted`).
   */
  async function inDoubt(beginFailure: BeginFailure): Promise<BeginFailure> {
    const read = await log.read({ conversationId, turnId, limit: 1 }).catch(thrownInto);
    if (read.success && read.data === null) {
      sent = undefined;
      doubtful = undefined;
      return beginFailure;
    }
    const { reason } = beginFailure.refusal;
    const goesOn = reason === "store" || reason === "draining" || reason === "running";
    doubtful = { ...beginFailure, ...(goesOn ? { isOrphaned: true } : { isUnwanted: true }) };
    // Final if the turn is known to be in the log.
    if (read.success || !goesOn || final !== undefined) final = doubtful;
    return doubtful;
  }

  async function beginOnce(expectedVersion: number | undefined): Promise<BeginFailure | undefined> {
    doubtful = undefined;
    const beginFailure = await attempt(expectedVersion);
    if (beginFailure === undefined) return undefined;
    // The write of `beginWith` may have reached the store after the attempt had asked the log.
    const unsettled = await settleOffered();
    if (events !== undefined) return undefined;
    if (unsettled !== undefined) {
      doubtful = { ...beginFailure, isOrphaned: true };
      if (final !== undefined) final = doubtful;
      return doubtful;
    }
    return beginFailure.isOrphaned === true || sent === undefined ? beginFailure : inDoubt(beginFailure);
  }

  return {
    recentEvents: () => recent,
    base: () => base,
    begin: async (expectedVersion) => {
      if (events !== undefined || final !== undefined) return final;
      if (isClosed) return doubtful ?? { refusal: refusal("store", { retryable: true }), error: conflict() };
      beginning ??= beginOnce(expectedVersion).finally(() => {
        beginning = undefined;
      });
      return beginning;
    },
    beginWith,
    confirmBegun,
    settle: async () => {
      await beginning?.catch(() => {});
    },
    refused: () => final ?? doubtful,
    hold: (held) => {
      hold(held);
      events?.storeEarly();
    },
    push: (event) => {
      if (events === undefined) waiting.push(event);
      else events.push(event);
    },
    flush: async () => (await events?.flush()) ?? false,
    end: async (last, ending) => {
      const ended = (await events?.end(last, ending)) ?? false;
      recent?.close();
      return ended;
    },
    release: async () => {
      await events?.flush();
      events?.close();
      recent?.close();
      if (writer !== undefined) await log.release(writer);
    },
    close: () => {
      isClosed = true;
      events?.close();
      recent?.close();
    },
  };
}

const isSameBase = (one: ConversationBase, other: ConversationBase): boolean =>
  one.version === other.version && one.incarnation === other.incarnation && one.position === other.position;

const thrownInto = (): Result<never> =>
  createFailure(createMemoryStorageError("begin", "the turn log threw", { retryable: true }));
