import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/engine";
import type { Interruption } from "../interruption/interruption.ts";
import type { ModelUsage } from "../model/completion.ts";
import { refusalOf } from "../model/reply-content.ts";
import type { RunResult } from "../run-result.ts";
import { additionsTo, type Origin } from "./additions.ts";

/** How a prompt ended. */
export interface PromptResult<Out> {
  /** Hand it to `continue`. Absent where nothing is stored. */
  readonly conversationId?: string;
  /**
   * What the reply says. Of a run without one, the last that the model said in it; `""` if it said nothing, e.g. made an
   * image. Reasoning and refusals aren't part of it.
   */
  readonly text: string;
  /** The words with which the model declined to answer, where it said nothing else: also the output of a completed run. */
  readonly refusal?: string;
  /** Only of a completed run: its reply, decoded by the agent's `outputCodec`. */
  readonly output?: Out;
  /**
   * What the run added to the conversation: what was said, the replies, and the results of tools. After a failure it
   * needn't be stored; see `Durability`.
   */
  readonly messages: readonly Message[];
  /** Over all model calls of the run, as far as the model provider says. */
  readonly usage: ModelUsage;
  /** With what it cost, and with what the conversation has used so far; see `RunResult.spent`. */
  readonly spent?: NonNullable<RunResult<Out>["spent"]>;
  /** Failures of the run are here, and nothing is thrown for them. */
  readonly outcome: RunResult<Out>["outcome"];
  /** What calls wait for; `[]` unless the outcome is `interrupted`. */
  readonly interruptions: readonly Interruption[];
  /**
   * Its messages are the history, from `historyFrom` on, if the outcome is `completed` or `interrupted`: what a client may
   * send back. After
   * a failure they are what the run had come to, and aren't: the client keeps those it has.
   */
  readonly finalState: RunResult<Out>["finalState"];
  /** The position of the first message of `finalState` in the stored conversation. Absent where nothing was loaded. */
  readonly historyFrom?: number;
  /** What a client may send back in place of these messages; see `RunResult.historyToken`. */
  readonly historyToken?: string;
}

interface Circumstances extends Origin {
  readonly conversationId: string | undefined;
  readonly usage: ModelUsage;
}

export function toPromptResult<Out>(
  { finalState, historyFrom, historyToken, spent, outcome }: RunResult<Out>,
  { conversationId, usage, ...origin }: Circumstances,
): PromptResult<Out> {
  const messages = additionsTo(finalState.messages, origin);
  const isCompleted = outcome.status === "completed";
  // The reply of a completed run may be one that was stored before.
  const last = (isCompleted ? finalState.messages : messages).findLast(({ role }) => role === "assistant");
  const refusal = isCompleted && last !== undefined ? refusalOf(last) : refusalIn(outcome);
  return {
    ...(conversationId === undefined ? {} : { conversationId }),
    text: last === undefined ? "" : messageText(last),
    ...(refusal === undefined ? {} : { refusal }),
    ...(isCompleted ? { output: outcome.output } : {}),
    messages: Object.freeze(messages),
    usage,
    ...(spent === undefined ? {} : { spent }),
    outcome,
    interruptions: outcome.status === "interrupted" ? outcome.interruptions : Object.freeze([]),
    finalState,
    ...(historyFrom === undefined ? {} : { historyFrom }),
    ...(historyToken === undefined ? {} : { historyToken }),
  };
}

const refusalIn = (outcome: RunResult<unknown>["outcome"]): string | undefined =>
  outcome.status === "error" && outcome.error._tag === "ModelRefused" ? outcome.error.refusal : undefined;
