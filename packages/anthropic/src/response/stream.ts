import type { ModelStreamChunk } from "@jaf/core";
import { errorIn, type Fields, fieldsOf, isObject, parseJson } from "@jaf/model-http";
import { withoutNull } from "../block-parts.ts";
import { errors } from "../error.ts";
import type { MessagesRequest } from "../request/body.ts";
import { ALIVE, blockPieces } from "./block-pieces.ts";
import { isBlock, stopReasonIn, type WireReply } from "./reply.ts";
import { usageOf } from "./usage.ts";

/** A streamed reply on its way to being whole. */
export interface ReplyPieces {
  /**
   * What the engine is told of the events. Throws an `AnthropicError` where one reports an error or can't be understood, and
   * where they end before `message_stop`.
   */
  readonly chunksOf: (events: AsyncIterable<string>) => AsyncGenerator<ModelStreamChunk, void>;
  /** When the events have ended. */
  readonly whole: () => WireReply;
}

export function replyPieces({ origin, names }: MessagesRequest, firstCall: number): ReplyPieces {
  const { provider } = origin;
  const blocks = blockPieces(names, firstCall);
  let fields: Fields = {};
  let usage: Fields = {};

  const addFields = (sent: Fields): void => {
    fields = { ...fields, ...withoutNull(sent) };
  };

  const known = (chunks: readonly ModelStreamChunk[] | undefined): readonly ModelStreamChunk[] => {
    if (chunks === undefined) throw errors.malformed(provider, "a piece of a block that never began");
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
        if (!isBlock(block)) throw errors.malformed(provider, "a block of no type");
        return blocks.start(index, block);
      }
      case "content_block_delta":
        return known(blocks.add(index, fieldsOf(event["delta"])));
      case "content_block_stop":
        return known(blocks.stop(index));
      case "message_delta": {
        const { type: _, delta, usage: used, ...further } = event;
        addFields({ ...further, ...fieldsOf(delta) });
        // These counts are of all so far.
        usage = { ...usage, ...withoutNull(fieldsOf(used)) };
        return ALIVE;
      }
      // `ping`, and what there may come to be.
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
