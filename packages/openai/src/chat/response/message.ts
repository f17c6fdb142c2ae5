import type { ModelCompletion } from "@jaf/core";
import { type Fields, fieldsOf, isObject, textInputIn } from "@jaf/model-http";
import type { OpenAIRequest } from "../../provider.ts";

type Names = Pick<OpenAIRequest, "names" | "textFunctions">;

/** A reply's message as it came, but for the names of its calls: the agent's tools have their own. */
export function messageOf(sent: Fields, request: Names): NonNullable<ModelCompletion["message"]> {
  const { content } = sent;
  const calls = sent["tool_calls"];
  return {
    ...sent,
    content: typeof content === "string" || isParts(content) ? content : null,
    ...(Array.isArray(calls)
      ? { tool_calls: calls.map((call: unknown) => ownCall(fieldsOf(call), request)) }
      : {}),
  };
}

const isParts = (content: unknown): content is readonly { readonly type: string }[] =>
  Array.isArray(content) &&
  content.every((part: unknown) => isObject(part) && typeof part["type"] === "string");

function ownCall(call: Fields, { names, textFunctions }: Names): Fields {
  const kind = call["type"] === "custom" ? "custom" : "function";
  const called = call[kind];
  // The engine says what is wrong with it.
  if (!isObject(called) || typeof called["name"] !== "string") return call;
  const name = names.toOwn(called["name"]);
  if (kind === "function" && textFunctions.has(name)) {
    const { function: _, ...rest } = call;
    return { ...rest, type: "custom", custom: { name, input: textInputIn(called["arguments"]) } };
  }
  return name === called["name"] ? call : { ...call, [kind]: { ...called, name } };
}
