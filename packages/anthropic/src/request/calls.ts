import type { RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, messageText, present } from "@jaf/memory/engine";
import {
  type CallIds,
  type Fields,
  fieldsOf,
  inputObject,
  isObject,
  parseJson,
  type ToolNames,
} from "@jaf/model-http";
import type { WireBlock } from "../wire.ts";
import { contentBlocks } from "./media.ts";

export interface CallContext {
  readonly names: ToolNames;
  readonly ids: CallIds;
}

const VALID_ID = /^[a-zA-Z0-9_-]+$/;

/** `isOwn`: with what the model that is asked has put beside it, e.g. the `caller` of a call that code made. */
export function callBlock(call: RichToolCall, isOwn: boolean, { names, ids }: CallContext): WireBlock {
  const {
    id: _,
    type: __,
    function: ___,
    custom: ____,
    providerMetadata: _____,
    ...further
  } = call as Fields;
  const { name } = calledTool(call);
  return {
    ...(isOwn ? further : {}),
    type: "tool_use",
    // One of its own without an id has got one of the engine's, and an application may have written others.
    id: ids.open(call.id, isOwn && VALID_ID.test(call.id)),
    name: names.toWire(name),
    input: inputObject(call),
  };
}

/** `call`: the block that it answers. */
export function resultBlock(message: RichMessage, call: WireBlock): WireBlock {
  const content = typeof message.content === "string" ? undefined : contentBlocks(message.content ?? []);
  const text = messageText(message);
  return {
    type: "tool_result",
    tool_use_id: call["id"],
    ...present({ toolset_name: call["toolset_name"] }),
    ...(content === undefined
      ? text === ""
        ? {}
        : { content: text }
      : content.length > 0
        ? { content }
        : {}),
    ...(isError(message, text) ? { is_error: true } : {}),
  };
}

const FAILURES: ReadonlySet<unknown> = new Set([
  "error",
  "validation_error",
  "permission_denied",
  "not_found",
]);

/** As the engine writes a failed result, or as other frameworks mark one. */
function isError(message: RichMessage, text: string): boolean {
  if (message["isError"] === true || message["is_error"] === true) return true;
  if (!text.startsWith("{")) return false;
  const { status, error } = fieldsOf(parseJson(text));
  return FAILURES.has(status) && isObject(error);
}
