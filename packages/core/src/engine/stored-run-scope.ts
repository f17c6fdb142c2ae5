import type { RunConfig } from "../config.ts";
import type { Source } from "../context/history.ts";
import { fingerprint } from "../memory/fingerprint.ts";
import type { Journal } from "../memory/run-journal.ts";
import { loadedFrom } from "../memory/tail-reading.ts";
import type { RunState } from "../state.ts";
import { sentIn } from "./sent-continuation.ts";

/** What a run that stores what it says opens as it begins. */
export { openMedia } from "../context/media.ts";
export { openJournal } from "../memory/run-journal.ts";

/** The messages of a stored conversation: those that were loaded, and those that the run has added since. */
export function storedSource(journal: Journal): Source {
  const { stored, added } = journal.history();
  const loaded = stored?.messages ?? [];
  return {
    source: () => (added.length === 0 ? loaded : [...loaded, ...added]),
    ...loadedFrom(stored),
  };
}

/**
 * A key for a run, made from its id and its whole input: the same id with the same input is the same run. `undefined` without new
 * input, which is a resumption, and for input that can't be stored anyway.
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
