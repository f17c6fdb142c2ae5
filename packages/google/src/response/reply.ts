import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import { errorIn, type Fields, fieldsOf, isObject, listOf } from "@jaf/model-http";
import { errors } from "../error.ts";
import type { GenerateRequest } from "../request/body.ts";
import { isTextPart, isThought } from "../text-runs.ts";
import { mergeCandidate } from "./candidate-fields.ts";
import { assertReply, finishReasonOf, isFilter } from "./finish-reason.ts";
import { messageOf, type ReceivedPart } from "./message.ts";
import { callId, callOf, isCall, otherPart } from "./parts.ts";
import { usageOf } from "./usage.ts";

/** A reply on its way to being whole: of one response, or of those of a stream. */
export interface Reply {
  /** What the engine is told of a response. Throws a `GoogleError` where it reports an error or can't be understood. */
  readonly add: (response: unknown) => readonly ModelStreamChunk[];
  /** Whether the service has said why it ends. */
  readonly isEnded: () => boolean;
  /** Whether there was anything of a reply. */
  readonly isBegun: () => boolean;
  /** Throws a `GoogleError` where it ended for a reason that leaves no reply. */
  readonly whole: () => ModelCompletion;
}

export function openReply(request: GenerateRequest): Reply {
  const { provider } = request.origin;
  const received: ReceivedPart[] = [];
  let beside: Fields = {};
  let usage: Fields = {};
  let reason: string | undefined;
  let isBegun = false;
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
      isBegun ||= Array.isArray(response["candidates"]) || typeof blocked === "string";
      const candidate = fieldsOf(listOf(response["candidates"])[0]);
      beside = mergeCandidate(beside, candidate);
      const stopped = candidate["finishReason"];
      if (typeof stopped === "string" && stopped !== "") reason = stopped;
      const parts = listOf(fieldsOf(candidate["content"])["parts"]).filter(isObject);
      return parts.filter((part) => Object.keys(part).length > 0).flatMap(addPart);
    },
    isEnded: () => reason !== undefined,
    isBegun: () => isBegun,
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
