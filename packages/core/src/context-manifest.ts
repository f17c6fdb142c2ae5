import type { OmissionReason } from "@jaf/memory/history";
import type { AdditionPlacement } from "./middleware.ts";

/**
 * What happened to messages.
 *
 * - `"sent"`: the model gets them unchanged.
 * - `"repaired"`: it gets them without unanswered calls, without an empty list of calls, or in another position, directly after
 *   the call that they answer.
 * - `"summarized"`: it gets a summary that includes them.
 * - `"trimmed"`: the window left them out, or they weren't read because it needs only the last messages (`"not-loaded"`).
 * - `"dropped"`: it doesn't get them, because models refuse them (`"not-replayable"`): calls without a result and without text,
 *   results without a call or of a call that has another result, empty replies; because they are the rest of a turn whose
 *   beginning the store has dropped (`"cut-turn"`); or because the store no longer has them (`"not-stored"`).
 */
export type ContextFate = "sent" | "repaired" | "summarized" | "trimmed" | "dropped";

export type ContextReason =
  | OmissionReason
  | "function"
  | "not-replayable"
  | "cut-turn"
  | "not-stored"
  | "not-loaded";

export interface ContextLabel {
  readonly fate: ContextFate;
  /** Only for `"trimmed"` and `"dropped"`. */
  readonly reason?: ContextReason;
}

/** Consecutive messages with the same fate and reason. */
export interface ContextRange extends ContextLabel {
  /** The position of the first message, counted from the conversation's first message. */
  readonly from: number;
  /** The position of the last message. */
  readonly to: number;
}

/** Which messages of a conversation the model gets, which it doesn't, and why. It quotes none of them. */
export interface ContextManifest {
  readonly agentName: string;
  /** How many messages the conversation has ever had, including those of this run. */
  readonly messages: number;
  /** In order. Each position from 0 to `messages - 1` is in exactly one range. */
  readonly ranges: readonly ContextRange[];
  /** How many messages had each fate. */
  readonly counts: Readonly<Record<ContextFate, number>>;
  /** How many messages the model gets, including the summary and those that the application's window function added. */
  readonly sent: number;
  /**
   * Present if the model gets no user message, because the store has dropped all of them. `RunConfig.memory.maxMessages` must be
   * larger than the longest turn.
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
  /** The tokens of all messages that are sent, without instructions and tools; only if the window counts tokens. */
  readonly estimatedTokens?: number;
  /** What middleware has added to the prompt, in order, e.g. facts about the user. Absent if nothing. */
  readonly additions?: readonly ContextAddition[];
  /** Present if older messages were due to be summarised before this call. */
  readonly compaction?: CompactionReport;
}

/** What a middleware has added to a prompt. It isn't part of the conversation, so no range contains it. */
export interface ContextAddition {
  /** The name of the middleware. */
  readonly name: string;
  readonly placement: AdditionPlacement;
  /** The position of the message before which it is placed. Absent: it comes after the instructions. */
  readonly before?: number;
  /** Its length, in UTF-16 units. */
  readonly characters: number;
}

/** The limits of the window. */
export interface WindowLimit {
  readonly type: "messages" | "tokens" | "function";
  readonly limit?: number;
  readonly trimTo?: number;
}

/** How summarising older messages ended. In each case the run goes on. */
export interface CompactionReport {
  /**
   * - `"stored"`: there is a new summary.
   * - `"unstored"`: there is a new summary that couldn't be stored. Only this run uses it.
   * - `"elsewhere"`: another run has stored a summary meanwhile that holds as much, and this run goes on with it.
   * - `"failed"`: there is no new summary. A later run tries again, after a pause that grows with each failure.
   * - `"postponed"`: no attempt was made, because the last one failed a short time ago.
   */
  readonly outcome: "stored" | "unstored" | "elsewhere" | "failed" | "postponed";
  /** How many messages were summarised, in addition to those of the previous summary. */
  readonly messages: number;
  readonly durationMs: number;
  /** Why it failed or couldn't be stored. Of an error of `summarize`, only the name and the code. */
  readonly reason?: string;
}
