import type { RichToolCall } from "@jaf/memory";
import { calledTool } from "@jaf/memory/engine";
import { type CallIds, isObject, parseJson, type ToolNames } from "@jaf/model-http";
import type { DialectRules } from "../dialect.ts";

export interface CallContext {
  readonly rules: DialectRules;
  readonly names: ToolNames;
  readonly ids: CallIds;
}

/** A call as the endpoint takes it, whichever model made it. */
export interface WireCall {
  readonly kind: "function" | "custom";
  readonly id: string;
  readonly name: string;
  /** JSON of a function, any text of a custom tool. */
  readonly text: string;
}

/** `isOwn`: the endpoint gave the id, and knows it as it is. */
export function wireCall(call: RichToolCall, isOwn: boolean, { rules, names, ids }: CallContext): WireCall {
  const { name, input } = calledTool(call);
  const called = { id: ids.open(call.id, isOwn), name: names.toWire(name) };
  return call.type === "custom" && rules.customTools
    ? { ...called, kind: "custom", text: input }
    : { ...called, kind: "function", text: argumentsOf(call, input, rules) };
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
