import type { ContextManifest, Interruption, ModelOrigin, ModelUsage } from "@jaf/core";
import type { TurnEnd } from "./turn-event.ts";

/** What remains of a turn once its events have expired: what the model saw, by reference, and what it cost. As JSON in the log. */
export interface TurnRecord {
  /** The agent that the turn began with. */
  readonly agentName: string;
  /** ISO 8601, by the clock of the process. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly status: TurnEnd["status"];
  /** Which messages the turn added: from the position `from`, up to but without `to`. Absent if that isn't known. */
  readonly positions?: { readonly from: number; readonly to: number };
  /** The first 200, in order. */
  readonly calls: readonly RecordedCall[];
  /** The instructions that the model got, each once, without what middleware added to them. */
  readonly instructions: readonly string[];
  /** The ids of the facts about the user that the prompts held. Never their text. */
  readonly facts: readonly string[];
  /** What it waits for. `expiresAt` is a text here. */
  readonly interruptions: readonly Interruption[];
  readonly usage?: ModelUsage;
}

/** A call of a model. */
export interface RecordedCall {
  readonly agentName: string;
  readonly manifest?: ContextManifest;
  /** Which of `TurnRecord.instructions` it got. Absent if the call was made by a process that is gone. */
  readonly instructions?: number;
  readonly model?: string;
  readonly status?: "success" | "error";
  readonly durationMs?: number;
  readonly usage?: ModelUsage;
  readonly cost?: number;
  readonly finishReason?: string;
  readonly origin?: ModelOrigin;
}
