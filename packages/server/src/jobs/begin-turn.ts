import type { KnownState } from "@jaf/core/internal";
import type { MemoryErrorUnion, Result } from "@jaf/memory";
import {
  createMemoryConflictError,
  type NewTurn,
  type TurnBeginning,
  type TurnWriter,
} from "@jaf/memory/adapter";
import { canBegin, createFailure, createMemoryStorageError } from "@jaf/memory/internal";
import { refusal, storeRefusal } from "../turns/turn-errors.ts";
import type { TurnIds, TurnRefusal } from "../turns/turn-service.ts";
import { type BaseReading, readBase } from "./conversation.ts";
import { type ConversationBase, encodeRequest, type StoredRequest } from "./stored-request.ts";
import type { TurnSettings } from "./turn-options.ts";

export interface TurnStartOptions<Ctx> extends TurnIds {
  // biome-ignore lint/suspicious/noExplicitAny: any context
  readonly settings: TurnSettings<Ctx> | TurnSettings<any>;
  readonly request: Omit<StoredRequest, "base">;
  readonly isDraining: () => boolean;
}

/** A turn that has begun in the log, with this process as its writer. */
export interface BegunTurn {
  readonly writer: TurnWriter;
  readonly base: ConversationBase;
}

/** What a `TurnStart` needs from the lease of its job (`JobLease`). */
interface LeaseHolder {
  /** Returns whether this process holds the lease, because the turn has begun here or was taken over. */
  readonly isHeld: () => boolean;
  /** Called once, as soon as `begin` or `confirmBegun` finds that the turn has begun. */
  readonly onBegun: (turn: BegunTurn) => void;
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

/**
 * Begins a turn in the log: by a write to the log alone (`begin`), or together with the run's first write to the
 * conversation (`beginWith`).
 */
export interface TurnStart {
  /**
   * Begins the turn in the log, unless the turn has begun. `expectedVersion` is the conversation's version that the
   * run has loaded: if the conversation has changed, the turn can't begin. Resolves with `undefined` if the turn has
   * begun, and otherwise with the failure. After a transient failure, `begin` can be repeated.
   */
  readonly begin: (expectedVersion?: number) => Promise<BeginFailure | undefined>;
  /**
   * Prepares the run's first write to the conversation, so that the same write also begins the turn. Returns what the
   * write must add. Returns `undefined` if the write can't begin the turn (e.g. because log and conversations are in
   * different stores). After the write, call `confirmBegun` if the write succeeded, and `begin` if it failed.
   */
  readonly beginWith: (known: KnownState) => TurnBeginning | undefined;
  /**
   * Confirms that the write of `beginWith` has begun the turn. Returns `true` the first time. Returns `false` if
   * `beginWith` prepared no write, or if the turn was already known to have begun.
   */
  readonly confirmBegun: () => boolean;
  /** Waits until a call of `begin` that is in progress has ended. */
  readonly settle: () => Promise<void>;
  /**
   * Returns the failure of `begin` if the turn can never begin, or if the turn may be in the log despite the failure. Otherwise,
   * returns `undefined`.
   */
  readonly refused: () => BeginFailure | undefined;
  /** Makes every later `begin` fail, unless the turn has begun. */
  readonly close: () => void;
}

const conflict = () => createMemoryConflictError("lease", { operation: "begin" });

export function openTurnStart<Ctx>(
  options: TurnStartOptions<Ctx>,
  { isHeld, onBegun }: LeaseHolder,
): TurnStart {
  const { settings, request, conversationId, turnId } = options;
  const { log } = settings;
  let final: BeginFailure | undefined;
  /** The conversation's state that was sent to the log by a `begin` whose answer was lost. */
  let sent: ConversationBase | undefined;
  let doubtful: BeginFailure | undefined;
  /**
   * The turn that the write of `beginWith` is to begin. `undefined` before this write, and once its result is known.
   */
  let offered: BegunTurn | undefined;
  let hasOffered = false;
  let isClosed = false;
  let beginning: Promise<BeginFailure | undefined> | undefined;

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

  function beginWith(known: KnownState): TurnBeginning | undefined {
    const { version, incarnation, nextPosition: position } = known;
    const mayBegin = !isHeld() && final === undefined && !isClosed && !options.isDraining();
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
   * Asks the log whether the write of `beginWith` has begun the turn: if the write failed, perhaps only its answer
   * was lost. Resolves with a failure if the log doesn't answer, and otherwise with `undefined`.
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
    onBegun(turn);
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
      onBegun({ writer: begun.data.writer, base });
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
    if (unsettled !== undefined || isHeld()) return unsettled;
    if (options.isDraining()) {
      final = { refusal: refusal("draining"), error: conflict() };
      return final;
    }
    const read = await currentBase(expectedVersion);
    return "base" in read ? beginInLog(read.base) : read;
  }

  /**
   * Looks into the log after a failed `begin`, because the turn may have begun although the log's answer was lost. If
   * the log can't be read, the turn counts as begun. Returns the failure:
   *
   * - unchanged, if the turn isn't in the log.
   * - marked `isOrphaned`, if the turn may continue: the request is valid, and a process has to take the turn over.
   * - marked `isUnwanted`, if the request is refused (e.g. because the conversation has changed): the turn in the log
   *   has to be stopped.
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
    if (isHeld()) return undefined;
    if (unsettled !== undefined) {
      doubtful = { ...beginFailure, isOrphaned: true };
      if (final !== undefined) final = doubtful;
      return doubtful;
    }
    return beginFailure.isOrphaned === true || sent === undefined ? beginFailure : inDoubt(beginFailure);
  }

  return {
    begin: async (expectedVersion) => {
      if (isHeld() || final !== undefined) return final;
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
    close: () => {
      isClosed = true;
    },
  };
}

const isSameBase = (one: ConversationBase, other: ConversationBase): boolean =>
  one.version === other.version && one.incarnation === other.incarnation && one.position === other.position;

const thrownInto = (): Result<never> =>
  createFailure(createMemoryStorageError("begin", "the turn log threw", { retryable: true }));
