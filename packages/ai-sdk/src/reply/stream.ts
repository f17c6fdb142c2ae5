import type { ModelStreamChunk } from "@jaf/core";
import { type Fields, isFields } from "../fields.ts";
import type { AiSdkStream, KnownModel } from "../model.ts";
import { collectReply } from "./collector.ts";
import { finishReasonOf } from "./finish-reason.ts";
import { messageOf } from "./message.ts";
import { usageOf } from "./usage.ts";

/**
 * The pieces of the stream that `start` opens. They end without `done` where the stream does without `finish`, or with one that
 * gives no reason, and throws what the stream tells as an error, as `toError` has it.
 */
export async function* chunksOf(
  start: () => PromiseLike<{ readonly stream: AiSdkStream }>,
  model: KnownModel,
  toError: (thrown: unknown) => unknown,
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
      if (!isFields(next.value)) continue;
      const item = next.value;
      if (item["type"] === "error") throw item["error"];
      if (item["type"] !== "finish") {
        yield reply.add(item);
        continue;
      }
      const done = doneOf(item, reply.items, model);
      if (done !== undefined) yield done;
      return;
    }
  } catch (thrown) {
    throw toError(thrown);
  } finally {
    // Not awaited: nothing depends on it, and a connection that hangs would hold up whoever reads.
    if (!isEnded) void reader?.cancel().catch(() => undefined);
  }
}

function doneOf(
  finish: Fields,
  items: readonly Fields[],
  { origin }: KnownModel,
): ModelStreamChunk | undefined {
  const { reason, isUnknown } = finishReasonOf(finish["finishReason"]);
  if (isUnknown) return undefined;
  const usage = usageOf(finish["usage"]);
  return {
    type: "done",
    message: messageOf(items, finish),
    origin,
    ...(usage === undefined ? {} : { usage }),
    ...(reason === undefined ? {} : { finishReason: reason }),
  };
}
