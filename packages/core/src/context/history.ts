import type { Message } from "@jaf/memory";
import type { Journal } from "../memory/journal.ts";
import { loadedFrom } from "../memory/tail-reading.ts";
import { sourceIndexesOf } from "../window/source-indexes.ts";

/** The whole conversation before a model call. */
export interface PositionedHistory {
  /** Sanitized, so that a model accepts it. */
  readonly messages: readonly Message[];
  /**
   * The messages before sanitizing, as they are stored or were handed in. Those that were added since may be missing at the
   * end.
   */
  readonly source: () => readonly Message[];
  /** The position of the first message of `source`, counted from the conversation's first message. */
  readonly first: number;
  /** The position of the first message that the store has. Those from here to before `first` weren't loaded. */
  readonly stored: number;
  /** For each message its index in `source`; messages that were added since count on from the end of `source`. */
  readonly sourceIndexes: () => Int32Array;
}

export type Source = Pick<PositionedHistory, "source" | "first" | "stored">;

/** The messages of a stored conversation: those that were loaded, and those that the run has added since. */
export function storedSource(journal: Journal): Source {
  const { stored, added } = journal.history();
  const loaded = stored?.messages ?? [];
  return {
    source: () => (added.length === 0 ? loaded : [...loaded, ...added]),
    ...loadedFrom(stored),
  };
}

export function positionHistory(
  messages: readonly Message[],
  { source, first, stored }: Source,
): PositionedHistory {
  let sourceIndexes: Int32Array | undefined;
  return {
    messages,
    source,
    first,
    stored,
    sourceIndexes: () => {
      sourceIndexes ??= sourceIndexesOf(source(), messages);
      return sourceIndexes;
    },
  };
}

/** The position of a message, counted from the conversation's first message. */
export const positionAt = ({ first, sourceIndexes }: PositionedHistory, index: number): number =>
  first + (sourceIndexes()[index] ?? 0);
