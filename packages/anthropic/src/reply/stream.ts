import type { ModelStreamChunk } from "@jaf/core";
import { errorIn, type Fields, fieldsOf, isObject, parseJson, type ToolNames } from "@jaf/model-http";
import { errors } from "../errors.ts";
import { isServerCall, partOf, type WireBlock, withoutNull } from "../parts.ts";
import type { MessagesRequest } from "../request/request.ts";
import type { WireReply } from "./message.ts";
import { isBlock, stopReasonIn, usageOf } from "./reply.ts";

/** Collects the pieces of a streamed reply. */
export interface ReplyPieces {
  /**
   * Yields the chunks of the events. Throws an `AnthropicError` if an event reports an error or isn't valid, or if the stream
   * ends before `message_stop`.
   */
  readonly chunksOf: (events: AsyncIterable<string>) => AsyncGenerator<ModelStreamChunk, void>;
  /** Returns the complete reply, after the last event. */
  readonly whole: () => WireReply;
}

/** An empty chunk, because the engine times out if a stream is silent. */
const ALIVE: readonly ModelStreamChunk[] = [{ type: "text_delta", text: "" }];

export function replyPieces({ origin, names }: MessagesRequest, firstCall: number): ReplyPieces {
  const { provider } = origin;
  const blocks = blockPieces(names, firstCall);
  let fields: Fields = {};
  let usage: Fields = {};

  const addFields = (sent: Fields): void => {
    fields = { ...fields, ...withoutNull(sent) };
  };

  const known = (chunks: readonly ModelStreamChunk[] | undefined): readonly ModelStreamChunk[] => {
    if (chunks === undefined) throw errors.malformed(provider, "a delta for an unknown block");
    return chunks;
  };

  const add = (event: Fields): readonly ModelStreamChunk[] => {
    const { type, index } = event;
    switch (type) {
      case "message_start": {
        const { content: _, usage: used, ...message } = fieldsOf(event["message"]);
        addFields(message);
        usage = { ...usage, ...withoutNull(fieldsOf(used)) };
        return ALIVE;
      }
      case "content_block_start": {
        const block = event["content_block"];
        if (!isBlock(block)) throw errors.malformed(provider, "a block without a type");
        return blocks.start(index, block);
      }
      case "content_block_delta":
        return known(blocks.add(index, fieldsOf(event["delta"])));
      case "content_block_stop":
        return known(blocks.stop(index));
      case "message_delta": {
        const { type: _, delta, usage: used, ...further } = event;
        addFields({ ...further, ...fieldsOf(delta) });
        // These counts are cumulative.
        usage = { ...usage, ...withoutNull(fieldsOf(used)) };
        return ALIVE;
      }
      // `ping`, and future types.
      default:
        return ALIVE;
    }
  };

  return {
    chunksOf: async function* (events) {
      for await (const data of events) {
        const event = parseJson(data);
        if (!isObject(event)) throw errors.malformed(provider, "an event that is not JSON");
        const error = errorIn(event);
        if (error !== undefined) throw errors.reported(error, provider);
        if (event["type"] === "error") throw errors.reported(undefined, provider);
        if (event["type"] === "message_stop") return;
        yield* add(event);
      }
      throw errors.cut(provider);
    },
    whole: () => ({
      content: blocks.whole(),
      stopReason: stopReasonIn(fields),
      usage: usageOf(usage),
      fields,
    }),
  };
}

/** Collects the blocks of a streamed reply with all their fields. */
interface BlockPieces {
  /** These return the chunks of an event. `undefined`: the block never began. */
  readonly start: (index: unknown, block: WireBlock) => readonly ModelStreamChunk[];
  readonly add: (index: unknown, delta: Fields) => readonly ModelStreamChunk[] | undefined;
  readonly stop: (index: unknown) => readonly ModelStreamChunk[] | undefined;
  readonly whole: () => readonly WireBlock[];
}

interface OpenBlock {
  readonly fields: Record<string, unknown> & { readonly type: string };
  /** The input so far, as JSON text. */
  json: string;
  /** A call's index among the calls. */
  readonly call: number | undefined;
}

/** `firstCall`: the number of calls before the reply was paused. */
function blockPieces(names: ToolNames, firstCall: number): BlockPieces {
  const blocks = new Map<unknown, OpenBlock>();
  let calls = firstCall;

  return {
    start: (index, sent) => {
      const isCall = sent.type === "tool_use";
      const block: OpenBlock = { fields: { ...sent }, json: "", call: isCall ? calls++ : undefined };
      blocks.set(index, block);
      const { id, name } = sent;
      if (block.call !== undefined) {
        const given = typeof id === "string" ? { id } : {};
        return [{ type: "tool_call_delta", index: block.call, ...given, name: names.toOwn(String(name)) }];
      }
      return chunkOf(index, sent.type, sent["text"] ?? sent["thinking"]);
    },
    add: (index, delta) => {
      const block = blocks.get(index);
      return block === undefined ? undefined : grow(block, delta, index);
    },
    stop: (index) => {
      const block = blocks.get(index);
      if (block === undefined) return undefined;
      const { type } = block.fields;
      const isStreamed = type === "text" || type === "thinking" || block.call !== undefined;
      if (isStreamed) return ALIVE;
      const toolNames = new Map([...blocks.values()].map(wholeBlock).filter(isServerCall).map(named));
      return [{ type: "part", part: partOf(wholeBlock(block), toolNames) }];
    },
    whole: () => [...blocks.values()].map(wholeBlock),
  };
}

const named = ({ id, name }: WireBlock): readonly [unknown, string] => [id, String(name)];

function wholeBlock({ fields, json, call }: OpenBlock): WireBlock {
  if (json === "") return { ...fields };
  // A call keeps its input even if it isn't JSON: the engine reports that.
  return { ...fields, input: call === undefined ? (parseJson(json) ?? json) : json };
}

const chunkOf = (index: unknown, type: string, text: unknown): readonly ModelStreamChunk[] => {
  if (typeof text !== "string" || text === "") return ALIVE;
  if (type === "text") return [{ type: "text_delta", text }];
  return type === "thinking" ? [{ type: "reasoning_delta", text, id: String(index) }] : ALIVE;
};

function grow(block: OpenBlock, delta: Fields, index: unknown): readonly ModelStreamChunk[] {
  const { fields, call } = block;
  switch (delta["type"]) {
    case "input_json_delta": {
      const piece = String(delta["partial_json"] ?? "");
      block.json += piece;
      return call === undefined || piece === ""
        ? ALIVE
        : [{ type: "tool_call_delta", index: call, arguments: piece }];
    }
    case "citations_delta": {
      const { citations } = fields;
      fields["citations"] = [...(Array.isArray(citations) ? citations : []), delta["citation"]];
      return ALIVE;
    }
    case "signature_delta":
      fields["signature"] = delta["signature"];
      return ALIVE;
    default: {
      const { type: _, ...pieces } = delta;
      for (const [field, piece] of Object.entries(pieces)) fields[field] = joinedPiece(fields[field], piece);
      return chunkOf(index, fields.type, delta["text"] ?? delta["thinking"]);
    }
  }
}

/** Appends texts, merges objects, and replaces other values. Works for unknown kinds of pieces, too. */
function joinedPiece(before: unknown, piece: unknown): unknown {
  if (typeof before === "string" && typeof piece === "string") return before + piece;
  if (isObject(before) && isObject(piece)) return { ...before, ...piece };
  return piece === null || piece === undefined ? before : piece;
}
