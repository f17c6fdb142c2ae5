import type { Message } from "@jaf/memory";
import { sanitizeWithOrigins } from "@jaf/memory/internal";
import type { Journal } from "../stored/journal.ts";
import { loadedFrom } from "../stored/tail.ts";

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

/** A part of a history's messages, by their indexes. */
export interface HistorySlice {
  /** All messages from this index on. */
  readonly start: number;
  /** And these earlier ones, in order: calls that got a result later, each with all its results. */
  readonly late: readonly number[];
}

/**
 * The messages after a position. A call counts by the position of its last result: a result that comes after its call was
 * summarised isn't in the summary, so the call is shown again with it.
 */
export function sliceAfter(history: PositionedHistory, position: number): HistorySlice {
  const { messages, first } = history;
  if (position < first) return { start: 0, late: [] };
  const isAfter = (index: number) => positionAt(history, index) > position;
  const found = messages.findIndex(({ role }, index) => role !== "tool" && isAfter(index));
  const start = found === -1 ? messages.length : found;
  const late: number[] = [];
  let call = 0;
  for (let index = 0; index < start; index++) {
    if (messages[index]?.role !== "tool") call = index;
    else if (isAfter(index) && (late.at(-1) ?? -1) < call) {
      late.push(call);
      for (let result = call + 1; messages[result]?.role === "tool"; result++) late.push(result);
    }
  }
  return { start, late };
}

/** The messages to show where there is no summary. */
export function wholeSlice({ messages, first }: PositionedHistory): HistorySlice {
  // Without the rest of a turn whose beginning the store has dropped.
  const user = first === 0 ? 0 : messages.findIndex(({ role }) => role === "user");
  return { start: Math.max(0, user), late: [] };
}

export function messagesOf(
  { messages }: PositionedHistory,
  { start, late }: HistorySlice,
): readonly Message[] {
  const after = start === 0 ? messages : messages.slice(start);
  return late.length === 0 ? after : [...late.flatMap((index) => messages[index] ?? []), ...after];
}

/** Which message of the slice each message of the history is; -1 where it isn't in it. */
export function indexIn({ start, late }: HistorySlice): (index: number) => number {
  const early = new Map(late.map((index, at) => [index, at]));
  return (index) => (index >= start ? late.length + index - start : (early.get(index) ?? -1));
}

/** Which message of the history each message of the slice is. */
export const indexFrom =
  ({ start, late }: HistorySlice): ((index: number) => number) =>
  (index) =>
    index < late.length ? (late[index] ?? 0) : start + index - late.length;
