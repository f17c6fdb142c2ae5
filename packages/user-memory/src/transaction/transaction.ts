import { backoffDelayMs } from "@jaf/memory/adapter";
import type { Audit, AuditChain } from "../audit.ts";
import type {
  FactSelection,
  StoredFact,
  UserChange,
  UserKey,
  UserMemoryBackend,
  UserSnapshot,
} from "../backend.ts";
import { busyError, erasedError, UserMemoryError } from "../errors.ts";
import { isFactId } from "../facts/facts.ts";
import { type Digests, digestsOf } from "../facts/tombstones.ts";
import type { UserMemoryLimits, UserMemorySettings } from "../options.ts";
import { type Draft, openDraft } from "./draft.ts";
import { type HeadState, readState } from "./head-state.ts";
import type { SharedHeads } from "./shared-heads.ts";
import { openWriteTurns } from "./write-turns.ts";

/** The objects that all operations of a store (e.g. `remember`) use. */
export interface StoreScope {
  readonly transactions: Transactions;
  readonly audit: Audit;
  readonly settings: UserMemorySettings;
  readonly heads: SharedHeads;
  /** Registers background work, so that `drain` waits for it. */
  readonly track: (work: Promise<unknown>) => void;
}

/** Calls the backend, and runs transactions on a user's facts. Errors of the backend become `UserMemoryError`s. */
export interface Transactions {
  readonly backend: UserMemoryBackend;
  /**
   * Runs an action that calls the backend and returns the action's result. If the action fails, rejects with a
   * `UserMemoryError` that names `operation`.
   */
  readonly callBackend: <T>(operation: string, action: () => Promise<T>) => Promise<T>;
  /**
   * Runs a transaction on a user's facts. If `forgetAll` of the same store object begins meanwhile, later writes of the
   * transaction are refused.
   */
  readonly run: <T>(user: UserKey, action: (transaction: Transaction) => Promise<T>) => Promise<T>;
  /**
   * Makes all running transactions of a user reject at their next `write`. Call it before you erase the user's memory.
   */
  readonly interrupt: (user: UserKey) => void;
}

/** A running transaction on a user's facts. */
interface Transaction {
  /**
   * Reads the user's head record and the selected facts, before the transaction waits for e.g. `embed`. If the user's
   * memory is erased after `begin`, writes of the transaction are refused.
   */
  readonly begin: (selection?: Write<unknown>["selection"]) => Promise<UserSnapshot>;
  /**
   * Reads the selected facts, calls `decide`, writes the change and returns the result of `decide`. Starts again if
   * another write changed the user's data after the read.
   */
  readonly write: <T>(write: Write<T>) => Promise<T>;
}

/** A write of a transaction: the facts that it reads, and the function that decides what to write. */
export interface Write<T> {
  readonly operation: string;
  readonly selection: FactSelection & { readonly tombstones?: readonly string[] };
  /** An erasure mark. If the user's memory was erased after the mark was taken, the write is refused. */
  readonly since?: number | undefined;
  /**
   * Decides what to write, or which other facts to read first. It is called again for each attempt and after such a
   * read. To refuse the write, it throws a `UserMemoryError`.
   */
  readonly decide: (scope: WriteScope) => WriteDecision<T> | ReadMore;
}

/**
 * What the function {@link Write.decide} gets: the facts that were read, a draft of the change, and the store's limits.
 */
export interface WriteScope {
  readonly snapshot: UserSnapshot;
  readonly state: HeadState;
  readonly draft: Draft;
  readonly limits: UserMemoryLimits;
  readonly now: number;
}

/**
 * What the function {@link Write.decide} returns: the result for the caller, and the change to write. The change is
 * `null` if nothing needs to be written.
 */
export interface WriteDecision<T> {
  readonly result: T;
  readonly change: UserChange | null;
}

/**
 * What the function {@link Write.decide} returns if it needs other facts: the selection to read before the next call.
 */
interface ReadMore {
  readonly selection: Write<unknown>["selection"];
}

export const digestsFor = ({ settings }: StoreScope, user: UserKey): Digests =>
  digestsOf(user, settings.auditKey);

