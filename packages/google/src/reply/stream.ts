import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import {
  doneChunk,
  errorIn,
  type Fields,
  fieldsOf,
  isObject,
  listOf,
  parseJson,
  responseJson,
} from "@jaf/model-http";
import { errors } from "../errors.ts";
import { isTextPart, isThought, otherPart } from "../parts.ts";
import type { GenerateRequest } from "../request/request.ts";
import { callId, callOf, isCall, messageOf, type ReceivedPart } from "./message.ts";
import { assertReply, finishReasonOf, isFilter, mergeCandidate, usageOf } from "./reply.ts";

/** Collects a reply from one response, or from those of a stream. */
export interface Reply {
  /** Returns a response's chunks. Throws a `GoogleError` if the response reports an error or isn't valid. */
  readonly add: (response: unknown) => readonly ModelStreamChunk[];
  /** Whether a finish reason was sent. */
  readonly isEnded: () => boolean;
  /** Whether any candidate, or a block reason, was sent. */
  readonly hasContent: () => boolean;
  /** Returns the complete reply. Throws a `GoogleError` if the finish reason means that there is none. */
  readonly whole: () => ModelCompletion;
}

function openReply(request: GenerateRequest): Reply {
  const { provider } = request.origin;
  const received: ReceivedPart[] = [];
  let beside: Fields = {};
  let usage: Fields = {};
  let reason: string | undefined;
  let hasContent = false;
  let calls = 0;
  let executed = 0;

  const addPart = (sent: Fields): readonly ModelStreamChunk[] => {
    if (isTextPart(sent)) {
      received.push({ sent });
      const text = String(sent["text"]);
      if (text === "") return [];
      return [isThought(sent) ? { type: "reasoning_delta", text } : { type: "text_delta", text }];
    }
    if (isCall(sent)) {
      const call = callOf(sent, callId(sent), request);
      received.push({ sent, call });
      return [callChunk(call, calls++)];
    }
    if (isObject(sent["executableCode"]) || isObject(sent["toolCall"])) executed += 1;
    const part = otherPart(sent, `executed_${executed}`);
    received.push({ sent, part });
    return [{ type: "part", part }];
  };

  return {
    add: (response) => {
      if (!isObject(response)) throw errors.malformed(provider, "an invalid response");
      const error = errorIn(response);
      if (error !== undefined && error !== null) throw errors.reported(error, provider);
      usage = { ...usage, ...fieldsOf(response["usageMetadata"]) };
      const blocked = fieldsOf(response["promptFeedback"])["blockReason"];
      // Any block reason means that the model didn't get the prompt.
      if (typeof blocked === "string") reason = isFilter(blocked) ? blocked : "SAFETY";
      hasContent ||= Array.isArray(response["candidates"]) || typeof blocked === "string";
      const candidate = fieldsOf(listOf(response["candidates"])[0]);
      beside = mergeCandidate(beside, candidate);
      const stopped = candidate["finishReason"];
      if (typeof stopped === "string" && stopped !== "") reason = stopped;
      const parts = listOf(fieldsOf(candidate["content"])["parts"]).filter(isObject);
      return parts.filter((part) => Object.keys(part).length > 0).flatMap(addPart);
    },
    isEnded: () => reason !== undefined,
    hasContent: () => hasContent,
    whole: () => {
      assertReply(reason, provider);
      const used = usageOf(usage);
      const filtered = reason !== undefined && isFilter(reason) ? { finishReason: reason } : {};
      return {
        message: messageOf(received, { ...beside, ...filtered }),
        origin: request.origin,
        ...(reason === undefined ? {} : { finish_reason: finishReasonOf(reason, calls > 0) }),
        ...(used === undefined ? {} : { usage: used }),
      };
    },
  };
}

function callChunk(call: ReturnType<typeof callOf>, index: number): ModelStreamChunk {
  const { id = "", function: called, custom } = call;
  const name = called?.name ?? custom?.name ?? "";
  return { type: "tool_call_delta", index, id, name, arguments: called?.arguments ?? custom?.input ?? "" };
}

/** Reads the body of a 200: one response, or a list, which is a stream not sent as events. */
function readWhole(text: string, request: GenerateRequest): { reply: Reply; chunks: ModelStreamChunk[] } {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
  const reply = openReply(request);
  const responses: readonly unknown[] = Array.isArray(body) ? body : [body];
  const chunks = responses.flatMap((response) => reply.add(response));
  if (!reply.hasContent()) throw errors.malformed(provider, "no candidates");
  return { reply, chunks };
}

/** Parses a body. Throws a `GoogleError` if it reports an error or isn't a response. */
export const completionOf = (text: string, request: GenerateRequest): ModelCompletion =>
  readWhole(text, request).reply.whole();

/** Does the same as `completionOf`, but yields chunks. */
export function* chunksOfWhole(text: string, request: GenerateRequest): Generator<ModelStreamChunk, void> {
  const { reply, chunks } = readWhole(text, request);
  yield* chunks;
  yield doneChunk(reply.whole());
}

/**
 * Yields the chunks of a stream; the last one is `done`. Parts such as a signature may follow the finish reason, so the
 * stream is read to its end. Throws a `GoogleError` if it ends without a finish reason.
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
  yield doneChunk(reply.whole());
}
