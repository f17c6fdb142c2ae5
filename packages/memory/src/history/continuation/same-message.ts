import { ownField, sameFields, sameJson, sameLists } from "../../codec/same-json.ts";
import type { Message } from "../../contract/message.ts";
import { isReasoningField, isReasoningPart } from "../messages/message-content.ts";

/**
 * Whether a client's copy of a message is the stored one. They are compared as JSON: key order, number formatting and
 * `undefined` fields make no difference. These also count as equal: a `null` field and an absent one, `""` and `null`
 * content, an empty list of calls and none, and call arguments with the same JSON. Any other additional or missing
 * field is a different message. Numbers are compared as JavaScript reads them, with 53 bits of precision.
 *
 * Invisible fields can be missing from the copy, but not differ: opaque fields, the provider's `id` of the message,
 * additional fields of a call, and reasoning parts.
 */
export const sameMessage = (stored: Message, copy: unknown): boolean =>
  stored === copy || sameFields(stored, copy, sameMessageField);

const isMissing = (copy: unknown): boolean => copy === undefined || copy === null;

function sameMessageField(key: string, stored: unknown, copy: unknown): boolean {
  if (stored === copy) return true;
  if (key === "content") return sameContent(stored, copy);
  if (key === "tool_calls") return sameLists(stored ?? [], copy ?? [], sameCall);
  if (isMissing(copy) && (key === "id" || isProviderField(key))) return true;
  return sameJson(stored ?? undefined, copy ?? undefined);
}

function sameContent(stored: unknown, copy: unknown): boolean {
  if (!Array.isArray(stored)) return sameJson(stored ?? "", copy ?? "");
  const parts: unknown = isMissing(copy) || copy === "" ? [] : copy;
  return Array.isArray(parts) && sameParts(stored, parts);
}

/** Compares the parts in order; reasoning may be missing from the copy. Linear: it never goes back in the copy. */
function sameParts(stored: readonly unknown[], copy: readonly unknown[]): boolean {
  let next = 0;
  for (const part of stored) {
    if (next < copy.length && samePart(part, copy[next])) next += 1;
    else if (!mayBeMissing(part)) return false;
  }
  return next === copy.length;
}

const samePart = (stored: unknown, copy: unknown): boolean => sameFields(stored, copy, samePartField);

const samePartField = (key: string, stored: unknown, copy: unknown): boolean =>
  (isMissing(copy) && isProviderPartField(key)) || sameJson(stored, copy);

const mayBeMissing = (part: unknown): boolean => {
  const type = typeof part === "object" && part !== null ? ownField(part, "type") : undefined;
  return typeof type === "string" && isReasoningPart({ type });
};

const sameCall = (stored: unknown, copy: unknown): boolean => sameFields(stored, copy, sameCallField);

function sameCallField(key: string, stored: unknown, copy: unknown): boolean {
  if (key === "function" || key === "custom") return sameFields(stored, copy, sameFunctionField);
  return (isMissing(copy) && key !== "id" && key !== "type") || sameJson(stored, copy);
}

function sameFunctionField(key: string, stored: unknown, copy: unknown): boolean {
  if (key === "arguments") return sameJson(stored, copy) || sameArguments(stored, copy);
  return (isMissing(copy) && key !== "name" && key !== "input") || sameJson(stored, copy);
}

function sameArguments(a: unknown, b: unknown): boolean {
  const parsed = parseArguments(a);
  return parsed !== undefined && sameJson(parsed, parseArguments(b));
}

/** Returns `undefined` for invalid JSON. */
function parseArguments(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the role of a client's value, or `undefined`. */
export const roleOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null ? ownField(message, "role") : undefined;

export const isRole = (role: unknown): role is Message["role"] =>
  role === "user" || role === "assistant" || role === "tool";

/**
 * Fields of a message, part or call that only a model provider or its adapter writes. Clients can leave them out, but
 * can't add them: the provider would get them as its own.
 */
const PROVIDER_FIELDS: ReadonlySet<string> = new Set([
  ...["origin", "providerMetadata", "providerOptions", "provider_specific_fields", "extra_content"],
  ...["signature", "encrypted", "encrypted_content", "thoughtSignature", "thought_signature"],
]);

export const isProviderField = (key: string): boolean => PROVIDER_FIELDS.has(key) || isReasoningField(key);

/** A part can also name a blob of the store. Its hash doesn't prove that it belongs to this client. */
export const isProviderPartField = (key: string): boolean => key === "blob" || isProviderField(key);
