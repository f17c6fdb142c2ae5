import { ownField, sameFields, sameJson, sameLists } from "../../codec/same-json.ts";
import type { Message } from "../../contract/message.ts";
import { isReasoningField, isReasoningPart } from "../messages/message-content.ts";

/**
 * Whether a client's copy of a message is the stored one. As JSON, so the order of keys, the formatting of numbers and
 * fields that are `undefined` make no difference; nor does a field that is `null` where the other has none, `""`
 * for content that is `null`, an empty list of calls, or the spelling of a call's arguments as long as the JSON in
 * them is the same. A field more or less is another message. Numbers are compared as JavaScript reads them, with 53
 * bits of precision.
 *
 * What nobody sees may be missing from the copy, but not be another: opaque fields, the provider's `id` of the message,
 * further fields of a call, and reasoning parts.
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

/** Part by part, where reasoning may be missing from the copy. Linear: no part of the copy is gone back to. */
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

/**
 * What only a model's provider or its adapter writes, into a message, a part or a call. A client that shows a conversation
 * needn't keep it, and can't add it: it would go to the provider as the provider's own.
 */
const PROVIDER_FIELDS: ReadonlySet<string> = new Set([
  ...["origin", "providerMetadata", "providerOptions", "provider_specific_fields", "extra_content"],
  ...["signature", "encrypted", "encrypted_content", "thoughtSignature", "thought_signature"],
]);

export const isProviderField = (key: string): boolean => PROVIDER_FIELDS.has(key) || isReasoningField(key);

/** A part may also name a blob of the store's: by its hash, which is no proof that it is this client's. */
export const isProviderPartField = (key: string): boolean => key === "blob" || isProviderField(key);
