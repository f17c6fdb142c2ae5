import type { StoredSelection } from "./backend.ts";

interface Positions {
  /** How many messages are stored. */
  readonly totalMessages: number;
  readonly nextPosition: number;
  /** The position of the message with this id of its own; `undefined` for none. */
  readonly positionOf: (messageId: string) => number | undefined;
}

/**
 * The range of stored messages that a selection means, as indexes in their list, the end exclusive. For a backend that has
 * all messages in memory. An empty selection is `[totalMessages, totalMessages]` or another empty range.
 */
export function selectedBounds(
  selection: StoredSelection,
  { totalMessages, nextPosition, positionOf }: Positions,
): readonly [from: number, end: number] {
  const first = nextPosition - totalMessages;
  switch (selection.kind) {
    case "all":
      return [0, totalMessages];
    case "none":
      return [totalMessages, totalMessages];
    case "last":
      return [Math.max(0, totalMessages - selection.limit), totalMessages];
    case "range": {
      const { after, before, limit = Number.POSITIVE_INFINITY } = selection;
      const from = after === undefined ? 0 : Math.min(Math.max(0, after + 1 - first), totalMessages);
      const end =
        before === undefined ? totalMessages : Math.min(Math.max(from, before - first), totalMessages);
      return after === undefined ? [Math.max(from, end - limit), end] : [from, Math.min(end, from + limit)];
    }
    case "message": {
      const position = positionOf(selection.messageId);
      return position === undefined
        ? [totalMessages, totalMessages]
        : [position - first, position - first + 1];
    }
  }
}
