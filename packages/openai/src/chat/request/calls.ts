import type { RichToolCall } from "@jaf/memory";
import { type Fields, fieldsOf } from "@jaf/model-http";
import { type CallContext, wireCall } from "../../request/wire-call.ts";

/** As the endpoint itself wrote it, but for the name and the id that the wire needs. */
export function ownCall(call: RichToolCall, context: CallContext): Fields {
  const { providerMetadata: _, ...sent } = call;
  const { kind, id, name, text } = wireCall(call, true, context);
  if (kind === "custom") return { ...sent, id, custom: { ...fieldsOf(call["custom"]), name } };
  const { custom: __, ...rest } = sent;
  return {
    ...rest,
    id,
    type: "function",
    function: { ...fieldsOf(rest["function"]), name, arguments: text },
  };
}

/** Without anything that only its own model understands. */
export function foreignCall(call: RichToolCall, context: CallContext): Fields {
  const { kind, id, name, text } = wireCall(call, false, context);
  return kind === "custom"
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}

/** The first of a step's calls carries the signature for all of them. */
export function withSignature(calls: readonly Fields[], signature: string | undefined): readonly Fields[] {
  const [first, ...others] = calls;
  if (signature === undefined || first === undefined || calls.some(hasSignature)) return calls;
  return [{ ...first, extra_content: { google: { thought_signature: signature } } }, ...others];
}

const hasSignature = (call: Fields): boolean =>
  fieldsOf(fieldsOf(call["extra_content"])["google"])["thought_signature"] !== undefined;
