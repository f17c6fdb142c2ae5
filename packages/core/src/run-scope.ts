import type { MemoryConflictReason, MemoryErrorUnion } from "@jaf/memory";
import type { Agent } from "./agent.ts";
import type { JAFError } from "./errors.ts";
import type { RunResult, RunState } from "./state.ts";

/** One turn of the model: the state that it begins with, and the agent. */
export interface ModelTurn<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
}

/** The state after a step of a run. Without an outcome the run goes on. */
export interface Step<Ctx> {
  readonly state: RunState<Ctx>;
  readonly outcome?: RunResult<unknown>["outcome"];
  /** Another run has the turn, and this one has stored and done nothing yet. */
  readonly lostTurn?: true;
  /** Another execution of the same run ended first. */
  readonly endedElsewhere?: true;
}

/** The operation that errors of a run name, if no operation of the store failed. */
export const OPERATION = "run";

export const fail = <Ctx>(state: RunState<Ctx>, error: JAFError): Step<Ctx> => ({
  state,
  outcome: { status: "error", error },
});

export const failMemory = <Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): Step<Ctx> =>
  fail(state, { _tag: "MemoryError", error });

const LOST_TURN: readonly MemoryConflictReason[] = ["version", "metadata-version", "turn", "incarnation"];

/** Fails the run because it couldn't take its turn. */
export function failTurn<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): Step<Ctx> {
  const lost = error._tag === "MemoryConflictError" && LOST_TURN.includes(error.reason);
  return { ...failMemory(state, error), ...(lost ? { lostTurn: true } : {}) };
}

/** Fails the run because its end couldn't be stored. */
export function failEnd<Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): Step<Ctx> {
  const isElsewhere = error._tag === "MemoryConflictError" && error.reason === "idempotency-key";
  return { ...failMemory(state, error), ...(isElsewhere ? { endedElsewhere: true } : {}) };
}
