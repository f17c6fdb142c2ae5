import type { MemoryIssue, Message } from "@jaf/memory";
import type { ContextLabel } from "../context/manifest.ts";

export interface WindowInput {
  /** The part of a history that is to be seen. */
  readonly messages: readonly Message[];
  /** What stands before it. */
  readonly summary: Message | undefined;
  /** How many messages are gone between the summary, or the very first message, and the messages given. */
  readonly dropped: number;
  /** The position of the user message at an index, counted from the same. */
  readonly positionOf: (index: number) => number;
}

/** What a window shows of a part of a history. */
export interface ShownMessages {
  readonly messages: readonly Message[];
  /** Absent without one, and where there is no room for it: then nothing is shown. */
  readonly summary: Message | undefined;
  /** What became of the message at an index of what was given; `undefined`: it is shown as it is. */
  readonly label: (index: number) => ContextLabel | undefined;
  /** What is wrong, so that the model must not be called: it wouldn't see what it is to answer. */
  readonly issue: MemoryIssue | undefined;
}
