import type { AuditChain } from "../audit/chain.ts";
import type { FactSelection, StoredFact, UserChange, UserView } from "../backend/backend.ts";
import type { UserMemoryLimits } from "../limits.ts";
import { type Draft, openDraft } from "./draft.ts";
import { type HeadState, readState } from "./head-state.ts";

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
export interface MoreToRead {
  readonly selection: Write<unknown>["selection"];
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

export interface PlanSettings {
  readonly limits: UserMemoryLimits;
  readonly chain: AuditChain;
  readonly now: number;
}

export function openPlan(view: UserView, { limits, chain, now }: PlanSettings): PlanScope {
  const state = readState(view.head);
  return { view, state, draft: openDraft({ head: view.head, state, chain, now }), limits, now };
}

export const byId = (view: UserView, id: string): StoredFact | undefined =>
  view.facts.find((fact) => fact.id === id);
