import type { ModelStreamChunk } from "@jaf/core";
import { type Fields, textField } from "@jaf/model-http";
import { isCompaction } from "./parts.ts";

/** A text or reasoning whose stream hasn't ended. */
type Block = { readonly type: "text" | "reasoning"; text: string } & Record<string, unknown>;

const BLOCK_PIECE = /^(text|reasoning)-(start|delta|end)$/;

const isBlock = ({ type }: Fields): boolean => type === "text" || type === "reasoning";

/** Checks whether a piece of a stream belongs to a text or reasoning. */
export const isBlockPiece = (piece: Fields): boolean => BLOCK_PIECE.test(textField(piece, "type") ?? "");

/**
 * Returns a function that adds pieces of texts and reasoning to `items`, in the format of `doGenerate`, and returns their
 * text as a chunk. The chunk is empty if the piece has no text.
 */
export function collectBlocks(items: Fields[]): (piece: Fields) => ModelStreamChunk {
  const open = new Map<string, Block>();
  return (piece) => {
    const [kind = "", step] = (textField(piece, "type") ?? "").split("-", 2);
    const id = textField(piece, "id") ?? "";
    const key = `${kind}:${id}`;
    let block = step === "start" ? undefined : open.get(key);
    // Google's text and reasoning go on behind a call.
    if (step === "delta" && !isBlock(items.findLast(({ type }) => type !== "source") ?? {}))
      block = undefined;
    if (block === undefined) {
      block = { type: kind === "reasoning" ? "reasoning" : "text", text: "" };
      items.push(block);
      open.set(key, block);
    }
    // The last metadata wins: the one at the end has the signature.
    for (const name of ["providerMetadata", "citations"]) if (piece[name] != null) block[name] = piece[name];
    if (step === "end") open.delete(key);
    const text = step === "delta" ? (textField(piece, "delta") ?? "") : "";
    block.text += text;
    if (isCompaction(block)) return { type: "text_delta", text: "" };
    return text === "" || block.type === "text"
      ? { type: "text_delta", text }
      : { type: "reasoning_delta", text, id };
  };
}
