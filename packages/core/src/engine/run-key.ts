import type { RunConfig } from "../config.ts";
import { fingerprint } from "../memory/fingerprint.ts";
import type { RunState } from "../state.ts";
import { sentIn } from "./sent-continuation.ts";

/**
 * Names a run by its id and all that it was handed: whoever hands the same in again wants the same run, and not another.
 * `undefined` where nothing was handed in, which is a resumption, and for what can't be stored anyway.
 */
export function runKeyOf<Ctx>(
  { runId, currentAgentName, messages }: RunState<Ctx>,
  { approvals = [], toolResults = [], continuation }: RunConfig<Ctx>,
): string | undefined {
  try {
    const { messages: sent, ...token } = sentIn(continuation);
    const handedIn = [messages, approvals, toolResults, [...Object.values(token), ...sent]];
    if (handedIn.every(({ length }) => length === 0)) return undefined;
    return `run:${fingerprint([runId, currentAgentName, ...handedIn])}`;
  } catch {
    return undefined;
  }
}
