import type { EncodedMessage } from "../backend/backend.ts";

type Fields = Readonly<Record<string, unknown>>;

// The same conditions as in `encodeJson`: what doesn't meet them goes there, to be refused with a reason.
const isPlain = (value: unknown): value is Fields =>
  typeof value === "object" &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  !("toJSON" in value) &&
  Object.getOwnPropertySymbols(value).length === 0;

const isPlainArray = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) &&
  Object.getPrototypeOf(value) === Array.prototype &&
  !("toJSON" in value) &&
  Object.getOwnPropertySymbols(value).length === 0 &&
  Object.keys(value).length === value.length;

/** The field as JSON text, `""` for one that is absent, `undefined` for one that isn't plain. */
type FieldEncoder = (key: string, value: unknown) => string | undefined;

// Reads each field once, so that what was checked is what is stored.
function encodeFields(value: unknown, encodeField: FieldEncoder): string | undefined {
  if (!isPlain(value)) return undefined;
  let text = "";
  for (const key in value) {
    const field = encodeField(key, value[key]);
    if (field === undefined) return undefined;
    if (field !== "") text += text === "" ? `"${key}":${field}` : `,"${key}":${field}`;
  }
  return `{${text}}`;
}

const encodeText = (value: unknown): string | undefined =>
  typeof value === "string" ? JSON.stringify(value) : undefined;

function encodeFunction(value: unknown): string | undefined {
  let found = 0;
  const text = encodeFields(value, (key, field) => {
    if (key !== "name" && key !== "arguments") return undefined;
    found += 1;
    return encodeText(field);
  });
  return found === 2 ? text : undefined;
}

function encodeCall(value: unknown): string | undefined {
  let found = 0;
  const text = encodeFields(value, (key, field) => {
    found += 1;
    if (key === "id") return field === "" ? undefined : encodeText(field);
    if (key === "type") return field === "function" ? '"function"' : undefined;
    return key === "function" ? encodeFunction(field) : undefined;
  });
  return found === 3 ? text : undefined;
}

function encodeCalls(calls: unknown): string | undefined {
  if (calls === undefined) return "";
  if (!isPlainArray(calls)) return undefined;
  const texts: string[] = [];
  for (const call of calls) {
    const text = encodeCall(call);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return `[${texts.join(",")}]`;
}

const encodeOriginField: FieldEncoder = (key, value) =>
  key === "provider" || key === "api" || key === "model" ? encodeText(value) : undefined;

/**
 * Encodes a message that has the documented fields, maybe an origin, and nothing else, as nearly all do, in one pass.
 * `undefined` for any other value: `messageSchema` and `encodeJson` decide about it. Throws what reading the value throws.
 */
export function encodePlainMessage(message: unknown): EncodedMessage | undefined {
  let role: unknown;
  let hasContent = false;
  const body = encodeFields(message, (key, value) => {
    switch (key) {
      case "role":
        role = value;
        return value === "user" || value === "assistant" || value === "tool" ? `"${value}"` : undefined;
      case "content":
        hasContent = true;
        return encodeText(value);
      case "tool_call_id":
        return value === undefined ? "" : encodeText(value);
      case "tool_calls":
        return encodeCalls(value);
      case "origin":
        return value === undefined ? "" : encodeFields(value, encodeOriginField);
      default:
        return undefined;
    }
  });
  if (body === undefined || role === undefined || !hasContent) return undefined;
  return { body, isToolResult: role === "tool" };
}
