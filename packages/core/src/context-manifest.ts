import type { OmissionReason } from "@jaf/memory/history";
import type { AdditionPlacement } from "./middleware.ts";

/**
 * What happened to a message in a model call.
 *
 * - `"sent"`: the model gets the message unchanged.
 * - `"repaired"`: the model gets the message in changed form or in another place, because model services would refuse
 *   the history otherwise. For example, unanswered calls were removed from the message. Or a tool result was moved to
 *   directly after its call.
 * - `"summarized"`: in place of the message, the model gets a summary that includes it.
 * - `"trimmed"`: the model doesn't get the message, because it isn't in the window. See {@link ContextReason}.
 * - `"dropped"`: the model doesn't get the message, because it can't be sent (e.g. a tool result without a call). See
 *   {@link ContextReason}.
 */
export type ContextFate = "sent" | "repaired" | "summarized" | "trimmed" | "dropped";

/**
 * Why the model doesn't get a message.
 *
 * - `"older"`: the message is older than the window.
 * - `"long-turn"`: the message is in the middle of a turn that alone exceeds the window's limit.
 * - `"orphan-result"`: the message is a tool result at the beginning of the window, and its call isn't in the window.
 * - `"no-room"`: other messages that must be sent use up the window's limit, so there is no room for this message or
 *   its summary.
 * - `"function"`: `RunConfig.memory.window` is or has a function, and this function left the message out.
 * - `"not-replayable"`: models refuse the message. Such messages are: a message that has only unanswered calls and no
 *   text; a tool result without a call; a second result of a call; an empty reply.
 * - `"cut-turn"`: the store has dropped the beginning of the message's turn.
 * - `"not-stored"`: the store has dropped the message.
 * - `"not-loaded"`: the run didn't load the message, because the window needs only the last messages.
 */
export type ContextReason =
  | OmissionReason
  | "function"
  | "not-replayable"
  | "cut-turn"
  | "not-stored"
  | "not-loaded";

/** The fate of messages in a model call, and the reason for it. */
export interface ContextLabel {
  readonly fate: ContextFate;
  /** Why the messages aren't sent. Present only with the fates `"trimmed"` and `"dropped"`. */
  readonly reason?: ContextReason;
}

/** Consecutive messages of a conversation that have the same fate and reason. */
export interface ContextRange extends ContextLabel {
  /** The position of the first message of the range in the conversation. */
  readonly from: number;
  /** The position of the last message of the range in the conversation. */
  readonly to: number;
}

/**
 * Lists which messages of a conversation the model gets in a call, which ones it doesn't get, and why. Contains no message
 * content.
 */
export interface ContextManifest {
  /** The registry key of the agent that calls the model. */
  readonly agentName: string;
  /** The number of messages that the conversation has ever had, including dropped messages and messages of this run. */
  readonly messages: number;
  /** The ranges in order of position. Each position from 0 to `messages - 1` is in exactly one range. */
  readonly ranges: readonly ContextRange[];
  /** The number of messages with each fate. */
  readonly counts: Readonly<Record<ContextFate, number>>;
  /**
   * The number of messages that the model gets, including the summary and messages that `RunConfig.memory.window`
   * added.
   */
  readonly sent: number;
  /**
   * `true` if the model gets no user message, because the store has dropped all of them. Otherwise absent. To prevent
   * this, set `RunConfig.memory.maxMessages` to more messages than the longest turn has.
   */
  readonly lacksUserMessage?: true;
  /** The summary that the model gets. Absent: it gets none. */
  readonly summary?: {
    /** The position of the last message that the summary includes. */
    readonly upTo: number;
    /** The summary's length, in UTF-16 units. */
    readonly characters: number;
  };
  /** The window's limits. Absent: the run has no window. */
  readonly window?: WindowLimit;
  /**
   * The estimated tokens of all messages that are sent, without instructions and tools. Absent: the window doesn't
   * limit tokens.
   */
  readonly estimatedTokens?: number;
  /** The texts that middleware added to the prompt (e.g. facts about the user), in order. Absent if no text was added. */
  readonly additions?: readonly ContextAddition[];
  /** The result of summarising. Absent: no summary was due before this call. */
  readonly compaction?: CompactionReport;
}

/** A text that a middleware added to a prompt. It isn't part of the conversation, so no range contains it. */
export interface ContextAddition {
  /** The name of the middleware. */
  readonly name: string;
  /** Where the text was placed in the prompt. */
  readonly placement: AdditionPlacement;
  /** The position of the message that the text was placed before. Absent: the text was added after the instructions. */
  readonly before?: number;
  /** The text's length, in UTF-16 units. */
  readonly characters: number;
}

/** The limits of a run's window. */
export interface WindowLimit {
  /** What the window limits. `"function"`: the function in `RunConfig.memory.window` chooses the messages. */
  readonly type: "messages" | "tokens" | "function";
  /** The maximum number of messages or tokens. Absent: the window is a function without `maxMessages`. */
  readonly limit?: number;
  /**
   * The number of messages or tokens to which the window is cut when it exceeds the limit. Absent: the value of
   * `limit`.
   */
  readonly trimTo?: number;
}

/** The result of summarising older messages before a model call. The run continues whatever the result is. */
export interface CompactionReport {
  /**
   * What happened:
   *
   * - `"stored"`: a new summary was made and stored.
   * - `"unstored"`: a new summary was made but couldn't be stored. Only this run uses it.
   * - `"elsewhere"`: another run has just stored a summary of at least as many messages, and this run uses that
   *   summary.
   * - `"failed"`: no summary was made. A later run tries again, after a pause that grows with each failure.
   * - `"postponed"`: this run didn't try, because the last attempt failed recently.
   */
  readonly outcome: "stored" | "unstored" | "elsewhere" | "failed" | "postponed";
  /** The number of messages that the new summary includes in addition to the previous summary. */
  readonly messages: number;
  /** How long making and storing the summary took, in milliseconds. */
  readonly durationMs: number;
  /**
   * Why the summary couldn't be made or stored. For an error of `SummaryConfig.summarize`: only the error's name and
   * code. Absent: there was no failure.
   */
  readonly reason?: string;
}
