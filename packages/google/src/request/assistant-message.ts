import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, present } from "@jaf/memory/internal";
import {
  type Fields,
  type ForeignReasoning,
  fieldsOf,
  inputObject,
  isSameOrigin,
  otherModelText,
} from "@jaf/model-http";
import { isThought, metadataIn, ownPart } from "../parts.ts";
import type { CallContext } from "./tools.ts";

export interface AssistantContext extends CallContext {
  /** The origin of the model that the request goes to. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
  /** Whether the service takes ids of calls that it hasn't made. */
  readonly takesIds: boolean;
}

/** The parts of an assistant message: unchanged for this model's own, else its text and calls. */
export function modelParts(message: RichMessage, context: AssistantContext): readonly Fields[] {
  const parts = isSameOrigin(message.origin, context.origin)
    ? ownParts(message, context)
    : foreignParts(message, context);
  // The service refuses a message with only thoughts. A call can be among the thoughts.
  if (parts.every((part) => isThought(part) && part["functionCall"] === undefined)) return [];
  return withSignature(parts, context.rules.missingSignature);
}

const partsOf = ({ content }: RichMessage): readonly ContentPart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);

/** Calls are at their original places between the parts; calls without a place come last. */
function ownParts(message: RichMessage, context: CallContext): readonly Fields[] {
  const waiting: RichToolCall[] = [...(message.tool_calls ?? [])];
  const parts = partsOf(message).flatMap((part): readonly Fields[] => {
    if (part.type !== "tool-call") return ownPart(part);
    const at = waiting.findIndex(({ id }) => id === part["id"]);
    return at === -1 ? [] : waiting.splice(at, 1).map((call) => ownCall(call, context));
  });
  return [...parts, ...waiting.map((call) => ownCall(call, context))];
}

function foreignParts(message: RichMessage, context: AssistantContext): readonly Fields[] {
  const text = otherModelText(message, context.foreignReasoning);
  const calls = (message.tool_calls ?? []).map((call) => foreignCall(call, context));
  return [...(text === "" ? [] : [{ text }]), ...calls];
}

/** The call as Gemini sent it, including its signature. */
function ownCall(call: RichToolCall, context: CallContext): Fields {
  const { withoutId, functionCall, ...further } = metadataIn(call);
  const given = fieldsOf(fieldsOf(call.providerMetadata)["jaf"])["id"];
  const id = withoutId === true ? undefined : typeof given === "string" ? given : call.id;
  return { functionCall: { ...fieldsOf(functionCall), ...called(call, id, context) }, ...further };
}

/** Another model's call, without its opaque fields. */
const foreignCall = (call: RichToolCall, context: AssistantContext): Fields => ({
  functionCall: called(call, context.takesIds ? call.id : undefined, context),
});

function called(
  call: RichToolCall,
  id: string | undefined,
  { names, predefined, calls }: CallContext,
): Fields {
  const { name } = calledTool(call);
  const wire = { name: names.toWire(name), id, args: inputObject(call), isPredefined: predefined.has(name) };
  calls.set(call.id, wire);
  return { ...present({ id }), name: wire.name, args: wire.args };
}

/**
 * Adds a missing signature to the first call of a step: it covers the whole step, and models may refuse a step without it. A
 * message in which Google answered calls itself goes back as it came.
 */
function withSignature(parts: readonly Fields[], missing: string | undefined): readonly Fields[] {
  if (missing === undefined || parts.some((part) => part["functionResponse"] !== undefined)) return parts;
  const at = parts.findIndex((part) => part["functionCall"] !== undefined);
  if (at === -1 || parts[at]?.["thoughtSignature"] !== undefined) return parts;
  return parts.map((part, index) => (index === at ? { ...part, thoughtSignature: missing } : part));
}
