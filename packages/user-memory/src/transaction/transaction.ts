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

/** The dependencies of a store's operations. */
export interface StoreScope {
  readonly transactions: Transactions;
  readonly audit: Audit;
  readonly settings: UserMemorySettings;
  readonly heads: SharedHeads;
  /** Registers background work for `drain`. */
  readonly track: (work: Promise<unknown>) => void;
}

/** Calls a backend with errors as `UserMemoryError`, and runs transactions on a user's facts. */
export interface Transactions {
  readonly backend: UserMemoryBackend;
  /** Calls the backend. Rejects with `UserMemoryError`. */
  readonly callBackend: <T>(operation: string, action: () => Promise<T>) => Promise<T>;
  /**
   * Runs an action that must not outlive an erasure. If this store erases the user's memory meanwhile, each `write` in it is
   * refused.
   */
  readonly run: <T>(user: UserKey, action: (transaction: Transaction) => Promise<T>) => Promise<T>;
  /** Interrupts the user's running transactions before an erasure. */
  readonly interrupt: (user: UserKey) => void;
}

/** A running transaction. */
interface Transaction {
  /**
   * Call it before the transaction waits for a model or a service. Its writes are refused if any process erases the user's
   * memory after this. Returns the current snapshot.
   */
  readonly begin: (selection?: Write<unknown>["selection"]) => Promise<UserSnapshot>;
  /** Reads, decides and writes. Retries if another write came between. Rejects with `UserMemoryError`. */
  readonly write: <T>(write: Write<T>) => Promise<T>;
}

/** A write: the facts that it reads, and its decision. */
export interface Write<T> {
  readonly operation: string;
  readonly selection: FactSelection & { readonly tombstones?: readonly string[] };
  /** A write with the mark of an older epoch is refused. */
  readonly since?: number | undefined;
  /** Throws a `UserMemoryError` to refuse the write. */
  readonly decide: (scope: WriteScope) => WriteDecision<T> | ReadMore;
}

/** The input of a decision: the snapshot and the store's limits. */
export interface WriteScope {
  readonly snapshot: UserSnapshot;
  readonly state: HeadState;
  readonly draft: Draft;
  readonly limits: UserMemoryLimits;
  readonly now: number;
}

/** A decision: the result for the caller, and the change to write, or `null`. */
export interface WriteDecision<T> {
  readonly result: T;
  readonly change: UserChange | null;
}

/** A selection to read before the decision. */
interface ReadMore {
  readonly selection: Write<unknown>["selection"];
}

export const digestsFor = ({ settings }: StoreScope, user: UserKey): Digests =>
  digestsOf(user, settings.auditKey);

/** Reads the user's fact with this id. */
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

const MAX_ATTEMPTS = 100;
const DELAYS = { baseDelayMs: 2, maxDelayMs: 40 };

interface TransactionState {
  /** Whether this store is erasing the user's memory. */
  interrupted: boolean;
  /** The epoch at the start of the transaction, if it was read. */
  epoch?: number;
}

export function openTransactions(
  backend: UserMemoryBackend,
  { limits }: UserMemorySettings,
  audit: Audit,
): Transactions {
  const underWay = new Map<string, Set<TransactionState>>();

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
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
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
          write: (wanted) => callBackend(wanted.operation, () => write(user, wanted, state)),
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

/** Waits longer with each attempt, with jitter. */
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
