import type { PartEvent, ReasoningEvent, TextEvent, ToolArgumentsEvent, TurnEvent } from "./turn-event.ts";

/** A piece of a reply that further pieces can continue. */
export type GrowingPiece = TextEvent | ReasoningEvent | ToolArgumentsEvent;

/** A piece of a reply in progress. */
export type ReplyPiece = GrowingPiece | PartEvent;

export const isGrowing = (event: TurnEvent): event is GrowingPiece =>
  event.type === "text" || event.type === "reasoning" || event.type === "tool_arguments";

/** Returns two pieces as one. Returns `undefined` if `next` doesn't continue `last`: it is of another kind or call. */
export function joinedPiece(last: TurnEvent | undefined, next: GrowingPiece): GrowingPiece | undefined {
  if (next.type === "tool_arguments") {
    if (last?.type !== next.type || last.index !== next.index) return undefined;
    return { ...last, ...next, arguments: last.arguments + next.arguments };
  }
  return last?.type === next.type ? { type: next.type, text: last.text + next.text } : undefined;
}

/** Returns the text of a piece, or the text of its arguments. */
export const wordsOf = (piece: GrowingPiece): string =>
  piece.type === "tool_arguments" ? piece.arguments : piece.text;
