import type { Message } from "@jaf/memory";
import { sanitizeWithOrigins } from "@jaf/memory/engine";
import type { Journal } from "../memory/journal.ts";
import { loadedFrom } from "../memory/tail-reading.ts";

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
  /** The index in `source` of the message at an index; messages that were added since count on from the end of `source`. */
  readonly originOf: (index: number) => number;
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

/** Nothing is computed before something asks for it. */
export function positionHistory(
  messages: readonly Message[],
  { source: readSource, first, stored }: Source,
): PositionedHistory {
  let read: readonly Message[] | undefined;
  let sanitized: ReturnType<typeof sanitizeWithOrigins<Message>> | undefined;
  const source = () => {
    read ??= readSource();
    return read;
  };
  return {
    messages,
    source,
    first,
    stored,
    originOf: (index) => {
      sanitized ??= sanitizeWithOrigins(source());
      const added = index - sanitized.messages.length;
      return added < 0 ? sanitized.originOf(index) : source().length + added;
    },
  };
}

/** The position of a message, counted from the conversation's first message. */
export const positionAt = ({ first, originOf }: PositionedHistory, index: number): number =>
  first + originOf(index);
