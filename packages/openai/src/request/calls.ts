import type { RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/engine";
import { type CallIds, type Fields, fieldsOf, isObject, parseJson, type ToolNames } from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";

export interface CallContext {
  readonly rules: DialectRules;
  readonly names: ToolNames;
  readonly ids: CallIds;
}

/** As the endpoint itself wrote it, but for the name and the id that the wire needs. */
export function ownCall(call: RichToolCall, { rules, names, ids }: CallContext): Fields {
  const { providerMetadata: _, ...sent } = call;
  const id = ids.open(call.id, true);
  const { name, input } = calledTool(call);
  if (call.type === "custom" && rules.customTools)
    return { ...sent, id, custom: { ...call.custom, name: names.toWire(name) } };
  const { custom: __, ...rest } = sent;
  const text = argumentsOf(call, input, rules);
  return {
    ...rest,
    id,
    type: "function",
    function: { ...fieldsOf(rest["function"]), name: names.toWire(name), arguments: text },
  };
}

/** Without anything that only its own model understands. */
export function foreignCall(call: RichToolCall, { rules, names, ids }: CallContext): Fields {
  const { name, input } = calledTool(call);
  const id = ids.open(call.id, false);
  const wireName = names.toWire(name);
  return call.type === "custom" && rules.customTools
    ? { id, type: "custom", custom: { name: wireName, input } }
    : { id, type: "function", function: { name: wireName, arguments: argumentsOf(call, input, rules) } };
}

/**
 * As the model wrote them. Endpoints that read the arguments of earlier turns refuse the whole conversation for one call
 * that is no JSON object, so there it is wrapped.
 */
function argumentsOf(call: RichToolCall, input: string, rules: DialectRules): string {
  if (call.type === "custom") return JSON.stringify({ input });
  if (rules.anyArguments || isObject(parseJson(input))) return input;
  return input.trim() === "" ? "{}" : JSON.stringify({ input });
}

/** The first of a step's calls carries the signature for all of them. */
export function withSignature(calls: readonly Fields[], signature: string | undefined): readonly Fields[] {
  const [first, ...others] = calls;
  if (signature === undefined || first === undefined || calls.some(hasSignature)) return calls;
  return [{ ...first, extra_content: { google: { thought_signature: signature } } }, ...others];
}

const hasSignature = (call: Fields): boolean =>
  fieldsOf(fieldsOf(call["extra_content"])["google"])["thought_signature"] !== undefined;
