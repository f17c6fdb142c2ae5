import type { Message } from "@jaf/memory";
import { sanitizeWithOrigins } from "@jaf/memory/internal";
import type { Journal } from "../stored/journal.ts";
import { loadedFrom } from "../stored/tail.ts";

/** All messages of a conversation before a model call, with their positions. */
export interface PositionedHistory {
  /** The sanitized messages, which model services accept. */
  readonly messages: readonly Message[];
  /**
   * Returns the messages as they were before the sanitizer changed them. If nothing is stored, returns only the
   * messages that were passed to the run.
   */
  readonly source: () => readonly Message[];
  /** The position of the first message of `source` in the conversation. */
  readonly first: number;
  /** The position of the first message that the store still has. */
  readonly stored: number;
  /**
   * Converts an index in `messages` into the index of the same message in `source`. A message that `source` lacks gets
   * an index after the end of `source`.
   */
  readonly originOf: (index: number) => number;
}

export type Source = Pick<PositionedHistory, "source" | "first" | "stored">;

/** Returns the messages of a stored conversation: the loaded messages, then the messages that the run has added. */
export function storedSource(journal: Journal): Source {
  const { stored, added } = journal.history();
  const loaded = stored?.messages ?? [];
  return {
    source: () => (added.length === 0 ? loaded : [...loaded, ...added]),
    ...loadedFrom(stored),
  };
}

/** Returns a history with positions, which are computed on first use. */
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

/** Converts an index in the history's `messages` into a position in the conversation. */
export const positionAt = ({ first, originOf }: PositionedHistory, index: number): number =>
  first + originOf(index);

/** A part of a history's messages, as indexes in the history's `messages`. */
export interface HistorySlice {
  /** The index of the first message of the slice. All messages after it belong to the slice. */
  readonly start: number;
  /** The indexes of tool calls and their results before `start` that belong to the slice, in order. */
  readonly late: readonly number[];
}

/**
 * Returns the messages after a position. An earlier tool call belongs to them if one of its results is after the
 * position.
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
    // This result was stored after its call was summarised, so the summary doesn't include the result.
    else if (isAfter(index) && (late.at(-1) ?? -1) < call) {
      late.push(call);
      for (let result = call + 1; messages[result]?.role === "tool"; result++) late.push(result);
    }
  }
  return { start, late };
}

/** Returns the messages to send to the model if the conversation has no summary. */
export function wholeSlice({ messages, first }: PositionedHistory): HistorySlice {
  // If the store has dropped the beginning of a turn, leaves out the rest of that turn.
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

/**
 * Returns a function that converts an index in the history into an index in the slice. It returns -1 for a message that
 * isn't in the slice.
 */
export function indexIn({ start, late }: HistorySlice): (index: number) => number {
  const early = new Map(late.map((index, at) => [index, at]));
  return (index) => (index >= start ? late.length + index - start : (early.get(index) ?? -1));
}

/** Returns a function that converts an index in the slice into an index in the history. */
export const indexFrom =
  ({ start, late }: HistorySlice): ((index: number) => number) =>
  (index) =>
    index < late.length ? (late[index] ?? 0) : start + index - late.length;
