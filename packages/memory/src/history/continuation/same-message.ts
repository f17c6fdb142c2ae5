import { ownField, sameFields, sameJson, sameLists } from "../../codec/same-json.ts";
import type { Message } from "../../contract/message.ts";
import { isReasoningField, isReasoningPart } from "../messages/message-content.ts";

/**
 * Whether a client's copy of a message equals the stored message. The two are compared as JSON: the order of keys, the
 * format of numbers and `undefined` fields make no difference. These also count as equal:
 *
 * - a `null` field and an absent field,
 * - content `""` and content `null`,
 * - an empty list of calls and no list,
 * - two call arguments that are the same JSON.
 *
 * With any other additional field, the copy is a different message. Numbers are compared as JavaScript reads them, with
 * 53 bits of precision.
 *
 * Some data of the stored message may be missing in the copy. If the copy has the data, it must be equal:
 *
 * - fields that only a model provider writes, including the `id` of the message,
 * - additional fields of a call,
 * - reasoning parts.
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

/**
 * Whether the copy has the same parts as the stored message, in the same order. Reasoning parts may be missing in the
 * copy.
 */
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

/** Parses the arguments of a call. Returns `undefined` if the arguments are invalid JSON. */
function parseArguments(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the role of a message from a client, or `undefined` if the value has no role. */
export const roleOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null ? ownField(message, "role") : undefined;

export const isRole = (role: unknown): role is Message["role"] =>
  role === "user" || role === "assistant" || role === "tool";

// A model provider would treat a field that a client added as its own data.
/**
 * The fields of a message, part or call that only a model provider, or its code, writes. A client must not add them,
 * but its copy may lack them.
 */
const PROVIDER_FIELDS: ReadonlySet<string> = new Set([
  ...["origin", "providerMetadata", "providerOptions", "provider_specific_fields", "extra_content"],
  ...["signature", "encrypted", "encrypted_content", "thoughtSignature", "thought_signature"],
]);

export const isProviderField = (key: string): boolean => PROVIDER_FIELDS.has(key) || isReasoningField(key);

// `blob` counts, because the hash in it doesn't prove that the bytes belong to this client.
/** Whether only a model provider or a store writes this field of a part. */
export const isProviderPartField = (key: string): boolean => key === "blob" || isProviderField(key);
