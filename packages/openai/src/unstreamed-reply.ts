import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";

/** The chunks of a reply that came in one piece, though a stream was asked for. */
export function* chunksOfUnstreamed(
  completion: ModelCompletion,
  origin: ModelOrigin,
): Generator<ModelStreamChunk> {
  const { message, usage, finish_reason } = completion;
  const text = spoken(message?.content);
  if (text !== "") yield { type: "text_delta", text };
  yield {
    type: "done",
    message,
    origin,
    ...(usage === undefined ? {} : { usage }),
    ...(typeof finish_reason === "string" ? { finishReason: finish_reason } : {}),
  };
}

const spoken = (content: NonNullable<ModelCompletion["message"]>["content"]): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => partText(part) ?? "").join("");
