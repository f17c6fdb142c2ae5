import type { ContentPart } from "@jaf/memory";
import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import { asMetadata, metadataIn } from "./metadata.ts";

/** Whether a part of Gemini's is text, said or thought. */
export const isTextPart = (part: Fields): boolean => typeof part["text"] === "string";

export const isThought = (part: Fields): boolean => part["thought"] === true;

interface Piece {
  readonly text: string;
  /** Its signature, and whatever else stands beside its text. */
  readonly further: Fields;
}

function pieceOf(part: Fields): Piece {
  const { text, thought: _, ...further } = part;
  return { text: String(text), further };
}

const isPlain = ({ further }: Piece): boolean => Object.keys(further).length === 0;

/**
 * Texts in a row, which a stream cuts anywhere, as one part. Google says that a text with a signature must not be merged
 * with one without, so the part says where the pieces met: `{ pieces: [{ length, thoughtSignature? }] }`.
 *
 * @returns `undefined` where nothing is in them.
 */
export function partOfRun(run: readonly Fields[]): ContentPart | undefined {
  const pieces: Piece[] = [];
  for (const piece of run.map(pieceOf)) {
    const last = pieces.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(piece))
      pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
    else if (piece.text !== "" || !isPlain(piece)) pieces.push(piece);
  }
  const [first, ...others] = pieces;
  if (first === undefined) return undefined;
  const type = run.some(isThought) ? "reasoning" : "text";
  if (others.length === 0) return { type, text: first.text, ...asMetadata(first.further) };
  return {
    type,
    text: pieces.map(({ text }) => text).join(""),
    ...asMetadata({ pieces: pieces.map(({ text, further }) => ({ ...further, length: text.length })) }),
  };
}

/** The parts of Gemini's that it was made of. Where its text has been changed since, it is one text, unsigned. */
export function runOfPart(part: ContentPart): readonly Fields[] {
  const text = typeof part["text"] === "string" ? part["text"] : "";
  const thought = part.type === "reasoning" ? { thought: true } : {};
  const metadata = metadataIn(part);
  if (metadata["pieces"] === undefined) {
    const isNothing = text === "" && Object.keys(metadata).length === 0;
    return isNothing ? [] : [{ text, ...thought, ...metadata }];
  }
  const pieces = listOf(metadata["pieces"]).map(fieldsOf);
  const length = pieces.reduce((sum, piece) => sum + Number(piece["length"]), 0);
  if (length !== text.length) return text === "" ? [] : [{ text, ...thought }];
  let from = 0;
  return pieces.map(({ length, ...further }) => {
    const piece = text.slice(from, from + Number(length));
    from += piece.length;
    return { text: piece, ...thought, ...further };
  });
}
