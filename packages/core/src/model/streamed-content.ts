import type { ContentPart, ReasoningPart } from "@jaf/memory";

/** The content of a streamed reply, put together in the order in which its pieces come. */
export interface StreamedContent {
  readonly addText: (text: string) => void;
  /** Pieces in a row are one part, unless their `id` changes. */
  readonly addReasoning: (text: string, id: string | undefined) => void;
  readonly addPart: (part: ContentPart) => void;
  /** A call begins here. */
  readonly addCall: (index: number) => void;
  /** The text, if that is all there is; else the parts, with the places of the calls that stand between them. */
  readonly toContent: (idOfCall: (index: number) => string) => string | readonly ContentPart[];
}

type Piece =
  // Joined at the end: a text that grows piece by piece is a chain of strings, which weighs more than its pieces.
  | { readonly kind: "text"; readonly texts: string[] }
  | { readonly kind: "reasoning"; readonly texts: string[]; readonly id: string | undefined }
  | { readonly kind: "part"; readonly part: ContentPart }
  | { readonly kind: "call"; readonly index: number };

export function collectContent(): StreamedContent {
  const pieces: Piece[] = [];
  let last: Piece | undefined;
  let hasParts = false;
  const add = (piece: Piece): void => {
    last = piece;
    hasParts ||= piece.kind === "reasoning" || piece.kind === "part";
    pieces.push(piece);
  };
  return {
    addText: (text) => {
      if (last?.kind === "text") last.texts.push(text);
      else add({ kind: "text", texts: [text] });
    },
    addReasoning: (text, id) => {
      if (last?.kind === "reasoning" && last.id === id) last.texts.push(text);
      else add({ kind: "reasoning", texts: [text], id });
    },
    addPart: (part) => add({ kind: "part", part }),
    addCall: (index) => add({ kind: "call", index }),
    toContent: (idOfCall) => {
      if (!hasParts)
        return pieces.map((piece) => (piece.kind === "text" ? piece.texts.join("") : "")).join("");
      // Calls after the last part need no placeholder.
      const end = pieces.findLastIndex(({ kind }) => kind !== "call") + 1;
      return pieces.slice(0, end).map((piece) => partOf(piece, idOfCall));
    },
  };
}

function partOf(piece: Piece, idOfCall: (index: number) => string): ContentPart {
  switch (piece.kind) {
    case "text":
      return { type: "text", text: piece.texts.join("") };
    case "reasoning":
      return reasoningPart(piece.texts.join(""), piece.id);
    case "part":
      return piece.part;
    case "call":
      return { type: "tool-call", id: idOfCall(piece.index) };
  }
}

const reasoningPart = (text: string, id: string | undefined): ReasoningPart =>
  id === undefined ? { type: "reasoning", text } : { type: "reasoning", text, id };
