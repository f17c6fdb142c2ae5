import { hash } from "node:crypto";
import type { ConversationWrite, EncodedMessage } from "../backend/backend.ts";
import type { MemoryIssue } from "../errors.ts";
import type { Message } from "../message.ts";
import type { WriteMetadata, WriteOptions } from "../provider.ts";
import {
  type Checked,
  checked,
  guarded,
  integerIssue,
  objectIssue,
  pushIssue,
  unstorable,
} from "./checks.ts";
import { idIssue, isPortableText } from "./ids.ts";
import { decodeJson, encodeJson, type JsonObject, type JsonValue, toJsonValue } from "./json.ts";
import { messageSchema } from "./message-schema.ts";
import { encodePlainMessage } from "./plain-message.ts";
import { schemaIssues } from "./schema-issues.ts";

/** The store's own fields: not stored when a caller hands them back in. */
const RESERVED_METADATA = new Set([
  "createdAt",
  "updatedAt",
  "totalMessages",
  "lastActivity",
  "version",
  "userId",
]);

function encodeMessage(message: unknown, index: number, issues: MemoryIssue[]): EncodedMessage {
  const path = () => `messages[${index}]`;
  try {
    const plain = encodePlainMessage(message);
    if (plain !== undefined) return plain;
    const body = encodeJson(message);
    // What is stored, and not what was handed in: a getter answers anew, and hidden fields are not stored.
    const parsed = messageSchema.safeParse(decodeJson(body));
    if (parsed.success) return { body, isToolResult: parsed.data.role === "tool" };
    for (const { path: field, expected } of schemaIssues(parsed.error)) {
      issues.push({ path: `${path()}${field}`, expected });
    }
  } catch (thrown) {
    issues.push(unstorable(path(), thrown));
  }
  return { body: "", isToolResult: false };
}

/** Validates and encodes a batch; collects into `issues`. */
export function encodeMessages(messages: unknown, issues: MemoryIssue[]): readonly EncodedMessage[] {
  if (!Array.isArray(messages)) {
    issues.push({ path: "messages", expected: "an array of messages" });
    return [];
  }
  const encoded: EncodedMessage[] = [];
  // Unlike `map`, this visits holes.
  for (let index = 0; index < messages.length; index++) {
    encoded.push(encodeMessage(messages[index], index, issues));
  }
  return encoded;
}

function encodeField(key: string, value: unknown, issues: MemoryIssue[]): JsonValue {
  const path = () => `metadata.${key}`;
  try {
    const json = toJsonValue(value);
    // Metadata is searchable as jsonb, which, unlike the bodies' text, can't hold these even escaped.
    if (!isPortableText(key) || !everyString(json, isPortableText)) {
      issues.push({ path: path(), expected: "no NUL character and no unpaired surrogate" });
    }
    return json;
  } catch (thrown) {
    issues.push(unstorable(path(), thrown));
    return null;
  }
}

function encodeMetadata(metadata: WriteMetadata, issues: MemoryIssue[]): JsonObject {
  const encoded: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(metadata)) {
    if (value === undefined || RESERVED_METADATA.has(key)) continue;
    encoded.push([key, encodeField(key, value, issues)]);
  }
  return Object.fromEntries(encoded);
}

function everyString(value: JsonValue, accepts: (text: string) => boolean): boolean {
  if (typeof value === "string") return accepts(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, field]) => accepts(key) && everyString(field, accepts));
}

export interface WriteInput {
  readonly mode: ConversationWrite["mode"];
  readonly conversationId: string;
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata | undefined;
  readonly options: WriteOptions | undefined;
}

/** One write, checked throughout and encoded once for every backend. */
export const encodeWrite = (input: WriteInput): Checked<ConversationWrite> =>
  guarded("input", () => encodeReadableWrite(input));

function encodeReadableWrite(input: WriteInput): Checked<ConversationWrite> {
  const { mode, conversationId, messages, metadata = {}, options = {} } = input;
  const misfits: MemoryIssue[] = [];
  pushIssue(misfits, objectIssue("metadata", metadata));
  pushIssue(misfits, objectIssue("options", options));
  if (misfits.length > 0) return { ok: false, issues: misfits };
  const { userId, traceId } = metadata;
  const { expectedVersion, idempotencyKey, maxMessages, ttlSeconds } = options;
  const issues: MemoryIssue[] = [];
  pushIssue(issues, idIssue("conversationId", conversationId));
  if (userId !== undefined) pushIssue(issues, idIssue("metadata.userId", userId));
  if (traceId !== undefined) pushIssue(issues, idIssue("metadata.traceId", traceId));
  if (idempotencyKey !== undefined) pushIssue(issues, idIssue("options.idempotencyKey", idempotencyKey));
  pushIssue(issues, integerIssue("options.expectedVersion", expectedVersion, 0));
  pushIssue(issues, integerIssue("options.maxMessages", maxMessages, 1));
  pushIssue(issues, integerIssue("options.ttlSeconds", ttlSeconds, 1));
  const encoded = encodeMessages(messages, issues);
  const encodedMetadata = encodeMetadata(metadata, issues);
  return checked(
    issues,
    (): ConversationWrite => ({
      mode,
      conversationId,
      messages: encoded,
      metadata: encodedMetadata,
      ...(userId === undefined ? {} : { userId }),
      ...(traceId === undefined ? {} : { traceId }),
      ...(expectedVersion === undefined ? {} : { expectedVersion }),
      ...(idempotencyKey === undefined
        ? {}
        : { idempotency: { key: idempotencyKey, bodyHash: bodyHash(mode, encoded) } }),
      ...(maxMessages === undefined ? {} : { maxMessages }),
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    }),
  );
}

function bodyHash(mode: string, messages: readonly EncodedMessage[]): string {
  let text = mode;
  for (const { body } of messages) text += `\n${body}`;
  return hash("sha256", text, "hex");
}
