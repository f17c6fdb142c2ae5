import { ownField, sameFields, sameJson, sameLists } from "../json/same-json.ts";
import type { Message } from "../message.ts";

/**
 * Whether a client's copy of a message is the stored one. As JSON, so the order of keys, the formatting of numbers and
 * fields that are `undefined` make no difference; nor does a field that is `null` where the other has none, `""`
 * for content that is `null`, an empty list of calls, or the spelling of a call's arguments as long as the JSON in
 * them is the same. A field more or less is another message. Numbers are compared as JavaScript reads them, with 53
 * bits of precision.
 */
export const sameMessage = (stored: Message, copy: unknown): boolean =>
  stored === copy || sameFields(stored, copy, sameMessageField);

function sameMessageField(key: string, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (key === "content") return sameJson(a ?? "", b ?? "");
  if (key === "tool_calls") return sameLists(a ?? [], b ?? [], sameCall);
  return sameJson(a ?? undefined, b ?? undefined);
}

const sameCall = (a: unknown, b: unknown): boolean => sameFields(a, b, sameCallField);

const sameCallField = (key: string, a: unknown, b: unknown): boolean =>
  key === "function" ? sameFields(a, b, sameFunctionField) : sameJson(a, b);

const sameFunctionField = (key: string, a: unknown, b: unknown): boolean =>
  sameJson(a, b) || (key === "arguments" && sameArguments(a, b));

function sameArguments(a: unknown, b: unknown): boolean {
  const parsed = parseArguments(a);
  return parsed !== undefined && sameJson(parsed, parseArguments(b));
}

/** `undefined` for what is no JSON text. */
function parseArguments(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The role of whatever a client sent; `undefined` for what has none. */
export const roleOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null ? ownField(message, "role") : undefined;

export const isRole = (role: unknown): role is Message["role"] =>
  role === "user" || role === "assistant" || role === "tool";
