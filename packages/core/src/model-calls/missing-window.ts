import { warn } from "@jaf/memory/internal";
import type { RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";

/** A model call with more messages leads to a warning, unless the run has a window or makes summaries. */
const MANY_MESSAGES = 500;

/** The maximum number of agents that a process warns about. */
const MAX_WARNINGS = 100;

const warnedAbout = new Set<string>();

const REMEDY =
  "Set memory: { window: { maxMessages: 50 } } in the configuration of the run, agent client, server or agent class, " +
  "or memory: { maxMessages: 50 } in an agent state of @jaf/xflow. See https://github.com/jaf-agents/jaf/blob/main/docs/windows.md.";

/**
 * Emits a process warning if a model call sends many messages because the run has no window. Once in a process for each
 * agent.
 */
export function warnOfMissingWindow<Ctx>(
  { config: { memory }, journal }: Pick<RunScope<Ctx>, "config" | "journal">,
  { messages: { length }, currentAgentName: name }: RunState<Ctx>,
): void {
  if (length <= MANY_MESSAGES || memory?.window !== undefined) return;
  // Only a stored conversation is summarised.
  if (journal !== undefined && memory?.compressionThreshold !== undefined) return;
  if (warnedAbout.has(name) || warnedAbout.size >= MAX_WARNINGS) return;
  warnedAbout.add(name);
  const what = `The agent ${JSON.stringify(name)} sent ${length} messages to the model in one call`;
  warn(`${what}. Without a window, every call reads and sends the whole history. ${REMEDY}`, {
    type: "JAFWindowWarning",
    code: "JAF_NO_WINDOW",
  });
}
