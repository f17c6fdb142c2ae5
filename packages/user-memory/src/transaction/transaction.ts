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

/** What every operation of a store works with. */
export interface StoreScope {
  readonly transactions: Transactions;
  readonly audit: Audit;
  readonly settings: UserMemorySettings;
  /** Has `drain` wait for work that no caller waits for. */
  readonly track: (work: Promise<unknown>) => void;
}

/** Calls of a backend, whose failures become `UserMemoryError`s, and transactions on a user's facts. */
export interface Transactions {
  readonly backend: UserMemoryBackend;
  /** Calls the backend. Rejects with `UserMemoryError`. */
  readonly callBackend: <T>(operation: string, action: () => Promise<T>) => Promise<T>;
  /**
   * Does something about a user that must not outlive an erasure: where everything is forgotten by this store meanwhile,
   * each `write` in it is refused.
   */
  readonly run: <T>(user: UserKey, action: (transaction: Transaction) => Promise<T>) => Promise<T>;
  /** Interrupts the user's transactions under way, because everything about the user is being forgotten. */
  readonly interrupt: (user: UserKey) => void;
}

/** A transaction that is under way. */
interface Transaction {
  /**
   * For a transaction that is about to wait for a model or a service: where everything is forgotten from now on, by any process,
   * its writes are refused. Resolves with what is stored now.
   */
  readonly begin: (selection?: Write<unknown>["selection"]) => Promise<UserSnapshot>;
  /** Reads, decides and writes, again where somebody else has written meanwhile. Rejects with `UserMemoryError`. */
  readonly write: <T>(write: Write<T>) => Promise<T>;
}

/** A write: which facts it reads, and what it decides by them. */
export interface Write<T> {
  readonly operation: string;
  readonly selection: FactSelection & { readonly tombstones?: readonly string[] };
  /** A write that carries the mark of an older epoch is refused. */
  readonly since?: number | undefined;
  /** Throws a `UserMemoryError` for what is refused. */
  readonly decide: (scope: WriteScope) => WriteDecision<T> | ReadMore;
}

/** What a write decides by: what it read, and the store's settings. */
export interface WriteScope {
  readonly snapshot: UserSnapshot;
  readonly state: HeadState;
  readonly draft: Draft;
  readonly limits: UserMemoryLimits;
  readonly now: number;
}

/** A decision: what the caller gets, and what is to be written for it; `null`: nothing. */
export interface WriteDecision<T> {
  readonly result: T;
  readonly change: UserChange | null;
}

/** What has to be read before anything can be decided. */
interface ReadMore {
  readonly selection: Write<unknown>["selection"];
}

export const digestsFor = ({ settings }: StoreScope, user: UserKey): Digests =>
  digestsOf(user, settings.auditKey);

/** The user's fact of this id. */
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
  /** Everything is being forgotten by this store. */
  interrupted: boolean;
  /** The epoch that the transaction began in, if it was read. */
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

/** The more often it was in vain, the longer, and never in step with others. */
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
