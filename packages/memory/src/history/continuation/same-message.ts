import { ownField, sameFields, sameJson, sameLists } from "../../codec/same-json.ts";
import type { Message, RichMessage } from "../../contract/message.ts";
import { isReasoningField, isReasoningPart, isTextPart } from "../messages/message-content.ts";

/**
 * Whether a client's copy of a message equals the stored message. The two are compared as JSON: the order of keys, the
 * format of numbers and `undefined` fields make no difference. These also count as equal:
 *
 * - a `null` field and an absent field,
 * - content `""` and content `null`,
 * - an empty list of calls and no list,
 * - two call arguments that are the same JSON,
 * - a refusal and a text part with its words.
 *
 * With any other additional field, the copy is a different message. Numbers are compared as JavaScript reads them, with
 * 53 bits of precision.
 *
 * Some data of the stored message may be missing in the copy. If the copy has the data, it must be equal:
 *
 * - fields that only a model provider writes, including the `id` of the message,
 * - the field `from` of a message that a timer or background work sent,
 * - reasoning parts,
 * - everything in a model's reply that a page doesn't show, e.g. citations, sources and parts of unknown types.
 *
 * Results of the model provider's own tools aren't compared: a page shows them at their call, which may be in an earlier
 * reply.
 */
export function sameMessage(stored: Message, copy: unknown): boolean {
  if (stored === copy) return true;
  return stored.role === "assistant"
    ? sameFields(withRefusalPart(stored, copy), copy, sameReplyField)
    : sameFields(stored, copy, sameMessageField);
}

const isMissing = (copy: unknown): boolean => copy === undefined || copy === null;

function sameMessageField(key: string, stored: unknown, copy: unknown): boolean {
  if (stored === copy) return true;
  if (key === "content") return sameContent(stored, copy, sameParts(samePart, isReasoning));
  if (key === "tool_calls") return sameLists(stored ?? [], copy ?? [], sameCall);
  if (isMissing(copy) && (key === "id" || key === "from" || isProviderField(key))) return true;
  return sameJson(stored ?? undefined, copy ?? undefined);
}

/** The fields of a reply that a copy must have. */
const REPLY_FIELDS: ReadonlySet<string> = new Set(["role", "content", "tool_calls", "refusal"]);

function sameReplyField(key: string, stored: unknown, copy: unknown): boolean {
  if (key === "content") return sameContent(stored, copy, sameReplyParts);
  return (isMissing(copy) && !REPLY_FIELDS.has(key)) || sameMessageField(key, stored, copy);
}

/** Moves a refusal behind the parts of the content if the copy has no such field, since a page shows it as a text. */
function withRefusalPart(stored: RichMessage, copy: unknown): RichMessage {
  const { content, refusal, ...rest } = stored;
  const given = typeof copy === "object" && copy !== null ? copy : {};
  if (typeof refusal !== "string" || !isMissing(ownField(given, "refusal"))) return stored;
  if (!Array.isArray(ownField(given, "content"))) return stored;
  const said = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  return { ...rest, content: [...said, { type: "refusal", refusal }] };
}

type SameParts = (stored: readonly unknown[], copy: readonly unknown[]) => boolean;

function sameContent(stored: unknown, copy: unknown, same: SameParts): boolean {
  if (!Array.isArray(stored)) return sameJson(stored ?? "", copy ?? "");
  const parts: unknown = isMissing(copy) || copy === "" ? [] : copy;
  return Array.isArray(parts) && same(stored, parts);
}

/**
 * Returns a function that checks whether the copy has the same parts as the stored message, in the same order.
 * `mayBeMissing`: whether the copy may lack a stored part.
 */
const sameParts =
  (same: (stored: object, copy: unknown) => boolean, mayBeMissing: (part: object) => boolean): SameParts =>
  (stored, copy) => {
    let next = 0;
    for (const part of stored) {
      if (typeof part !== "object" || part === null) return false;
      if (next < copy.length && same(part, copy[next])) next += 1;
      else if (!mayBeMissing(part)) return false;
    }
    return next === copy.length;
  };

const samePart = (stored: object, copy: unknown): boolean => sameFields(stored, copy, samePartField);

const samePartField = (key: string, stored: unknown, copy: unknown): boolean =>
  (isMissing(copy) && isProviderPartField(key)) || sameJson(stored, copy);

/** The fields of a reply's parts that a copy must have. */
const REPLY_PART_FIELDS: ReadonlySet<string> = new Set([
  ...["type", "text", "refusal", "mediaType", "data", "url"],
  ...["id", "name", "input", "output", "isError"],
]);

const sameReplyPart = (stored: object, copy: unknown): boolean =>
  sameFields(stored, copy, sameReplyPartField) ||
  (ownField(stored, "type") === "refusal" &&
    sameReplyPart({ type: "text", text: ownField(stored, "refusal") }, copy));

const sameReplyPartField = (key: string, stored: unknown, copy: unknown): boolean =>
  (isMissing(copy) && !REPLY_PART_FIELDS.has(key)) || sameJson(stored, copy);

const sameReplyParts: SameParts = (stored, copy) =>
  sameParts(sameReplyPart, isHidden)(stored, copy.filter(isNoProviderResult));

const isNoProviderResult = (part: unknown): boolean =>
  typeof part !== "object" || part === null || typeOf(part) !== "provider-tool-result";

const typeOf = (part: object): string => String(ownField(part, "type"));

const isReasoning = (part: object): boolean => isReasoningPart({ type: typeOf(part) });

/** The types of parts that a page shows, besides texts. The place of a call isn't one: the calls are compared themselves. */
const SHOWN: ReadonlySet<string> = new Set(["refusal", "media", "provider-tool-call"]);

/** Whether a page shows nothing of the part. */
function isHidden(part: object): boolean {
  const type = typeOf(part);
  if (type === "media") return isMissing(ownField(part, "data")) && isMissing(ownField(part, "url"));
  return isTextPart({ type }) ? ownField(part, "text") === "" : !SHOWN.has(type);
}

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
