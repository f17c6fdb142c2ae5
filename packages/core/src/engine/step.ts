import type { MemoryErrorUnion } from "@jaf/memory";
import type { Agent } from "../agent.ts";
import type { JAFError } from "../errors.ts";
import type { RunResult } from "../run-result.ts";
import type { RunState } from "../state.ts";

/** An agent's turn at a state. */
export interface Turn<Ctx> {
  readonly state: RunState<Ctx>;
  // biome-ignore lint/suspicious/noExplicitAny: an agent of any output
  readonly agent: Agent<Ctx, any>;
}

/** Where a run stands after a step; without an outcome it goes on. */
export interface Step<Ctx> {
  readonly state: RunState<Ctx>;
  readonly outcome?: RunResult<unknown>["outcome"];
}

export const fail = <Ctx>(state: RunState<Ctx>, error: JAFError): Step<Ctx> => ({
  state,
  outcome: { status: "error", error },
});

export const failMemory = <Ctx>(state: RunState<Ctx>, error: MemoryErrorUnion): Step<Ctx> =>
  fail(state, { _tag: "MemoryError", error });
