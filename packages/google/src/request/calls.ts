import type { RichToolCall } from "@jaf/memory";
import { calledTool, present } from "@jaf/memory/engine";
import { type Fields, fieldsOf, inputObject, type ToolNames } from "@jaf/model-http";
import { metadataIn } from "../metadata.ts";

/** How a call stands on the wire, by which its result names it. */
export interface WireCall {
  readonly name: string;
  /** `undefined`: Gemini gave none. */
  readonly id: string | undefined;
}

export interface CallContext {
  readonly names: ToolNames;
  /** The latest call of each id: providers use ids again. */
  readonly calls: Map<string, WireCall>;
}

/** As Gemini itself sent it, its signature with it. */
export function ownCall(call: RichToolCall, context: CallContext): Fields {
  const { withoutId, functionCall, ...further } = metadataIn(call);
  const given = fieldsOf(fieldsOf(call.providerMetadata)["jaf"])["id"];
  const id = withoutId === true ? undefined : typeof given === "string" ? given : call.id;
  return { functionCall: { ...fieldsOf(functionCall), ...called(call, id, context) }, ...further };
}

/** Without anything that only its own model understands. */
export const foreignCall = (call: RichToolCall, context: CallContext): Fields => ({
  functionCall: called(call, call.id, context),
});

function called(call: RichToolCall, id: string | undefined, { names, calls }: CallContext): Fields {
  const { name } = calledTool(call);
  const wire = { name: names.toWire(name), id };
  calls.set(call.id, wire);
  return { ...present({ id }), name: wire.name, args: inputObject(call) };
}

/** The first call of a step carries the signature for all of it, and models may refuse a step without one. */
export function withSignature(parts: readonly Fields[], missing: string | undefined): readonly Fields[] {
  const at = parts.findIndex((part) => part["functionCall"] !== undefined);
  if (missing === undefined || at === -1 || parts[at]?.["thoughtSignature"] !== undefined) return parts;
  return parts.map((part, index) => (index === at ? { ...part, thoughtSignature: missing } : part));
}
