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

/** A reply on its way to being whole: of one response, or of those of a stream. */
export interface Reply {
  /** What the engine is told of a response. Throws a `GoogleError` where it reports an error or can't be understood. */
  readonly add: (response: unknown) => readonly ModelStreamChunk[];
  /** Whether the service has said why it ends. */
  readonly isEnded: () => boolean;
  /** Whether there was anything of a reply. */
  readonly hasContent: () => boolean;
  /** Throws a `GoogleError` where it ended for a reason that leaves no reply. */
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
      if (!isObject(response)) throw errors.malformed(provider, "something that is no response");
      const error = errorIn(response);
      if (error !== undefined && error !== null) throw errors.reported(error, provider);
      usage = { ...usage, ...fieldsOf(response["usageMetadata"]) };
      const blocked = fieldsOf(response["promptFeedback"])["blockReason"];
      // Whatever the reason, the prompt was kept from the model.
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

/** The body of a 200: a response, or, of a stream that wasn't asked for as events, a list of them. */
function readWhole(text: string, request: GenerateRequest): { reply: Reply; chunks: ModelStreamChunk[] } {
  const { provider } = request.origin;
  const body = responseJson(text, provider, errors);
  const reply = openReply(request);
  const responses: readonly unknown[] = Array.isArray(body) ? body : [body];
  const chunks = responses.flatMap((response) => reply.add(response));
  if (!reply.hasContent()) throw errors.malformed(provider, "no candidates");
  return { reply, chunks };
}

/** Throws a `GoogleError` where the body reports an error or is no response. */
export const completionOf = (text: string, request: GenerateRequest): ModelCompletion =>
  readWhole(text, request).reply.whole();

/** The same, as chunks. */
export function* chunksOfWhole(text: string, request: GenerateRequest): Generator<ModelStreamChunk, void> {
  const { reply, chunks } = readWhole(text, request);
  yield* chunks;
  yield doneChunk(reply.whole());
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
  yield doneChunk(reply.whole());
}
