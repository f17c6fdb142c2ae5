import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { messageText, partText } from "@jaf/memory/engine";
import { base64Of, type Fields, fieldsOf, isObject, mediaMention } from "@jaf/model-http";
import { metadataIn } from "../metadata.ts";
import { isThought, runOfPart } from "../text-runs.ts";
import { type CallContext, foreignCall, ownCall, withSignature } from "./calls.ts";
import { isMedia } from "./media.ts";
import type { ResultContext } from "./results.ts";

export interface TurnContext extends ResultContext {
  /** Of the model that is about to reply. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: "omit" | "text";
}

const isSame = (a: ModelOrigin | undefined, b: ModelOrigin): boolean =>
  a !== undefined && a.provider === b.provider && a.api === b.api && a.model === b.model;

/** A turn of a model's: everything as it came where it is this model's own, else what was said and called. */
export function modelParts(message: RichMessage, context: TurnContext): readonly Fields[] {
  const parts = isSame(message.origin, context.origin)
    ? ownParts(message, context)
    : foreignParts(message, context);
  // A turn that only thought is none that the service would take.
  if (parts.every(isThought)) return [];
  return withSignature(parts, context.rules.missingSignature);
}

const partsOf = ({ content }: RichMessage): readonly ContentPart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);

/** Calls at their places between the parts, those without one behind. */
function ownParts(message: RichMessage, context: CallContext): readonly Fields[] {
  const waiting: RichToolCall[] = [...(message.tool_calls ?? [])];
  const parts = partsOf(message).flatMap((part): readonly Fields[] => {
    if (part.type !== "tool-call") return ownPart(part);
    const at = waiting.findIndex(({ id }) => id === part["id"]);
    return at === -1 ? [] : waiting.splice(at, 1).map((call) => ownCall(call, context));
  });
  return [...parts, ...waiting.map((call) => ownCall(call, context))];
}

function ownPart(part: ContentPart): readonly Fields[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return runOfPart(part);
    case "provider-tool-call":
    case "provider-tool-result": {
      const { field, ...further } = metadataIn(part);
      const held = part.type === "provider-tool-call" ? part["input"] : part["output"];
      return typeof field === "string" ? [{ [field]: held, ...further }] : [];
    }
    case "media":
    case "reasoning-file":
      return ownMedia(part);
    case "gemini":
      return isObject(part["part"]) ? [part["part"]] : [];
    default: {
      const text = part.type === "refusal" ? part["refusal"] : partText(part);
      return typeof text === "string" && text !== "" ? [{ text }] : [];
    }
  }
}

function ownMedia(part: ContentPart): readonly Fields[] {
  const { inlineData, fileData, ...further } = metadataIn(part);
  const { mediaType: mimeType, data, url } = part as Fields;
  const thought = part.type === "reasoning-file" ? { thought: true } : {};
  if (typeof data === "string" || data instanceof Uint8Array)
    return [
      { inlineData: { ...fieldsOf(inlineData), mimeType, data: base64Of(data) }, ...thought, ...further },
    ];
  if (url === undefined) return [];
  return [{ fileData: { ...fieldsOf(fileData), mimeType, fileUri: String(url) }, ...thought, ...further }];
}

function foreignParts(message: RichMessage, context: TurnContext): readonly Fields[] {
  const text = [thinkingOf(message, context), spokenOf(message)]
    .filter((said) => said.trim() !== "")
    .join("\n\n");
  const calls = (message.tool_calls ?? []).map((call) => foreignCall(call, context));
  return [...(text === "" ? [] : [{ text }]), ...calls];
}

/** Thinking that may be read, in the words of every provider. */
function thinkingOf(message: RichMessage, { foreignReasoning }: TurnContext): string {
  if (foreignReasoning === "omit") return "";
  for (const field of ["reasoning_content", "reasoning"]) {
    const value = message[field];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return partsOf(message)
    .map((part) => (part.type === "reasoning" ? part["text"] : undefined))
    .filter((text) => typeof text === "string")
    .join("\n");
}

/** A refusal counts as said, and of media it is said that they were there. */
function spokenOf(message: RichMessage): string {
  const parts = partsOf(message);
  const refusals = [message["refusal"], ...parts.map((part) => part["refusal"])];
  const lines = [messageText(message), ...refusals, ...parts.filter(isMedia).map(mediaMention)];
  return lines.filter((line) => typeof line === "string" && line !== "").join("\n");
}
