import type { ModelStreamChunk } from "@jaf/core";
import { doneChunk, type Fields, isObject, textField } from "@jaf/model-http";
import type { AiSdkStream, KnownModel } from "../model.ts";
import { callOf, isOwnCall, partOf } from "./message.ts";
import { completionOf, finishReasonOf } from "./reply.ts";

/**
 * Yields the chunks of a streamed reply. `start` opens the stream. The last chunk `done` is left out if the stream ends
 * without `finish`, or if its `finish` has no reason. `toError` converts errors that are thrown or streamed.
 */
export async function* chunksOf(
  start: () => PromiseLike<{ readonly stream: AiSdkStream }>,
  model: KnownModel,
  toError: (thrown: unknown) => Promise<unknown>,
): AsyncGenerator<ModelStreamChunk, void, undefined> {
  const reply = collectReply();
  let reader: ReturnType<AiSdkStream["getReader"]> | undefined;
  let isEnded = false;
  try {
    reader = (await start()).stream.getReader();
    for (;;) {
      const next = await reader.read();
      isEnded = next.done;
      if (next.done) return;
      if (!isObject(next.value)) continue;
      const item = next.value;
      if (item["type"] === "error") throw item["error"];
      if (item["type"] !== "finish") {
        yield reply.add(item);
        continue;
      }
      if (finishReasonOf(item["finishReason"]).isUnknown) return;
      yield doneChunk(completionOf({ ...item, content: reply.items }, model));
      return;
    }
  } catch (thrown) {
    throw await toError(thrown);
  } finally {
    // Not awaited, because a hanging connection would block the reader.
    if (!isEnded) void reader?.cancel().catch(() => undefined);
  }
}

/** Collects the pieces of a streamed reply. */
interface ReplyCollector {
  /** Adds a piece of the stream and returns its chunk for the engine. */
  readonly add: (piece: Fields) => ModelStreamChunk;
  /** The reply's content so far, in the format of `doGenerate`. */
  readonly items: readonly Fields[];
}

/** A text or reasoning whose stream hasn't ended. */
type Block = { readonly type: "text" | "reasoning"; text: string } & Record<string, unknown>;

/** An empty chunk, which shows that the stream is alive. Without chunks, the engine would time out. */
const ALIVE: ModelStreamChunk = { type: "text_delta", text: "" };

const BLOCK_PIECE = /^(text|reasoning)-(start|delta|end)$/;

function collectReply(): ReplyCollector {
  const items: Fields[] = [];
  const blocks = collectBlocks(items);
  /** Indexes of the tool calls whose input is streamed, by call id. */
  const indices = new Map<string, number>();
  let calls = 0;

  const addCall = (piece: Fields): ModelStreamChunk => {
    const { id = "", function: called } = callOf(piece);
    items.push(piece);
    if (indices.delete(id)) return ALIVE;
    return { type: "tool_call_delta", index: calls++, id, ...called };
  };

  const startCall = (piece: Fields): ModelStreamChunk => {
    // Text input isn't streamed, since the complete call has it as JSON.
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
    // The last metadata wins: the one at the end has the signature.
    for (const name of ["providerMetadata", "citations"]) if (piece[name] != null) block[name] = piece[name];
    if (step === "end") open.delete(key);
    const text = step === "delta" ? (textField(piece, "delta") ?? "") : "";
    if (text === "") return ALIVE;
    block.text += text;
    return block.type === "text" ? { type: "text_delta", text } : { type: "reasoning_delta", text, id };
  };
}
