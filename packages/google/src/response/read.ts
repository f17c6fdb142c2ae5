import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import { parseJson } from "@jaf/model-http";
import { errors } from "../error.ts";
import type { GenerateRequest } from "../request/body.ts";
import { openReply, type Reply } from "./reply.ts";

/** The body of a 200: a response, or, of a stream that wasn't asked for as events, a list of them. */
function readWhole(text: string, request: GenerateRequest): { reply: Reply; chunks: ModelStreamChunk[] } {
  const { provider } = request.origin;
  if (text.trim() === "") throw errors.malformed(provider, "an empty body");
  const body = parseJson(text);
  if (body === undefined) throw errors.malformed(provider, "something that is not JSON");
  const reply = openReply(request);
  const responses: readonly unknown[] = Array.isArray(body) ? body : [body];
  const chunks = responses.flatMap((response) => reply.add(response));
  if (!reply.isBegun()) throw errors.malformed(provider, "no candidates");
  return { reply, chunks };
}

/** Throws a `GoogleError` where the body reports an error or is no response. */
export const completionOf = (text: string, request: GenerateRequest): ModelCompletion =>
  readWhole(text, request).reply.whole();

/** The same, as chunks. */
export function* chunksOfWhole(text: string, request: GenerateRequest): Generator<ModelStreamChunk, void> {
  const { reply, chunks } = readWhole(text, request);
  yield* chunks;
  yield doneOf(reply);
}

/**
 * The chunks of a stream, the last of which is `done`. It goes on behind a finish reason, e.g. with a signature, so it is
 * whole where it ends after one. Throws a `GoogleError` where it ends before.
 */
export async function* chunksOf(
  events: AsyncIterable<string>,
  request: GenerateRequest,
): AsyncGenerator<ModelStreamChunk, void> {
  const reply = openReply(request);
  for await (const data of events) {
    const response = parseJson(data);
    if (response === undefined) throw errors.malformed(request.origin.provider, "an event that is not JSON");
    yield* reply.add(response);
  }
  if (!reply.isEnded()) throw errors.cut(request.origin.provider);
  yield doneOf(reply);
}

function doneOf(reply: Reply): ModelStreamChunk {
  const { message, origin, usage, finish_reason } = reply.whole();
  return {
    type: "done",
    message,
    ...(origin === undefined ? {} : { origin }),
    ...(usage === undefined ? {} : { usage }),
    ...(typeof finish_reason === "string" ? { finishReason: finish_reason } : {}),
  };
}
