import type { ModelCompletion, ModelStreamChunk, ModelUsage } from "@jaf/core";
import {
  tokenCount as count,
  errorIn,
  type Fields,
  fieldsOf,
  isObject,
  knownCounts,
  listOf,
} from "@jaf/model-http";
import { errors, GoogleError } from "../error.ts";
import type { GenerateRequest } from "../request/body.ts";
import { isTextPart, isThought } from "../text-runs.ts";
import { messageOf, type ReceivedPart } from "./message.ts";
import { callId, callOf, isCall, otherPart } from "./parts.ts";

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

/** What stands beside a candidate's parts and is for us alone. */
const READ: ReadonlySet<string> = new Set(["content", "index", "finishReason"]);

/**
 * What is said of a reply beside its parts: sources, citations, ratings. Events of a stream may each say some of it, or say
 * it again: objects are merged, and lists within them, such as sources, keep what came before.
 */
function mergeCandidate(known: Fields, candidate: Fields): Fields {
  const merged: Record<string, unknown> = { ...known };
  for (const [field, value] of Object.entries(candidate))
    if (!READ.has(field)) merged[field] = mergedValue(merged[field], value);
  return merged;
}

function mergedValue(before: unknown, value: unknown): unknown {
  if (!isObject(before) || !isObject(value)) return value;
  const merged: Record<string, unknown> = { ...before };
  for (const [field, inner] of Object.entries(value)) {
    const known = merged[field];
    merged[field] = Array.isArray(known) && Array.isArray(inner) ? union(known, inner) : inner;
  }
  return merged;
}

function union(before: readonly unknown[], further: readonly unknown[]): readonly unknown[] {
  const known = new Set(before.map((entry) => JSON.stringify(entry)));
  return [...before, ...further.filter((entry) => !known.has(JSON.stringify(entry)))];
}

/** Reasons of Google's for which it keeps an answer back, or part of it. */
const FILTERS: ReadonlySet<string> = new Set([
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"],
  ...["IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"],
]);

/** The model meant to call a tool, and what it wrote is none: nothing of it counts. */
const MALFORMED: ReadonlySet<string> = new Set([
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"],
]);

const isFilter = (reason: string): boolean => FILTERS.has(reason);

/**
 * In OpenAI's words, as JAF's other providers say it: `"stop"`, `"length"`, `"tool_calls"`, `"content_filter"`; any other in
 * Google's, in small letters.
 */
function finishReasonOf(reason: string, hasCalls: boolean): string {
  if (reason === "STOP") return hasCalls ? "tool_calls" : "stop";
  if (reason === "MAX_TOKENS") return "length";
  return isFilter(reason) ? "content_filter" : reason.toLowerCase();
}

/** Throws a `GoogleError` where there is no reply for this reason. */
function assertReply(reason: string | undefined, provider: string): void {
  if (reason === undefined) return;
  if (MALFORMED.has(reason)) throw errors.malformed(provider, `a call that is none (${reason})`);
  if (reason === "MISSING_THOUGHT_SIGNATURE")
    throw new GoogleError("reported", `${provider} reported an error (${reason})`, {
      code: reason,
      isRetryable: false,
    });
}

const sum = (...counts: readonly (number | undefined)[]): number | undefined =>
  counts.every((each) => each === undefined)
    ? undefined
    : counts.reduce<number>((total, each) => total + (each ?? 0), 0);

/** `undefined` where the service doesn't say. What Google's own tools put into the prompt is input, too. */
function usageOf(sent: unknown): ModelUsage | undefined {
  const usage: Fields = fieldsOf(sent);
  const thoughts = count(usage["thoughtsTokenCount"]);
  return knownCounts({
    inputTokens: sum(count(usage["promptTokenCount"]), count(usage["toolUsePromptTokenCount"])),
    outputTokens: sum(count(usage["candidatesTokenCount"]), thoughts),
    cachedInputTokens: count(usage["cachedContentTokenCount"]),
    reasoningTokens: thoughts,
  });
}
