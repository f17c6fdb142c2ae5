import type { ModelCompletion, ModelStreamChunk, ModelToolCall } from "@jaf/core";
import type { SourcePart } from "@jaf/memory";
import { doneChunk, type Fields, isObject, isSource, textField } from "@jaf/model-http";
import { callErrorOf } from "../errors.ts";
import type { AiSdkStream } from "../model.ts";
import { collectBlocks, isBlockPiece } from "./blocks.ts";
import { callOf } from "./message.ts";
import { partOf } from "./parts.ts";
import { completionOf, finishReasonOf, type Replying } from "./reply.ts";

/**
 * Yields the chunks of a streamed reply. `start` opens the stream. The last chunk `done` is left out if the stream ends
 * without `finish`, or if its `finish` has no reason. Throws the errors of `callErrorOf`.
 */
export async function* chunksOf(
  start: () => PromiseLike<{ readonly stream: AiSdkStream }>,
  replying: Replying,
): AsyncGenerator<ModelStreamChunk, void, undefined> {
  const { provider } = replying.known.model;
  const reply = collectReply(replying.tools.own);
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
        yield* reply.add(item);
        continue;
      }
      if (finishReasonOf(item["finishReason"], provider).isUnknown) return;
      const completion = completionOf({ ...item, ...reply.collected() }, replying);
      yield* reply.rest(completion.message);
      yield doneChunk(completion);
      return;
    }
  } catch (thrown) {
    throw await callErrorOf(thrown, provider);
  } finally {
    // Not awaited, because a hanging connection would block the reader.
    if (!isEnded) void reader?.cancel().catch(() => undefined);
  }
}

/** Collects the pieces of a streamed reply. */
interface ReplyCollector {
  /** Adds a piece of the stream and returns its chunks for the engine. */
  readonly add: (piece: Fields) => readonly ModelStreamChunk[];
  /** Returns the content and the response so far, in the format of `doGenerate`. */
  readonly collected: () => { readonly content: readonly Fields[]; readonly response: Fields };
  /** Returns the chunks for what the engine isn't told before the whole message is known. */
  readonly rest: (message: ModelCompletion["message"]) => readonly ModelStreamChunk[];
}

/** An empty chunk, which shows that the stream is alive. Without chunks, the engine would time out. */
const ALIVE: ModelStreamChunk = { type: "text_delta", text: "" };

/**
 * Creates the collector of one reply. `own`: the names of the agent's tools. Their calls are told piece by piece. Whether JAF
 * answers any other call is only known from what follows, so it is told later.
 */
function collectReply(own: ReadonlySet<unknown>): ReplyCollector {
  const items: Fields[] = [];
  const addBlock = collectBlocks(items);
  let response: Fields = {};
  /** Indexes of the calls that were told, by call id. */
  const told = new Map<string, number>();
  let calls = 0;
  /** Calls that weren't told, by call id. */
  const held = new Map<unknown, Fields>();

  const tellCall = ({ id = "", function: called }: ModelToolCall): ModelStreamChunk => {
    told.set(id, calls);
    return { type: "tool_call_delta", index: calls++, id, ...called };
  };

  const tellPart = (piece: Fields): ModelStreamChunk => {
    const part = partOf(piece);
    return part === undefined || isSource(part) ? ALIVE : { type: "part", part };
  };

  /** Tells a held call, since the provider answers it. */
  const release = (id: unknown): readonly ModelStreamChunk[] => {
    const call = held.get(id);
    held.delete(id);
    return call === undefined ? [] : [tellPart(call)];
  };

  const tell = (piece: Fields): ModelStreamChunk => {
    const isOwn = own.has(piece["toolName"]) && piece["providerExecuted"] !== true;
    switch (piece["type"]) {
      case "tool-input-start": {
        // Text input isn't streamed, since the complete call has it as JSON.
        if (!isOwn || piece["inputEncoding"] === "text") return ALIVE;
        const name = textField(piece, "toolName") ?? "";
        return tellCall({ id: textField(piece, "id") ?? "", function: { name } });
      }
      case "tool-input-delta": {
        const index = told.get(textField(piece, "id") ?? "");
        if (index === undefined) return ALIVE;
        return { type: "tool_call_delta", index, arguments: textField(piece, "delta") ?? "" };
      }
      case "response-metadata":
        response = { ...response, ...piece };
        return ALIVE;
      case "stream-start":
      case "tool-input-end":
      case "ping":
      case "raw":
        return ALIVE;
      case "tool-call":
        items.push(piece);
        if (isOwn) return told.has(textField(piece, "toolCallId") ?? "") ? ALIVE : tellCall(callOf(piece));
        held.set(piece["toolCallId"], piece);
        return ALIVE;
      case "tool-approval-request":
        held.delete(piece["toolCallId"]);
        items.push(piece);
        return ALIVE;
      default:
        items.push(piece);
        return tellPart(piece);
    }
  };

  return {
    add: (piece) => [
      ...(piece["type"] === "tool-result" ? release(piece["toolCallId"]) : []),
      isBlockPiece(piece) ? addBlock(piece) : tell(piece),
    ],
    collected: () => ({ content: items, response }),
    rest: ({ content, tool_calls: called } = {}) => [
      ...[...held.values()].filter(({ providerExecuted }) => providerExecuted === true).map(tellPart),
      ...(Array.isArray(content) ? content : []).filter(isSource).map(sourceChunk),
      ...(called ?? []).filter(({ id = "" }) => !told.has(id)).map(tellCall),
    ],
  };
}

const sourceChunk = (part: SourcePart): ModelStreamChunk => ({ type: "part", part });
