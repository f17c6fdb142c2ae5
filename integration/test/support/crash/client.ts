import { setTimeout as sleep } from "node:timers/promises";
import type { JAFError, RunResult } from "@jaf/core";
import type { ConversationMemory, Message } from "@jaf/memory";
import type { Given } from "./process.ts";
import type { Decided, Scenario } from "./scenarios.ts";

/** How often a client tries before it gives up. */
const MOST_ATTEMPTS = 30;

export interface ClientOptions {
  readonly scenario: Pick<Scenario, "decide">;
  /** Whether it repeats its message until there is an answer. Otherwise it stops once the message is stored. */
  readonly repeats: boolean;
  /** Does a run in a new process. */
  readonly run: (says: readonly string[], given: Given) => Promise<RunResult<unknown>>;
  /** Reads the conversation as the application does. */
  readonly load: () => Promise<ConversationMemory | null>;
  /** How long to wait before the next attempt, in milliseconds. */
  readonly pauseMs: number;
}

/**
 * Sends one message, and tries again until it is answered, like an application with dying processes. Returns its last
 * decisions.
 */
export async function prompt(options: ClientOptions, text: string): Promise<Given> {
  const { scenario, run, load, pauseMs } = options;
  let decided: Decided = {};
  let last: Given = {};
  let said = text;
  let error: JAFError | undefined;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const messages = (await load())?.messages ?? [];
    const { says: _, ...given } = decided;
    const { outcome } = await run(isToBeSaid(options, said, messages) ? [said] : [], given);
    if (outcome.status === "completed") return last;
    if (outcome.status === "interrupted") {
      decided = scenario.decide?.(outcome.interruptions) ?? {};
      last = { approvals: decided.approvals ?? [], toolResults: decided.toolResults ?? [] };
      said = decided.says ?? said;
      continue;
    }
    error = outcome.error;
    // Another attempt has used the decisions, or the calls no longer wait.
    if (error._tag === "ContinuationRejected") decided = {};
    await sleep(pauseMs);
  }
  throw new Error(`no answer after ${MOST_ATTEMPTS} attempts: ${JSON.stringify(error)}`);
}

function isToBeSaid({ repeats }: ClientOptions, text: string, messages: readonly Message[]): boolean {
  const index = messages.findLastIndex(({ role, content }) => role === "user" && content === text);
  return index === -1 || (repeats && !messages.slice(index).some(isFinalReply));
}

const isFinalReply = ({ role, tool_calls: calls }: Message): boolean =>
  role === "assistant" && (calls?.length ?? 0) === 0;
