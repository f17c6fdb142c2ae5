import { createHash } from "node:crypto";
import type { ConversationQuery, ConversationWrite, EncodedMessage } from "../backend/backend.ts";
import { parseCursor } from "../backend/cursor.ts";
import type { MemoryIssue } from "../errors.ts";
import type { Message } from "../message.ts";
import type { MemoryQuery, WriteMetadata, WriteOptions } from "../provider.ts";
import { idIssue, isPortableText } from "./ids.ts";
import { encodeJson, type JsonObject, type JsonValue, toJsonValue, UnstorableValue } from "./json.ts";
import { messageSchema } from "./message-schema.ts";

/** The store's own fields: not stored when a caller hands them back in. */
const RESERVED_METADATA = new Set([
  "createdAt",
  "updatedAt",
  "totalMessages",
  "lastActivity",
  "version",
  "userId",
]);

type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: MemoryIssue[] };

function checked<T>(issues: MemoryIssue[], value: () => T): Checked<T> {
  return issues.length === 0 ? { ok: true, value: value() } : { ok: false, issues };
}

const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");

function encodeMessage(message: unknown, path: string, issues: MemoryIssue[]): EncodedMessage {
  const parsed = messageSchema.safeParse(message);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      issues.push({
        path: `${path}${formatPath(issue.path)}`,
        expected: issue.message.replace(/^.*expected /, ""),
      });
    }
    return { body: "", isToolResult: false };
  }
  try {
    return { body: encodeJson(message), isToolResult: parsed.data.role === "tool" };
  } catch (thrown) {
    issues.push(unstorable(path, thrown));
    return { body: "", isToolResult: false };
  }
}

function unstorable(path: string, thrown: unknown): MemoryIssue {
  if (thrown instanceof UnstorableValue) return { path: `${path}${thrown.path}`, expected: thrown.expected };
  throw thrown;
}

/** Validates and encodes a batch; collects into `issues`. */
export function encodeMessages(messages: unknown, issues: MemoryIssue[]): readonly EncodedMessage[] {
  if (!Array.isArray(messages)) {
    issues.push({ path: "messages", expected: "an array of messages" });
    return [];
  }
  return messages.map((message, index) => encodeMessage(message, `messages[${index}]`, issues));
}

function encodeMetadata(metadata: WriteMetadata | undefined, issues: MemoryIssue[]): JsonObject {
  const kept = Object.entries(metadata ?? {}).filter(
    ([key, value]) => !RESERVED_METADATA.has(key) && value !== undefined,
  );
  const encoded: [string, JsonValue][] = [];
  for (const [key, value] of kept) {
    const path = `metadata.${key}`;
    try {
      const json = toJsonValue(value);
      // Metadata is searchable as jsonb, which, unlike the bodies' text, can't hold these even escaped.
      if (!isPortableText(key) || !everyString(json, isPortableText)) {
        issues.push({ path, expected: "no NUL character and no unpaired surrogate" });
      }
      encoded.push([key, json]);
    } catch (thrown) {
      issues.push(unstorable(path, thrown));
    }
  }
  return Object.fromEntries(encoded);
}

function everyString(value: JsonValue, accepts: (text: string) => boolean): boolean {
  if (typeof value === "string") return accepts(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, field]) => accepts(key) && everyString(field, accepts));
}

function pushIssue(issues: MemoryIssue[], issue: MemoryIssue | undefined): void {
  if (issue !== undefined) issues.push(issue);
}

function integerIssue(path: string, value: unknown, minimum: number): MemoryIssue | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= minimum)) return undefined;
  return { path, expected: `a whole number from ${minimum}` };
}

export interface WriteInput {
  readonly mode: ConversationWrite["mode"];
  readonly conversationId: string;
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata | undefined;
  readonly options: WriteOptions | undefined;
}

/** One write, checked throughout and encoded once for every backend. */
export function encodeWrite({ mode, conversationId, messages, metadata, options = {} }: WriteInput) {
  const { userId, traceId } = metadata ?? {};
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
  const hash = createHash("sha256").update(mode);
  for (const { body } of messages) hash.update("\n").update(body);
  return hash.digest("hex");
}

function dateIssue(path: string, value: unknown): MemoryIssue | undefined {
  if (value === undefined || (value instanceof Date && !Number.isNaN(value.getTime()))) return undefined;
  return { path, expected: "a valid Date" };
}

export function encodeQuery(query: MemoryQuery) {
  const {
    conversationId,
    userId,
    traceId,
    since,
    until,
    limit,
    offset = 0,
    cursor,
    includeMessages = true,
  } = query;
  const issues: MemoryIssue[] = [];
  for (const [path, id] of Object.entries({ conversationId, userId, traceId })) {
    if (id !== undefined) pushIssue(issues, idIssue(`query.${path}`, id));
  }
  pushIssue(issues, dateIssue("query.since", since));
  pushIssue(issues, dateIssue("query.until", until));
  pushIssue(issues, integerIssue("query.limit", limit, 0));
  pushIssue(issues, integerIssue("query.offset", offset, 0));
  const position = typeof cursor === "string" ? parseCursor(cursor) : undefined;
  if (cursor !== undefined && position === undefined) {
    issues.push({ path: "query.cursor", expected: "a cursor made by conversationCursor" });
  }
  return checked(
    issues,
    (): ConversationQuery => ({
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(userId === undefined ? {} : { userId }),
      ...(traceId === undefined ? {} : { traceId }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(limit === undefined ? {} : { limit }),
      ...(position === undefined ? {} : { cursor: position }),
      offset,
      includeMessages,
    }),
  );
}

export function encodeId(path: string, id: string): Checked<string> {
  const issue = idIssue(path, id);
  return checked(issue === undefined ? [] : [issue], () => id);
}

export function encodeLimit(limit: number): Checked<number> {
  const issue = integerIssue("limit", limit, 0);
  return checked(issue === undefined ? [] : [issue], () => limit);
}
