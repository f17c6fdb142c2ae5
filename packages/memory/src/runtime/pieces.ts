/** A text that grows by pieces. */
export interface Pieces {
  readonly add: (piece: string) => void;
  /** Returns all pieces, joined. */
  readonly text: () => string;
}

/** How many pieces are joined at once. Few, so that most of them are garbage while they are young and cheap to collect. */
const BLOCK = 8;

/**
 * Collects the pieces of a text, e.g. of a streamed reply. It joins them in blocks, because a list of many short strings takes
 * several times the memory of its text, and so does a string that grows by `+=`.
 */
export function createPieces(first = ""): Pieces {
  const blocks: string[] = [];
  let pieces = [first];
  return {
    add: (piece) => {
      if (pieces.length === BLOCK) {
        blocks.push(pieces.join(""));
        pieces = [];
      }
      pieces.push(piece);
    },
    text: () => blocks.join("") + pieces.join(""),
  };
}
