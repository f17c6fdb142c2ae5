import type { ModelStreamChunk } from "@jaf/core";
import { errorIn, type Fields, fieldsOf, isObject, listOf, parseJson } from "@jaf/model-http";
import { errors } from "../errors.ts";
import { type WireBlock, withoutEmpty } from "../parts.ts";
import type { MessagesRequest } from "../request/request.ts";
import { ALIVE, blockPieces } from "./block-pieces.ts";
import type { WireReply } from "./message.ts";
import { contentIn, isBlock, stopReasonIn } from "./reply.ts";

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

export function replyPieces({ origin, tools }: MessagesRequest): ReplyPieces {
  const { provider } = origin;
  const blocks = blockPieces(tools);
  let fields: Fields = {};
  let usage: Fields = {};
  let isBegun = false;

  const addFields = (sent: Fields): void => {
    fields = { ...fields, ...withoutEmpty(sent) };
  };

  const typed = (block: unknown): WireBlock => {
    if (!isBlock(block)) throw errors.malformed(provider, "a block without a type");
    return block;
  };

  const known = (chunks: readonly ModelStreamChunk[] | undefined): readonly ModelStreamChunk[] => {
    if (chunks === undefined) throw errors.malformed(provider, "a delta for an unknown block");
    return chunks;
  };

  const add = (event: Fields): readonly ModelStreamChunk[] => {
    const { type, index } = event;
    switch (type) {
      case "message_start": {
        const { content, usage: used, ...message } = fieldsOf(event["message"]);
        if (isBegun && message["id"] === fields["id"]) return ALIVE;
        if (isBegun) throw errors.malformed(provider, "two messages");
        isBegun = true;
        addFields(message);
        usage = { ...usage, ...withoutEmpty(fieldsOf(used)) };
        blocks.expect(listOf(contentIn(content)).map(typed));
        return ALIVE;
      }
      case "content_block_start":
        return blocks.start(index, typed(event["content_block"]));
      case "content_block_delta":
        return known(blocks.add(index, fieldsOf(event["delta"])));
      case "content_block_stop":
        return blocks.stop(index);
      case "message_delta": {
        const { delta, usage: used, ...further } = event;
        addFields({ ...further, ...fieldsOf(delta) });
        // These counts are cumulative, so a zero is none, and the iterations are all.
        const { iterations: _, ...begun } = usage;
        const counts = Object.entries(withoutEmpty(fieldsOf(used)));
        usage = {
          ...begun,
          ...Object.fromEntries(counts.filter(([name, count]) => count !== 0 || !begun[name])),
        };
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
        if (event["type"] === "message_stop") {
          addFields(event);
          yield* blocks.end();
          return;
        }
        yield* add(event);
      }
      throw errors.cut(provider);
    },
    whole: () => ({
      content: blocks.whole(),
      stopReason: stopReasonIn(fields),
      usages: [usage],
      fields,
    }),
  };
}
