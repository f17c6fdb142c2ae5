import type { OmissionReason } from "@jaf/memory/history";
import type { AdditionPlacement } from "./middleware.ts";

/**
 * What happened to messages in a model call.
 *
 * - `"sent"`: the model gets them unchanged.
 * - `"repaired"`: it gets them without unanswered calls, without an empty list of calls, or moved to directly after the call
 *   that they answer.
 * - `"summarized"`: it gets a summary that includes them.
 * - `"trimmed"`: the window left them out, or they weren't loaded because the window needs only the last messages
 *   (`"not-loaded"`).
 * - `"dropped"`: it doesn't get them. `"not-replayable"`: models refuse them (calls without result and text, results without a
 *   call, second results of a call, empty replies). `"cut-turn"`: the store has dropped the beginning of their turn.
 *   `"not-stored"`: the store no longer has them.
 */
export type ContextFate = "sent" | "repaired" | "summarized" | "trimmed" | "dropped";

/**
 * Why a model doesn't get messages.
 *
 * - `"older"`: they are older than the window.
 * - `"long-turn"`: they are in the middle of a turn that alone exceeds the window's limit.
 * - `"orphan-result"`: they are tool results at the beginning without their calls.
 * - `"no-room"`: messages that must be sent use up the window's limit, so there is no room for these or for their summary.
 * - `"function"`: the window function left them out.
 * - `"not-replayable"`, `"cut-turn"`, `"not-stored"`, `"not-loaded"`: see {@link ContextFate}.
 */
export type ContextReason =
  | OmissionReason
  | "function"
  | "not-replayable"
  | "cut-turn"
  | "not-stored"
  | "not-loaded";

/** The fate of messages in a model call, and its reason. */
export interface ContextLabel {
  readonly fate: ContextFate;
  /** Present only with `"trimmed"` and `"dropped"`. */
  readonly reason?: ContextReason;
}

/** Consecutive messages with the same fate and reason. */
export interface ContextRange extends ContextLabel {
  /** The position of the first message, counted from the conversation's first message. */
  readonly from: number;
  /** The position of the last message. */
  readonly to: number;
}

/** Lists which messages of a conversation the model gets, which it doesn't, and why. Contains no message content. */
export interface ContextManifest {
  /** The registry key of the agent that calls the model. */
  readonly agentName: string;
  /** The number of messages that the conversation has ever had, including those of this run. */
  readonly messages: number;
  /** In order. Each position from 0 to `messages - 1` is in exactly one range. */
  readonly ranges: readonly ContextRange[];
  /** The number of messages with each fate. */
  readonly counts: Readonly<Record<ContextFate, number>>;
  /**
   * The number of messages that the model gets, including the summary and messages that the application's window function
   * added.
   */
  readonly sent: number;
  /**
   * Present if the model gets no user message because the store has dropped all of them. To prevent this, set
   * `RunConfig.memory.maxMessages` to more than the longest turn.
   */
  readonly lacksUserMessage?: true;
  /** Present if the model gets a summary. */
  readonly summary?: {
    /** The position of the last summarised message. */
    readonly upTo: number;
    /** Its length, in UTF-16 units. */
    readonly characters: number;
  };
  /** Present if the run has a window. */
  readonly window?: WindowLimit;
  /** The tokens of all messages that are sent, without instructions and tools. Present if the window counts tokens. */
  readonly estimatedTokens?: number;
  /** The texts that middleware added to the prompt, in order, e.g. facts about the user. Absent if there are none. */
  readonly additions?: readonly ContextAddition[];
  /** Present if older messages were due to be summarised before this call. */
  readonly compaction?: CompactionReport;
}

/** A text that a middleware added to a prompt. It isn't part of the conversation, so no range contains it. */
export interface ContextAddition {
  /** The name of the middleware. */
  readonly name: string;
  /** The place of the text in the prompt. */
  readonly placement: AdditionPlacement;
  /** The position of the message that it precedes. Absent: it follows the instructions. */
  readonly before?: number;
  /** Its length, in UTF-16 units. */
  readonly characters: number;
}

/** The limits of the window. */
export interface WindowLimit {
  /** What the window counts; `"function"`: a window function chooses the messages. */
  readonly type: "messages" | "tokens" | "function";
  /** The maximum number of messages or tokens. Absent for a function without `maxMessages`. */
  readonly limit?: number;
  /** The number to which the window is cut when it exceeds the limit. Absent: `limit`. */
  readonly trimTo?: number;
}

/** The result of summarising older messages. The run continues in each case. */
export interface CompactionReport {
  /**
   * - `"stored"`: there is a new summary.
   * - `"unstored"`: there is a new summary that couldn't be stored. Only this run uses it.
   * - `"elsewhere"`: another run has stored a summary of at least as many messages meanwhile. This run uses that summary.
   * - `"failed"`: there is no new summary. A later run tries again, after a pause that grows with each failure.
   * - `"postponed"`: no attempt was made, because the last one failed recently.
   */
  readonly outcome: "stored" | "unstored" | "elsewhere" | "failed" | "postponed";
  /** The number of messages that were summarised in addition to the previous summary. */
  readonly messages: number;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** Why it failed or couldn't be stored. For an error of `summarize`, only the name and the code. */
  readonly reason?: string;
}
