import type { ModelToolCall } from "@jaf/core";
import type { ContentPart } from "@jaf/memory";
import { type Fields, fieldsOf, isObject } from "@jaf/model-http";
import { asMetadata } from "../metadata.ts";
import type { GenerateRequest } from "../request/body.ts";
import { isThought } from "../text-runs.ts";

type Names = Pick<GenerateRequest, "names" | "textFunctions">;

export const isCall = (part: Fields): boolean => isObject(part["functionCall"]);

/** Gemini's older models give calls no id; `id` is then ours, and doesn't go back. */
export function callOf(part: Fields, id: string, { names, textFunctions }: Names): ModelToolCall {
  const { functionCall, ...further } = part;
  const { id: given, name: wireName, args, ...beside } = fieldsOf(functionCall);
  const metadata = asMetadata({
    ...further,
    ...(Object.keys(beside).length === 0 ? {} : { functionCall: beside }),
    ...(typeof given === "string" && given !== "" ? {} : { withoutId: true }),
  });
  const name = typeof wireName === "string" ? names.toOwn(wireName) : "";
  const input = fieldsOf(args)["input"];
  if (textFunctions.has(name) && typeof input === "string")
    return { id, type: "custom", custom: { name, input }, ...metadata };
  return { id, type: "function", function: { name, arguments: JSON.stringify(args ?? {}) }, ...metadata };
}

/** The id that Gemini gave a call, or a new one. */
export function callId(part: Fields): string {
  const given = fieldsOf(part["functionCall"])["id"];
  return typeof given === "string" && given !== ""
    ? given
    : `call_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** What Google runs itself: under which field, and what we call it. */
const EXECUTED = {
  executableCode: { type: "provider-tool-call", name: "code_execution" },
  codeExecutionResult: { type: "provider-tool-result", name: "code_execution" },
  toolCall: { type: "provider-tool-call", name: undefined },
  toolResponse: { type: "provider-tool-result", name: undefined },
} as const;

/** A part that is neither text nor a call. `lastId`: of the latest call that Google ran itself. */
export function otherPart(part: Fields, lastId: string): ContentPart {
  for (const [field, kind] of Object.entries(EXECUTED)) {
    const held = part[field];
    if (!isObject(held)) continue;
    const { [field]: _, ...further } = part;
    const id = typeof held["id"] === "string" ? held["id"] : lastId;
    const name = kind.name ?? String(held["toolType"] ?? "tool");
    const metadata = asMetadata({ field, ...further });
    if (kind.type === "provider-tool-call") return { type: kind.type, id, name, input: held, ...metadata };
    const outcome = held["outcome"];
    const isError = typeof outcome === "string" && outcome !== "OUTCOME_OK";
    return { type: kind.type, id, name, output: held, ...(isError ? { isError } : {}), ...metadata };
  }
  return mediaPart(part) ?? { type: "gemini", part };
}

/** An image, a sound or a file that the model made, or that it made while it thought. */
function mediaPart(part: Fields): ContentPart | undefined {
  const { inlineData, fileData, thought: _, ...further } = part;
  const type = isThought(part) ? "reasoning-file" : "media";
  if (isObject(inlineData)) {
    const { mimeType, data, ...beside } = inlineData;
    if (typeof mimeType !== "string" || typeof data !== "string") return undefined;
    const kept = Object.keys(beside).length === 0 ? further : { ...further, inlineData: beside };
    return { type, mediaType: mimeType, data, ...asMetadata(kept) };
  }
  if (!isObject(fileData)) return undefined;
  const { mimeType, fileUri, ...beside } = fileData;
  if (typeof mimeType !== "string" || typeof fileUri !== "string") return undefined;
  const kept = Object.keys(beside).length === 0 ? further : { ...further, fileData: beside };
  return { type, mediaType: mimeType, url: fileUri, ...asMetadata(kept) };
}
