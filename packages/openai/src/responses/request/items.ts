import type { RichToolCall } from "@jaf/memory";
import type { Fields } from "@jaf/model-http";
import { type CallContext, wireCall } from "../../request/wire-call.ts";

/** An item of the input. */
export type InputItem = Fields;

export interface ItemContext extends CallContext {
  /** Of each call that was sent, by its id on the wire, what it is: its output is one of the same kind. */
  readonly kinds: Map<string, "function" | "custom">;
}

/** The API's longest. */
export const MAX_ID_LENGTH = 64;

/** A call, without anything that only its own model understands. */
export function callItem(call: RichToolCall, isOwn: boolean, context: ItemContext): InputItem {
  const known = isOwn && call.id.length <= MAX_ID_LENGTH;
  const { kind, id, name, text } = wireCall(call, known, context);
  context.kinds.set(id, kind);
  return kind === "custom"
    ? { type: "custom_tool_call", call_id: id, name, input: text }
    : { type: "function_call", call_id: id, name, arguments: text };
}

/** What answers a call. */
export function outputItem(id: string, output: unknown, { ids, kinds }: ItemContext): InputItem {
  const call_id = ids.answered(id);
  return {
    type: `${kinds.get(call_id) === "custom" ? "custom_tool" : "function"}_call_output`,
    call_id,
    output,
  };
}
