import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";
import {
  base64Of,
  type Fields,
  type ForeignReasoning,
  fieldsOf,
  isObject,
  isSameOrigin,
  otherModelText,
} from "@jaf/model-http";
import { metadataIn } from "../metadata.ts";
import { isThought, runOfPart } from "../text-runs.ts";
import { type CallContext, foreignCall, ownCall, withSignature } from "./calls.ts";
import type { ResultContext } from "./results.ts";

export interface TurnContext extends ResultContext {
  /** Of the model that is about to reply. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
}

/** A turn of a model's: everything as it came where it is this model's own, else what was said and called. */
export function modelParts(message: RichMessage, context: TurnContext): readonly Fields[] {
  const parts = isSameOrigin(message.origin, context.origin)
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
  const text = otherModelText(message, context.foreignReasoning);
  const calls = (message.tool_calls ?? []).map((call) => foreignCall(call, context));
  return [...(text === "" ? [] : [{ text }]), ...calls];
}
