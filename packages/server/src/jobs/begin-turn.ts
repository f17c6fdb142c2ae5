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

/** What `openTurnStart` gets from the job's lease (`JobLease`). */
interface LeaseHolder {
  /** Returns whether this process holds the turn's lease. */
  readonly isHeld: () => boolean;
  /** Called once, when `begin` or `confirmBegun` finds that the turn has begun in the log. */
  readonly onBegun: (turn: BegunTurn) => void;
}

/** Why a turn couldn't begin in the log. */
export interface BeginFailure {
  readonly refusal: TurnRefusal;
  readonly error: MemoryErrorUnion;
  /** Set if the turn may be in the log without this process as its writer: the caller must have the turn taken over. */
  readonly isOrphaned?: true;
  /** Set if the turn may be in the log although its request is refused: the caller must stop the turn in the log. */
  readonly isUnwanted?: true;
}

/** The version and the incarnation that the conversation must have. `undefined` or absent: any. */
export type ExpectedState = Partial<Pick<KnownState, "version" | "incarnation">>;

/**
 * Begins a turn in the log in one of two ways:
 *
 * - `begin`: by a write to the log alone.
 * - `beginWith`: together with the run's first write to the conversation.
 */
export interface TurnStart {
  /**
   * Begins the turn in the log; does nothing if it has already begun. Resolves with `undefined` in both cases. Resolves
   * with the failure if the turn couldn't begin, e.g. because the conversation isn't in the state `expected`.
   */
  readonly begin: (expected?: ExpectedState) => Promise<BeginFailure | undefined>;
  /**
   * Returns what the run's first write to the conversation must add to begin the turn. Returns `undefined` if this
   * write can't begin the turn. If the write succeeds, call `confirmBegun`. If it fails, call `begin`.
   */
  readonly beginWith: (known: KnownState) => TurnBeginning | undefined;
  /**
   * Call `confirmBegun` once the write that `beginWith` prepared has succeeded. Returns `true` if this call is the
   * first to find that the turn has begun.
   */
  readonly confirmBegun: () => boolean;
  /** Waits until a running call of `begin` has ended. */
  readonly settle: () => Promise<void>;
  /**
   * Returns the failure of `begin` if the turn can never begin, or may be in the log despite the failure. Otherwise,
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
  /** Version, incarnation and position that the log got in the first `begin` whose answer was lost. */
  let sent: ConversationBase | undefined;
  let doubtful: BeginFailure | undefined;
  /** The turn that the write of `beginWith` begins, while the result of this write is unknown. */
  let offered: BegunTurn | undefined;
  /** When the call was sent that began the turn of `offered`, or that last asked the log for it. */
  let offeredAt = 0;
  let hasOffered = false;
  let isClosed = false;
  let beginning: Promise<BeginFailure | undefined> | undefined;

  async function currentBase({ version, incarnation }: ExpectedState): Promise<BaseReading> {
    const read = await readBase(settings.provider, conversationId, request.edit);
    if (!("base" in read)) return read;
    const isSame =
      (version === undefined || read.base.version === version) &&
      (incarnation === undefined || read.base.incarnation === incarnation);
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
    // `undefined`, e.g. if the log and the conversations are in different stores.
    const prepared = log.beginning?.(newTurn(base));
    if (prepared?.success !== true || !canBegin(settings.provider, prepared.data)) return undefined;
    hasOffered = true;
    offeredAt = performance.now();
    offered = { base, writer: prepared.data.writer };
    return prepared.data;
  }

  /**
   * Asks the log whether the write of `beginWith` has begun the turn. Resolves with a failure if the log doesn't
   * answer, and otherwise with `undefined`.
   */
  async function settleOffered(): Promise<BeginFailure | undefined> {
    if (offered === undefined) return undefined;
    // A failed write may have been stored, with only its answer lost.
    offeredAt = performance.now();
    const answer = await log.renew(offered.writer).catch(thrownInto);
    if (!answer.success) return { refusal: storeRefusal(answer.error), error: answer.error };
    if (answer.data.held) confirmBegun();
    return undefined;
  }

  function confirmBegun(): boolean {
    const turn = offered;
    // After such a long call another process may have taken the turn over: `begin` asks the log.
    const isLate = performance.now() - offeredAt >= settings.leaseSeconds * 1_000;
    if (turn === undefined || isLate) return false;
    offered = undefined;
    if (isClosed) return false;
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

  async function attempt(expected: ExpectedState): Promise<BeginFailure | undefined> {
    const unsettled = await settleOffered();
    if (unsettled !== undefined || isHeld()) return unsettled;
    if (options.isDraining()) {
      final = { refusal: refusal("draining"), error: conflict() };
      return final;
    }
    const read = await currentBase(expected);
    return "base" in read ? beginInLog(read.base) : read;
  }

  /**
   * Checks whether the log has the turn despite a failed `begin`. Returns the failure, marked as `isOrphaned` or
   * `isUnwanted` unless the log certainly lacks the turn.
   */
  async function inDoubt(beginFailure: BeginFailure): Promise<BeginFailure> {
    const read = await log.read({ conversationId, turnId, limit: 1 }).catch(thrownInto);
    if (read.success && read.data === null) {
      sent = undefined;
      doubtful = undefined;
      return beginFailure;
    }
    const { reason } = beginFailure.refusal;
    // The write of `beginWith` is in place, or the turn has even ended elsewhere.
    const isWritten = sent === undefined;
    if (isWritten && !read.success) return beginFailure;
    // These reasons don't make the request invalid, so another process may continue the turn.
    const goesOn = isWritten || reason === "store" || reason === "draining" || reason === "running";
    doubtful = { ...beginFailure, ...(goesOn ? { isOrphaned: true } : { isUnwanted: true }) };
    // Final if the turn is known to be in the log.
    if (read.success || !goesOn || final !== undefined) final = doubtful;
    return doubtful;
  }

  async function beginOnce(expected: ExpectedState): Promise<BeginFailure | undefined> {
    doubtful = undefined;
    const beginFailure = await attempt(expected);
    if (beginFailure === undefined) return undefined;
    // The write of `beginWith` may have reached the store after the attempt had asked the log.
    const unsettled = await settleOffered();
    if (isHeld()) return undefined;
    if (unsettled !== undefined) {
      doubtful = { ...beginFailure, isOrphaned: true };
      if (final !== undefined) final = doubtful;
      return doubtful;
    }
    const isInDoubt = sent !== undefined || offered !== undefined;
    return beginFailure.isOrphaned === true || !isInDoubt ? beginFailure : inDoubt(beginFailure);
  }

  return {
    begin: async (expected = {}) => {
      if (isHeld() || final !== undefined) return final;
      if (isClosed) return doubtful ?? { refusal: refusal("store", { retryable: true }), error: conflict() };
      beginning ??= beginOnce(expected).finally(() => {
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
