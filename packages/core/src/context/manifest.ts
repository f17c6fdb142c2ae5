import type { OmissionReason } from "@jaf/memory";
import type { AdditionPlacement } from "../model/additions.ts";

/**
 * What became of messages.
 *
 * - `"sent"`: the model gets them as they are.
 * - `"repaired"`: it gets them, without calls that nobody answered (`"unanswered-call"`), without an empty list of calls
 *   (`"empty-calls"`), or at another place, right behind the call that they answer (`"reordered"`).
 * - `"summarized"`: it gets the summary that they went into.
 * - `"trimmed"`: the window left them out, or they weren't even read, since it needs only the last (`"not-loaded"`).
 * - `"dropped"`: it doesn't get them, as no model takes them: calls without a result and without text
 *   (`"unanswered-call"`), results without a call (`"orphan-result"`) or of one that has another result
 *   (`"duplicate-result"`), replies that hold nothing (`"empty"`), the rest of a turn whose beginning the store has
 *   dropped (`"cut-turn"`); or the store has them no more (`"not-stored"`).
 */
export type ContextFate = "sent" | "repaired" | "summarized" | "trimmed" | "dropped";

export type ContextReason =
  | OmissionReason
  | "function"
  | "unanswered-call"
  | "empty-calls"
  | "reordered"
  | "duplicate-result"
  | "empty"
  | "cut-turn"
  | "not-stored"
  | "not-loaded";

export interface ContextLabel {
  readonly fate: ContextFate;
  /** Absent for what was sent or summarized. */
  readonly reason?: ContextReason;
}

/** Messages in a row that share their fate. */
export interface ContextRange extends ContextLabel {
  /** The position of the first, counted from the conversation's very first message. */
  readonly from: number;
  /** The position of the last. */
  readonly to: number;
}

/** What the model gets of a conversation, and what it doesn't get, and why. Holds nothing of what was said. */
export interface ContextManifest {
  readonly agentName: string;
  /** How many messages the conversation ever had, those of this run included. */
  readonly messages: number;
  /** Each position from 0 to before `messages` is in exactly one range. In order. */
  readonly ranges: readonly ContextRange[];
  /** How many messages met each fate. */
  readonly counts: Readonly<Record<ContextFate, number>>;
  /** How many messages the model gets, the summary and those that the application's window made included. */
  readonly sent: number;
  /**
   * Present if the model gets no user message, as there is none in the history any more: the store has dropped it, so
   * nobody can tell what was asked. `RunConfig.memory.maxMessages` must be above the longest turn.
   */
  readonly lacksUserMessage?: true;
  /** Present if the model gets a summary. */
  readonly summary?: {
    /** The position of the last message that went into it. */
    readonly upTo: number;
    /** Its length, in UTF-16 units. */
    readonly characters: number;
  };
  /** Present if the run has a window. */
  readonly window?: WindowLimit;
  /** Of all that is sent, without instructions and tools; only where the window counts tokens. */
  readonly estimatedTokens?: number;
  /** What middleware has added to the prompt, e.g. facts about the user, in order. Absent if nothing. */
  readonly additions?: readonly ContextAddition[];
  /** Present if older messages were about to be summarised before this call. */
  readonly compaction?: CompactionReport;
}

/** What a middleware has added to a prompt. It is in no message's range, as it is no part of the conversation. */
export interface ContextAddition {
  /** The middleware's. */
  readonly name: string;
  readonly placement: AdditionPlacement;
  /** The position of the message before which it stands; absent behind the instructions. */
  readonly before?: number;
  /** Its length, in UTF-16 units. */
  readonly characters: number;
}

/** The window as the context manifest names it. */
export interface WindowLimit {
  readonly type: "messages" | "tokens" | "function";
  readonly limit?: number;
  readonly trimTo?: number;
}

/** What came of summarising older messages. Whatever it is, the run goes on. */
export interface CompactionReport {
  /**
   * - `"stored"`: there is a new summary.
   * - `"unstored"`: there is one, which couldn't be stored and serves this run alone.
   * - `"elsewhere"`: another run is making one, or has made it meanwhile.
   * - `"failed"`: there is no new one. A later run tries again, after a pause that grows with each failure.
   * - `"postponed"`: nothing was tried, since it failed a short time ago.
   */
  readonly outcome: "stored" | "unstored" | "elsewhere" | "failed" | "postponed";
  /** How many messages went into the summary, beside those of the one before. */
  readonly messages: number;
  readonly durationMs: number;
  /** Why it failed or couldn't be stored. Of what `summarize` threw, the name and the code alone. */
  readonly reason?: string;
}
