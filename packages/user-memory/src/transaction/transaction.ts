import { backoffDelayMs } from "@jaf/memory/adapter";
import type { Audit, AuditChain } from "../audit.ts";
import type {
  FactSelection,
  StoredFact,
  UserChange,
  UserKey,
  UserMemoryBackend,
  UserView,
} from "../backend.ts";
import { busy, erased, UserMemoryError } from "../errors.ts";
import { isFactId } from "../facts/facts.ts";
import { type Digests, digestsOf } from "../facts/tombstones.ts";
import type { UserMemoryLimits, UserMemorySettings } from "../options.ts";
import { type Draft, openDraft } from "./draft.ts";
import { type HeadState, readState } from "./head-state.ts";

/** What every operation of a store works with. */
export interface StoreScope {
  readonly access: Access;
  readonly audit: Audit;
  readonly settings: UserMemorySettings;
  /** Has `drain` wait for work that no caller waits for. */
  readonly track: (work: Promise<unknown>) => void;
}

/** A backend whose failures are tagged, and whose writes are decided by the rules. */
export interface Access {
  readonly backend: UserMemoryBackend;
  /** Does a backend's work. Rejects with `UserMemoryError`. */
  readonly ask: <T>(operation: string, action: () => Promise<T>) => Promise<T>;
  /**
   * Does something about a user that must not outlive an erasure: where everything is forgotten by this store meanwhile,
   * each `write` in it is refused.
   */
  readonly during: <T>(user: UserKey, action: (call: Call) => Promise<T>) => Promise<T>;
  /** Interrupts the calls under way, because everything about the user is being forgotten. */
  readonly interrupt: (user: UserKey) => void;
}

/** A call that is under way. */
interface Call {
  /**
   * For a call that is about to wait for somebody else: where everything is forgotten from now on, by whomever, its writes are
   * refused. Resolves with what there is now.
   */
  readonly begin: (selection?: Write<unknown>["selection"]) => Promise<UserView>;
  /** Reads, decides and writes, again where somebody else has written meanwhile. Rejects with `UserMemoryError`. */
  readonly write: <T>(write: Write<T>) => Promise<T>;
}

/** A write in two steps: what it has to read, and what it makes of it. */
export interface Write<T> {
  readonly operation: string;
  readonly selection: FactSelection & { readonly tombstones?: readonly string[] };
  /** A write that carries the mark of an older epoch is refused. */
  readonly since?: number | undefined;
  /** Throws a `UserMemoryError` for what is refused. */
  readonly plan: (scope: PlanScope) => Plan<T> | MoreToRead;
}

/** What a write decides by: what it read, and the store's settings. */
export interface PlanScope {
  readonly view: UserView;
  readonly state: HeadState;
  readonly draft: Draft;
  readonly limits: UserMemoryLimits;
  readonly now: number;
}

/** A decision: what the caller gets, and what is to be written for it; `null`: nothing. */
export interface Plan<T> {
  readonly result: T;
  readonly change: UserChange | null;
}

/** What has to be read before anything can be decided. */
interface MoreToRead {
  readonly selection: Write<unknown>["selection"];
}

export const digestsFor = ({ settings }: StoreScope, user: UserKey): Digests =>
  digestsOf(user, settings.auditKey);

/** The user's fact of this id. */
export async function findFact(
  { access }: StoreScope,
  {
    user,
    operation,
    factId,
  }: { readonly user: UserKey; readonly operation: string; readonly factId: unknown },
): Promise<StoredFact | null> {
  if (!isFactId(factId)) return null;
  const { facts } = await access.ask(operation, () =>
    access.backend.read(user, { ids: [factId], brief: true }),
  );
  return facts.find(({ id }) => id === factId) ?? null;
}

export const byId = (view: UserView, id: string): StoredFact | undefined =>
  view.facts.find((fact) => fact.id === id);

const MAX_ATTEMPTS = 100;
const DELAYS = { baseDelayMs: 2, maxDelayMs: 40 };

interface CallState {
  /** Everything is being forgotten by this store. */
  interrupted: boolean;
  /** The epoch that the call began in, if it was looked at. */
  epoch?: number;
}

export function openAccess(backend: UserMemoryBackend, { limits }: UserMemorySettings, audit: Audit): Access {
  const underWay = new Map<string, Set<CallState>>();

  async function ask<T>(operation: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (thrown) {
      throw thrown instanceof UserMemoryError ? thrown : tagged(backend, operation, thrown);
    }
  }

  async function write<T>(user: UserKey, wanted: Write<T>, state: CallState): Promise<T> {
    const { operation, since } = wanted;
    let { selection } = wanted;
    const chain = audit(user);
    let epoch = since ?? state.epoch;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const view = await backend.read(user, selection);
      const current = view.head?.epoch ?? 0;
      epoch ??= current;
      if (state.interrupted || current !== epoch) throw erased(operation);
      const planned = wanted.plan(openPlan(view, { limits, chain, now: Date.now() }));
      if ("selection" in planned) {
        selection = planned.selection;
        continue;
      }
      if (planned.change === null || (await backend.commit(user, planned.change))) return planned.result;
      await pause(attempt);
    }
    throw busy(operation);
  }

  return {
    backend,
    ask,
    during: async (user, action) => {
      const state: CallState = { interrupted: false };
      const calls = underWay.get(user.hash) ?? new Set();
      underWay.set(user.hash, calls.add(state));
      try {
        return await action({
          begin: async (selection = {}) => {
            const view = await ask("begin", () => backend.read(user, selection));
            state.epoch = view.head?.epoch ?? 0;
            return view;
          },
          write: (wanted) => ask(wanted.operation, () => write(user, wanted, state)),
        });
      } finally {
        calls.delete(state);
        if (calls.size === 0 && underWay.get(user.hash) === calls) underWay.delete(user.hash);
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

function tagged(backend: UserMemoryBackend, operation: string, thrown: unknown): UserMemoryError {
  const { _tag, message, retryable, cause } = backend.toMemoryError(operation, thrown);
  const code = _tag === "MemoryConnectionError" ? "unavailable" : "storage";
  return new UserMemoryError({ code, operation, message, retryable, cause });
}

interface PlanSettings {
  readonly limits: UserMemoryLimits;
  readonly chain: AuditChain;
  readonly now: number;
}

function openPlan(view: UserView, { limits, chain, now }: PlanSettings): PlanScope {
  const state = readState(view.head);
  return { view, state, draft: openDraft({ head: view.head, state, chain, now }), limits, now };
}