/** Reads a fact of the user by its id. Returns `null` if the user has no such fact. */
export async function findFact(
  { transactions }: StoreScope,
  {
    user,
    operation,
    factId,
  }: { readonly user: UserKey; readonly operation: string; readonly factId: unknown },
): Promise<StoredFact | null> {
  if (!isFactId(factId)) return null;
  const { facts } = await transactions.callBackend(operation, () =>
    transactions.backend.read(user, { ids: [factId], brief: true }),
  );
  return facts.find(({ id }) => id === factId) ?? null;
}

export const byId = (snapshot: UserSnapshot, id: string): StoredFact | undefined =>
  snapshot.facts.find((fact) => fact.id === id);

/** How long a write is attempted, in milliseconds. */
const MOST_MS = 30_000;
const DELAYS = { baseDelayMs: 2, maxDelayMs: 40 };

interface TransactionState {
  /** Whether `forgetAll` of the same store object began during the transaction. */
  interrupted: boolean;
  /** The user's epoch at the start of the transaction. Absent: `begin` wasn't called. */
  epoch?: number;
}

export function openTransactions(
  backend: UserMemoryBackend,
  { limits }: UserMemorySettings,
  audit: Audit,
): Transactions {
  const underWay = new Map<string, Set<TransactionState>>();
  // Writes of this process take turns, so only those of other processes can be faster.
  const turns = openWriteTurns();

  async function callBackend<T>(operation: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (thrown) {
      throw thrown instanceof UserMemoryError ? thrown : toUserMemoryError(backend, operation, thrown);
    }
  }

  async function write<T>(user: UserKey, wanted: Write<T>, state: TransactionState): Promise<T> {
    const { operation, since } = wanted;
    let { selection } = wanted;
    const chain = audit(user);
    let epoch = since ?? state.epoch;
    const start = performance.now();
    for (let attempt = 1; attempt === 1 || performance.now() - start < MOST_MS; attempt++) {
      const snapshot = await backend.read(user, selection);
      const current = snapshot.head?.epoch ?? 0;
      epoch ??= current;
      if (state.interrupted || current !== epoch) throw erasedError(operation);
      const decision = wanted.decide(openWriteScope(snapshot, { limits, chain, now: Date.now() }));
      if ("selection" in decision) {
        selection = decision.selection;
        continue;
      }
      if (decision.change === null || (await backend.commit(user, decision.change))) return decision.result;
      await pause(attempt);
    }
    throw busyError(operation);
  }

  return {
    backend,
    callBackend,
    run: async (user, action) => {
      const state: TransactionState = { interrupted: false };
      const states = underWay.get(user.hash) ?? new Set();
      underWay.set(user.hash, states.add(state));
      try {
        return await action({
          begin: async (selection = {}) => {
            const snapshot = await callBackend("begin", () => backend.read(user, selection));
            state.epoch = snapshot.head?.epoch ?? 0;
            return snapshot;
          },
          write: (wanted) =>
            callBackend(wanted.operation, () => turns.run(user.hash, () => write(user, wanted, state))),
        });
      } finally {
        states.delete(state);
        if (states.size === 0 && underWay.get(user.hash) === states) underWay.delete(user.hash);
      }
    },
    interrupt: ({ hash }) => {
      for (const state of underWay.get(hash) ?? []) state.interrupted = true;
    },
  };
}

/** Waits a random time before the next attempt of a write, longer with each attempt. */
const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, backoffDelayMs(attempt, DELAYS));
  });

function toUserMemoryError(backend: UserMemoryBackend, operation: string, thrown: unknown): UserMemoryError {
  const { _tag, message, retryable, cause } = backend.toMemoryError(operation, thrown);
  const code = _tag === "MemoryConnectionError" ? "unavailable" : "storage";
  return new UserMemoryError({ code, operation, message, retryable, cause });
}

interface WriteSettings {
  readonly limits: UserMemoryLimits;
  readonly chain: AuditChain;
  readonly now: number;
}

function openWriteScope(snapshot: UserSnapshot, { limits, chain, now }: WriteSettings): WriteScope {
  const state = readState(snapshot.head);
  return { snapshot, state, draft: openDraft({ head: snapshot.head, state, chain, now }), limits, now };
}
