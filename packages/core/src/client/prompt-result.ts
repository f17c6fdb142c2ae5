import type { Message } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/internal";
import type { TraceEvent } from "../events.ts";
import type { Interruption } from "../interruption.ts";
import { type ModelUsage, sumOfUsage } from "../limits/cost.ts";
import { refusalOf } from "../model/reply.ts";
import type { RunOutcome, RunResult, RunSpent } from "../state.ts";

/** The result of a prompt. */
export interface PromptResult<Out> {
  /** The id of the stored conversation, to pass to `continue`. Absent: nothing is stored. */
  readonly conversationId?: string;
  /**
   * The text of the final reply. If the run gave no final reply, the text of the model's last message in the run. `""`
   * if the message has no text (e.g. only an image). Reasoning and refusals aren't included.
   */
  readonly text: string;
  /**
   * The model's words if it refused to answer and the reply has no other text. If the run is completed, the refusal is
   * the output, too.
   */
  readonly refusal?: string;
  /**
   * The final reply, decoded by the agent's `outputCodec`. Without a codec: the reply's text. Absent: the run isn't
   * completed.
   */
  readonly output?: Out;
  /**
   * The messages that the run added to the conversation: the input, the model's replies, and the results of tools.
   * After a failure, some of them might not be stored; see `Durability`.
   */
  readonly messages: readonly Message[];
  /**
   * The tokens of all model calls of the run together, including those of agents that ran as tools. Token counts that
   * the model provider doesn't report are absent.
   */
  readonly usage: ModelUsage;
  /** The usage and cost of this run, and of the conversation so far; see `RunResult.spent`. */
  readonly spent?: RunSpent;
  /** How the run ended. Failures of the run are reported here and not thrown. */
  readonly outcome: RunOutcome<Out>;
  /** The approvals and client tool calls that the run waits for. The list is empty unless the outcome is `interrupted`. */
  readonly interruptions: readonly Interruption[];
  /**
   * The run's last state. If the outcome is `completed` or `interrupted`, its messages are a history that a client can
   * send back. After a failure they aren't a valid history, so the client must keep its earlier messages.
   */
  readonly finalState: RunResult<Out>["finalState"];
  /** The position of the first message of `finalState` in the stored conversation. Absent: nothing was loaded. */
  readonly historyFrom?: number;
  /** A token that a client can send back in place of the messages of `finalState`; see `RunResult.historyToken`. */
  readonly historyToken?: string;
}

interface Origin {
  /** Returns whether this message object existed before the run. */
  readonly isHistory: (message: Message) => boolean;
  /** The messages that the model wrote in this run. */
  readonly replies: ReadonlySet<Message>;
}

interface PromptTotals extends Origin {
  readonly conversationId: string | undefined;
  readonly usage: ModelUsage;
}

export function toPromptResult<Out>(
  { finalState, historyFrom, historyToken, spent, outcome }: RunResult<Out>,
  { conversationId, usage, ...origin }: PromptTotals,
): PromptResult<Out> {
  const messages = additionsTo(finalState.messages, origin);
  const isCompleted = outcome.status === "completed";
  // The reply of a completed run can come from an earlier run that stored it.
  const last = (isCompleted ? finalState.messages : messages).findLast(({ role }) => role === "assistant");
  const refusal = isCompleted && last !== undefined ? refusalOf(last) : refusalIn(outcome);
  return {
    ...present({ conversationId }),
    text: last === undefined ? "" : messageText(last),
    ...present({ refusal }),
    ...(isCompleted ? { output: outcome.output } : {}),
    messages: Object.freeze(messages),
    usage,
    ...present({ spent }),
    outcome,
    interruptions: outcome.status === "interrupted" ? outcome.interruptions : Object.freeze([]),
    finalState,
    ...present({ historyFrom, historyToken }),
  };
}

const refusalIn = (outcome: RunOutcome<unknown>): string | undefined =>
  outcome.status === "error" && outcome.error._tag === "ModelRefused" ? outcome.error.refusal : undefined;

/** Returns the messages that a run added, by comparing message objects. */
function additionsTo(messages: readonly Message[], { isHistory, replies }: Origin): readonly Message[] {
  // An assistant message that isn't a reply of this run is a stored one from which the sanitizer removed calls.
  const last = messages.findLastIndex((message) => message.role !== "tool" && isHistory(message));
  const first = messages.findIndex(
    (message, index) =>
      index > last && !isHistory(message) && (message.role !== "assistant" || replies.has(message)),
  );
  return first === -1 ? [] : messages.slice(first).filter((message) => !isHistory(message));
}

/** The usage and the replies of a run, collected from its events. */
interface RunTotals {
  readonly sink: (event: TraceEvent) => void;
  /** Returns the tokens of all model calls so far. Token counts that no call reported are absent. */
  readonly usage: () => ModelUsage;
  readonly replies: ReadonlySet<Message>;
}

export function openRunTotals(): RunTotals {
  let usage: ModelUsage = {};
  const replies = new Set<Message>();
  return {
    sink: (event) => {
      if (event.type === "assistant_message") replies.add(event.data.message);
      const { type, data } = event.type === "inner_event" ? event.data.event : event;
      if (type === "llm_call_end") usage = sumOfUsage(usage, data.usage ?? {}) ?? usage;
    },
    usage: () => usage,
    replies,
  };
}
