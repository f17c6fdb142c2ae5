import * as z from "zod";
import type { EncodedMessage, StoredMessage } from "../contract/backend.ts";
import {
  createFailure,
  createMemoryValidationError,
  createSuccess,
  type MemoryIssue,
  type Result,
} from "../contract/errors.ts";
import { type Message, messageRoles } from "../contract/message.ts";
import { type Fields, isFields } from "../runtime/objects.ts";
import { schemaIssues, unstorable } from "./checks.ts";
import { decodeJson, deepFreeze, encodeJson } from "./json.ts";

const customCallSchema = z.looseObject({
  id: z.string(),
  type: z.literal("custom"),
  custom: z.looseObject({ name: z.string(), input: z.string() }),
});

/**
 * The schema of a call of a tool with JSON arguments. Any `type` is allowed, because some gateways omit it or use their
 * own.
 */
const functionCallSchema = z.looseObject({
  id: z.string(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const isCustom = (call: unknown): boolean =>
  typeof call === "object" && call !== null && "type" in call && call.type === "custom";

/** The schema of any tool call: `customCallSchema` or `functionCallSchema`, depending on the call's type. */
const toolCallSchema = z.unknown().superRefine((call, context) => {
  // A union of the two schemas would report issues that name no field.
  const parsed = (isCustom(call) ? customCallSchema : functionCallSchema).safeParse(call);
  for (const { path, message } of parsed.error?.issues ?? []) {
    context.addIssue({ code: "custom", path, message });
  }
});

const ROLES: ReadonlySet<unknown> = new Set(messageRoles);

const contentPartSchema = z.looseObject({ type: z.string() });

// Ids of calls may be empty or repeated, because some model providers give such ids.
/** The shape of a stored message. It is only a check: the message itself is stored, with its unknown fields. */
export const messageSchema = z.looseObject({
  role: z.enum(messageRoles),
  content: z.union([z.string(), z.array(contentPartSchema), z.null()], {
    error: "expected a string, an array of content parts, or null",
  }),
  // Messages that were exported from other systems contain `null` for missing values.
  tool_call_id: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
});

/** Whether a value is a message with a list of content parts and without calls, by the rules of `messageSchema`. */
const isMessageOfParts = (value: unknown): boolean =>
  // A check with `messageSchema` itself takes several times as long.
  isFields(value) &&
  ROLES.has(value["role"]) &&
  Array.isArray(value["content"]) &&
  value["content"].every((part) => isFields(part) && typeof part["type"] === "string") &&
  value["tool_call_id"] === undefined &&
  value["tool_calls"] === undefined;

/** Messages that are encoded for one write. */
export interface Batch {
  readonly messages: EncodedMessage[];
  readonly issues: MemoryIssue[];
  /** Whether a message of the batch has the role `system` or `developer`. */
  holdsSystemContent: boolean;
}

/**
 * Validates and encodes messages. Adds an issue to `issues` for each invalid value; an invalid message gets an empty
 * body.
 */
export function encodeBatch(messages: unknown, issues: MemoryIssue[]): Batch {
  const batch: Batch = { messages: [], issues, holdsSystemContent: false };
  if (!Array.isArray(messages)) {
    issues.push({ path: "messages", expected: "an array of messages" });
    return batch;
  }
  // A loop, because `map` skips holes in an array.
  for (let index = 0; index < messages.length; index++) {
    batch.messages.push(encodeMessage(messages[index], index, batch));
  }
  return batch;
}

/** Validates and encodes messages. Adds an issue to `issues` for each invalid value. */
export const encodeMessages = (messages: unknown, issues: MemoryIssue[]): readonly EncodedMessage[] =>
  encodeBatch(messages, issues).messages;

function encodeMessage(message: unknown, index: number, batch: Batch): EncodedMessage {
  const { issues } = batch;
  const path = () => `messages[${index}]`;
  try {
    const plain = encodePlainMessage(message);
    if (plain !== undefined) return plain;
    const body = encodeJson(message);
    // Check the text to be stored, not the argument: a getter may return another value at the next read, and hidden
    // fields are not stored. The text is checked with its tags, because no field of the schema may be a date, bytes or
    // a URL.
    const value: unknown = JSON.parse(body);
    const error = isMessageOfParts(value) ? undefined : messageSchema.safeParse(value).error;
    if (error === undefined) {
      const { role } = value as Fields;
      if (role === "system" || role === "developer") batch.holdsSystemContent = true;
      return { body, isToolResult: role === "tool" };
    }
    for (const { path: field, expected } of schemaIssues(error)) {
      issues.push({ path: `${path()}${field}`, expected });
    }
  } catch (thrown) {
    issues.push(unstorable(path(), thrown));
  }
  return { body: "", isToolResult: false };
}

// The same conditions as in `encodeJson`, which refuses all other values with a reason.
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

/**
 * Returns the value of a field as JSON text, without the key. Returns `""` for an absent field, and `undefined` if
 * `encodePlainMessage` can't encode the value.
 */
type FieldEncoder = (key: string, value: unknown) => string | undefined;

// Reads each field only once, so that the value that is checked is also the value that is stored (a getter may return
// different values).
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

/** Encodes a text part that has no fields besides `type` and `text`. Returns `undefined` for every other value. */
function encodeTextPart(part: unknown): string | undefined {
  // Each field is read once, and the fields keep their order. `encodeFields` would take twice as long.
  if (!isPlain(part)) return undefined;
  let first = "";
  let found = 0;
  for (const key in part) {
    if (key !== "type" && key !== "text") return undefined;
    if (first === "") first = key;
    found += 1;
  }
  if (found !== 2) return undefined;
  const { type, text } = part;
  if (type !== "text" || typeof text !== "string") return undefined;
  const json = JSON.stringify(text);
  return first === "type" ? `{"type":"text","text":${json}}` : `{"text":${json},"type":"text"}`;
}

/** Encodes a text, or a list of parts that have only texts. Returns `undefined` for every other value. */
function encodeContent(content: unknown): string | undefined {
  if (!isPlainArray(content)) return encodeText(content);
  let texts = "";
  for (const part of content) {
    const text = encodeTextPart(part);
    if (text === undefined) return undefined;
    // Text added to text, because joining a list of thousands of texts takes longer.
    texts += texts === "" ? text : `,${text}`;
  }
  return `[${texts}]`;
}

const encodeOriginField: FieldEncoder = (key, value) =>
  key === "provider" || key === "api" || key === "model" ? encodeText(value) : undefined;

/**
 * Encodes a plain message. Returns `undefined` for every other value. A plain message has only the fields of {@link
 * Message} and `origin`, and its content is a text or a list of text parts.
 */
export function encodePlainMessage(message: unknown): EncodedMessage | undefined {
  // Nearly all messages are plain. The caller encodes the others with `messageSchema` and `encodeJson`.
  let role: unknown;
  let hasContent = false;
  const body = encodeFields(message, (key, value) => {
    switch (key) {
      case "role":
        role = value;
        return value === "user" || value === "assistant" || value === "tool" ? `"${value}"` : undefined;
      case "content":
        hasContent = true;
        return encodeContent(value);
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

/**
 * Checks untrusted messages (e.g. a request body, or a history of another framework) by the rules of all stores.
 * Returns the same array if all messages are valid, otherwise a `MemoryValidationError` with a path for each issue.
 * Also accepts messages with the additional fields of a {@link RichMessage}; the compiler sees them as `Message`.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, parseMessages } from "@jaf/memory";
 *
 * declare const body: unknown;
 *
 * const parsed = parseMessages(body);
 * if (!parsed.success) throw new TypeError(parsed.error.message);
 * await createInMemoryProvider().storeMessages("conv-123", parsed.data);
 * ```
 */
export function parseMessages(messages: unknown): Result<readonly Message[]> {
  const issues: MemoryIssue[] = [];
  encodeMessages(messages, issues);
  return issues.length === 0
    ? createSuccess(messages as readonly Message[])
    : createFailure(createMemoryValidationError(issues, { operation: "parseMessages" }));
}

/**
 * Thrown if a stored message can't be decoded. Contains the index of the message in the list that was read, but no
 * content.
 */
export class CorruptMessage extends Error {
  override readonly name = "CorruptMessage";
  constructor(readonly index: number) {
    super(`stored message ${index} is not a message`);
  }
}

// The provider validates bodies when it writes them. This check is for messages that other programs wrote into the
// store.
function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null || !("role" in value) || !("content" in value))
    return false;
  return ROLES.has(value.role);
}

/**
 * Decodes the body of a stored message, and freezes the result. If the body isn't a message, throws a `CorruptMessage`
 * that contains `index`.
 */
export function decodeMessage(body: string, index: number): Message {
  let value: unknown;
  try {
    value = decodeJson(body);
  } catch {
    throw new CorruptMessage(index); // The parser's message would quote the content.
  }
  if (!isMessage(value)) throw new CorruptMessage(index);
  return deepFreeze(value);
}

/**
 * Decodes the bodies of stored messages, and freezes the list. Throws {@link CorruptMessage} if a body isn't a message.
 */
export const decodeMessages = (stored: readonly StoredMessage[]): readonly Message[] =>
  Object.freeze(stored.map((body, index) => (typeof body === "string" ? decodeMessage(body, index) : body)));
