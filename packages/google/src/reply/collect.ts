import type { ModelCompletion, ModelStreamChunk } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { errorIn, type Fields, fieldsOf, isObject, listOf } from "@jaf/model-http";
import { errors } from "../errors.ts";
import { isTextPart, isThought, otherPart, textIn } from "../parts.ts";
import type { GenerateRequest } from "../request/request.ts";
import { type Call, createCalls, newId } from "./calls.ts";
import { messageOf, type ReceivedPart } from "./message.ts";
import { createMetadata, firstCandidate } from "./metadata.ts";
import { assertReply, finishReasonOf, isFilter, usageOf } from "./reply.ts";

/** Collects a reply from one response, or from those of a stream. */
export interface Reply {
  /** Returns a response's chunks. Throws a `GoogleError` if the response reports an error or isn't valid. */
  readonly add: (response: unknown) => readonly ModelStreamChunk[];
  /** Whether a finish reason was sent. */
  readonly isEnded: () => boolean;
  /**
   * Returns the token with which to ask for the rest of a reply that is longer than one response may be; `undefined` if there is
   * no rest, or no other token than the last one.
   */
  readonly continuation: (last: string | undefined) => string | undefined;
  /** Whether any candidate, or a block reason, was sent. */
  readonly hasContent: () => boolean;
  /**
   * Returns the complete reply, and the chunks that only its end allows: calls that the reply could still have answered, and
   * sources. Throws a `GoogleError` if there is no reply.
   */
  readonly end: () => { readonly completion: ModelCompletion; readonly chunks: readonly ModelStreamChunk[] };
}

/** A part of nothing but a signature is an empty text, since the service takes no part without content. */
const withText = (part: Fields): Fields =>
  Object.keys(part).every((field) => field.startsWith("thought")) ? { text: "", ...part } : part;

export function openReply(request: GenerateRequest): Reply {
  const { provider } = request.origin;
  const received: (ReceivedPart | Call)[] = [];
  const calls = createCalls(request);
  const metadata = createMetadata();
  let usage: Fields = {};
  /** The usage of the responses that this one continues. */
  const earlier: Fields[] = [];
  let reason: string | undefined;
  let hasContent = false;
  let token: string | undefined;
  /** The calls of Google's own tools that have no result yet. */
  const waiting = new Set<ContentPart>();

  /** Gives a call without an id a new one, and a result the id of its call: the first open one of its tool, if no call has its id. */
  const identified = (part: ContentPart): ContentPart => {
    const { type, id, name } = part;
    if (type !== "provider-tool-call" && type !== "provider-tool-result") return part;
    const isCall = type === "provider-tool-call";
    const open = isCall ? [] : [...waiting];
    const called = open.find((call) => call["id"] === id) ?? open.find((call) => call["name"] === name);
    const known = { ...part, id: called?.["id"] ?? id ?? newId() };
    if (isCall) waiting.add(known);
    if (called !== undefined) waiting.delete(called);
    return known;
  };

  const addOther = (sent: Fields): readonly ModelStreamChunk[] => {
    const part = identified(otherPart(sent));
    received.push({ sent, part });
    return [{ type: "part", part }];
  };

  const addPart = (sent: Fields, place: number): readonly ModelStreamChunk[] => {
    if (isTextPart(sent)) {
      received.push({ sent, isFirst: place === 0 });
      const text = String(sent["text"]);
      if (text === "") return [];
      return [isThought(sent) ? { type: "reasoning_delta", text } : { type: "text_delta", text }];
    }
    if (isObject(sent["functionCall"])) {
      const { begun, chunks } = calls.add(sent);
      if (begun !== undefined) received.push(begun);
      return chunks;
    }
    if (isObject(sent["functionResponse"])) {
      const call = calls.answer(sent["functionResponse"]);
      if (call === undefined) return addOther(sent);
      const part = otherPart(call.sent, call.id);
      received[received.indexOf(call)] = { sent: call.sent, part };
      const result = otherPart(sent, call.id);
      received.push({ sent, part: result });
      return [
        { type: "part", part },
        { type: "part", part: result },
      ];
    }
    return addOther(sent);
  };

  return {
    add: (response) => {
      const error = errorIn(response);
      if (error !== undefined) throw errors.reported(error, provider);
      if (!isObject(response)) throw errors.malformed(provider, "an invalid response");
      usage = { ...usage, ...fieldsOf(response["usageMetadata"]) };
      metadata.add(response);
      const blocked = textIn(fieldsOf(response["promptFeedback"])["blockReason"]);
      // Any other block reason means that the model didn't get the prompt.
      if (blocked?.endsWith("_UNSPECIFIED") === false) reason = isFilter(blocked) ? blocked : "SAFETY";
      hasContent ||= Array.isArray(response["candidates"]) || reason !== undefined;
      const candidate = firstCandidate(response);
      token = textIn(candidate["continuationToken"]) ?? token;
      reason = textIn(candidate["finishReason"]) ?? reason;
      return listOf(fieldsOf(candidate["content"])["parts"]).filter(isObject).map(withText).flatMap(addPart);
    },
    isEnded: () => reason !== undefined,
    hasContent: () => hasContent,
    continuation: (last) => {
      if (reason !== "CONTINUATION" || token === last) return undefined;
      earlier.push(usage);
      usage = {};
      reason = undefined;
      return token;
    },
    end: () => {
      assertReply(reason, provider);
      const told = calls.end(reason ?? "no finish reason");
      const filtered = reason !== undefined && isFilter(reason) ? { finishReason: reason } : {};
      const { message, sources } = messageOf(received, { ...metadata.fields(), ...filtered });
      const used = usageOf([...earlier, usage]);
      const completion = {
        message,
        origin: request.origin,
        ...(reason === undefined ? {} : { finish_reason: finishReasonOf(reason, calls.count() > 0) }),
        ...(used === undefined ? {} : { usage: used }),
      };
      return { completion, chunks: [...told, ...sources.map((part) => ({ type: "part" as const, part }))] };
    },
  };
}
