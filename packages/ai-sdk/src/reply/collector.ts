import type { ModelStreamChunk } from "@jaf/core";
import { type Fields, textField } from "../fields.ts";
import { callOf, isOwnCall, partOf } from "./parts.ts";

/** A streamed reply on its way to be whole. */
export interface ReplyCollector {
  /** What a piece of the stream says to those who watch. */
  readonly add: (piece: Fields) => ModelStreamChunk;
  /** What the model has said so far, as `doGenerate` has it. */
  readonly items: readonly Fields[];
}

/** A text or a thought that is still growing. */
type Block = { readonly type: "text" | "reasoning"; text: string } & Record<string, unknown>;

/** Nothing is said, but the stream is alive: the engine counts for how long it is silent. */
const ALIVE: ModelStreamChunk = { type: "text_delta", text: "" };

const BLOCK_PIECE = /^(text|reasoning)-(start|delta|end)$/;

export function collectReply(): ReplyCollector {
  const items: Fields[] = [];
  const blocks = collectBlocks(items);
  /** Of the calls whose input came in pieces, by id. */
  const indices = new Map<string, number>();
  let calls = 0;

  const addCall = (piece: Fields): ModelStreamChunk => {
    const { id = "", function: called } = callOf(piece);
    items.push(piece);
    if (indices.delete(id)) return ALIVE;
    return { type: "tool_call_delta", index: calls++, id, ...called };
  };

  const startCall = (piece: Fields): ModelStreamChunk => {
    // Text that isn't JSON yet can't be joined to what is; the whole call follows.
    if (piece["providerExecuted"] === true || piece["inputEncoding"] === "text") return ALIVE;
    const id = textField(piece, "id") ?? "";
    const index = calls++;
    indices.set(id, index);
    return { type: "tool_call_delta", index, id, name: textField(piece, "toolName") ?? "" };
  };

  const growCall = (piece: Fields): ModelStreamChunk => {
    const index = indices.get(textField(piece, "id") ?? "");
    if (index === undefined) return ALIVE;
    return { type: "tool_call_delta", index, arguments: textField(piece, "delta") ?? "" };
  };

  const addPart = (piece: Fields): ModelStreamChunk => {
    items.push(piece);
    const part = partOf(piece);
    return part === undefined ? ALIVE : { type: "part", part };
  };

  return {
    items,
    add: (piece) => {
      const type = textField(piece, "type") ?? "";
      if (BLOCK_PIECE.test(type)) return blocks(piece, type);
      switch (type) {
        case "tool-input-start":
          return startCall(piece);
        case "tool-input-delta":
          return growCall(piece);
        case "stream-start":
        case "response-metadata":
        case "tool-input-end":
        case "ping":
        case "raw":
        case "":
          return ALIVE;
        default:
          return isOwnCall(piece) ? addCall(piece) : addPart(piece);
      }
    },
  };
}

function collectBlocks(items: Fields[]): (piece: Fields, type: string) => ModelStreamChunk {
  const open = new Map<string, Block>();
  return (piece, type) => {
    const [kind = "", step] = type.split("-", 2);
    const id = textField(piece, "id") ?? "";
    const key = `${kind}:${id}`;
    let block = step === "start" ? undefined : open.get(key);
    if (block === undefined) {
      block = { type: kind === "reasoning" ? "reasoning" : "text", text: "" };
      items.push(block);
      open.set(key, block);
    }
    // The latest counts: that of the end has the signature.
    for (const name of ["providerMetadata", "citations"]) if (piece[name] != null) block[name] = piece[name];
    if (step === "end") open.delete(key);
    const text = step === "delta" ? (textField(piece, "delta") ?? "") : "";
    if (text === "") return ALIVE;
    block.text += text;
    return block.type === "text" ? { type: "text_delta", text } : { type: "reasoning_delta", text, id };
  };
}
