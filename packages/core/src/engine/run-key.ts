import type { GivenDecisions } from "../interruption/decisions.ts";
import { fingerprint } from "../memory/fingerprint.ts";
import type { RunState } from "../state.ts";
import type { Sent } from "./sent-continuation.ts";

/**
 * A key for a run, made from its id and its whole input: the same id with the same input is the same run. `undefined` without new
 * input, which is a resumption, and for input that can't be stored anyway.
 */
export function runKeyOf<Ctx>(
  { runId, currentAgentName, messages }: RunState<Ctx>,
  { approvals, toolResults }: GivenDecisions,
  { messages: sent, ...token }: Sent = { messages: [] },
): string | undefined {
  try {
    const handedIn = [messages, approvals, toolResults, [...Object.values(token), ...sent]];
    if (handedIn.every(({ length }) => length === 0)) return undefined;
    return `run:${fingerprint([runId, currentAgentName, ...handedIn])}`;
  } catch {
    return undefined;
  }
}
