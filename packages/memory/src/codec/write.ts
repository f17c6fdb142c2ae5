import { sha256 } from "#digest";
import {
  type ConversationSource,
  type ConversationWrite,
  type EncodedMessage,
  type ExpectedIncarnation,
  type JsonObject,
  type JsonValue,
  parseIncarnation,
} from "../contract/backend.ts";
import type { MemoryIssue } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import type { ParentConversation, WriteMetadata, WriteOptions } from "../contract/provider.ts";
import {
  type Checked,
  checked,
  guarded,
  integerIssue,
  objectIssue,
  pushIssue,
  unstorable,
} from "./checks.ts";
import { toJsonValue } from "./json.ts";
import { encodeBatch } from "./messages.ts";

/** The metadata fields that the store adds. A write ignores these fields. */
const RESERVED_METADATA = new Set([
  "createdAt",
  "updatedAt",
  "totalMessages",
  "lastActivity",
  "version",
  "metadataVersion",
  "nextPosition",
  "incarnation",
  "historyDigest",
  "systemContent",
  "childOf",
  "userId",
]);

function encodeField(key: string, value: unknown, issues: MemoryIssue[]): JsonValue {
  try {
    return toJsonValue(value);
  } catch (thrown) {
    issues.push(unstorable(`metadata.${key}`, thrown));
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

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

export interface WriteInput {
  readonly mode: ConversationWrite["mode"];
  readonly conversationId: string;
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata | undefined;
  readonly options: WriteOptions | undefined;
  /** The initial values of an imported conversation. Absent in all other writes. */
  readonly source?: ConversationSource;
}

/** Checks the arguments of a write, and converts them into the write that backends carry out. */
export const encodeWrite = (input: WriteInput): Checked<ConversationWrite> =>
  guarded("input", () => encodeReadableWrite(input));

function encodeReadableWrite(input: WriteInput): Checked<ConversationWrite> {
  const { mode, conversationId, messages, metadata = {}, options = {}, source } = input;
  const misfits: MemoryIssue[] = [];
  pushIssue(misfits, objectIssue("metadata", metadata));
  pushIssue(misfits, objectIssue("options", options));
  if (misfits.length > 0) return { ok: false, issues: misfits };
  const { userId, traceId } = metadata;
  const { expectedVersion, expectedMetadataVersion, expectedIncarnation, idempotencyKey } = options;
  const { createIfMissing, childOf, dropLast, messageIds, maxMessages, ttlSeconds, beginsTurn } = options;
  const issues: MemoryIssue[] = [];
  pushIssue(issues, idIssue("conversationId", conversationId));
  if (userId !== undefined) pushIssue(issues, idIssue("metadata.userId", userId));
  if (traceId !== undefined) pushIssue(issues, idIssue("metadata.traceId", traceId));
  if (idempotencyKey !== undefined) pushIssue(issues, idIssue("options.idempotencyKey", idempotencyKey));
  pushIssue(issues, integerIssue("options.expectedVersion", expectedVersion, 0));
  pushIssue(issues, integerIssue("options.expectedMetadataVersion", expectedMetadataVersion, 0));
  pushIssue(issues, integerIssue("options.dropLast", dropLast, 0));
  pushIssue(issues, integerIssue("options.maxMessages", maxMessages, 1));
  pushIssue(issues, integerIssue("options.ttlSeconds", ttlSeconds, 1));
  if (beginsTurn !== undefined && beginsTurn.turn.conversationId !== conversationId)
    issues.push({ path: "options.beginsTurn", expected: "a turn of this conversation" });
  const incarnation = encodeIncarnation(expectedIncarnation, issues);
  const creates = mode === "replace" || createsIfMissing(createIfMissing, userId, issues);
  if (mode === "replace") refuseOfReplace(options, issues);
  const parent = childOf === undefined ? undefined : encodeParent(childOf, issues);
  const batch = encodeBatch(messages, issues);
  const encoded =
    messageIds === undefined ? batch.messages : withMessageIds(batch.messages, messageIds, issues);
  const given = encodeMetadata(metadata, issues);
  const encodedMetadata = batch.holdsSystemContent ? { ...given, systemContent: true } : given;
  return checked(issues, () => {
    // The fields are set one by one, because spreading objects takes several times as long as the rest of this
    // function.
    const write: Mutable<ConversationWrite> = {
      mode,
      conversationId,
      messages: encoded,
      metadata: encodedMetadata,
    };
    if (userId !== undefined) write.userId = userId;
    if (traceId !== undefined) write.traceId = traceId;
    if (dropLast !== undefined && dropLast > 0) write.dropLast = dropLast;
    if (maxMessages !== undefined) write.maxMessages = maxMessages;
    if (ttlSeconds !== undefined) write.ttlSeconds = ttlSeconds;
    if (source !== undefined) write.source = source;
    if (expectedVersion !== undefined) write.expectedVersion = expectedVersion;
    if (expectedMetadataVersion !== undefined) write.expectedMetadataVersion = expectedMetadataVersion;
    if (incarnation !== undefined) write.expectedIncarnation = incarnation;
    if (parent !== undefined) write.childOf = parent;
    if (creates) write.create = { incarnation: crypto.randomUUID() };
    if (idempotencyKey !== undefined) write.idempotency = { key: idempotencyKey, bodyHash: writeHash(write) };
    // Set after the hash was computed: a write with `beginsTurn` and its repetition without it have the same hash.
    if (beginsTurn !== undefined) write.beginsTurn = beginsTurn;
    return write;
  });
}

function encodeIncarnation(incarnation: unknown, issues: MemoryIssue[]): ExpectedIncarnation | undefined {
  if (incarnation === undefined) return undefined;
  const path = "options.expectedIncarnation";
  const issue = idIssue(path, incarnation);
  const parsed = issue === undefined ? parseIncarnation(incarnation as string) : undefined;
  if (parsed === undefined) issues.push(issue ?? { path, expected: "an incarnation from a read" });
  return parsed;
}

function encodeParent(parent: unknown, issues: MemoryIssue[]): ParentConversation {
  const { conversationId, incarnation }: Readonly<Record<string, unknown>> = { ...Object(parent) };
  pushIssue(issues, idIssue("options.childOf.conversationId", conversationId));
  pushIssue(issues, idIssue("options.childOf.incarnation", incarnation));
  return { conversationId: conversationId as string, incarnation: incarnation as string };
}

/**
 * Whether the write creates a missing conversation. Adds an issue if `createIfMissing` is `true` but the metadata
 * contain no `userId`.
 */
function createsIfMissing(given: unknown, userId: unknown, issues: MemoryIssue[]): boolean {
  if (given === undefined || given === false) return false;
  if (given !== true && given !== "unowned") {
    issues.push({ path: "options.createIfMissing", expected: 'a boolean or "unowned"' });
  } else if (given === true && userId === undefined) {
    const expected =
      'the owner, since createIfMissing is true; createIfMissing: "unowned" creates a conversation without an owner';
    issues.push({ path: "metadata.userId", expected });
  }
  return true;
}

/** Adds an issue for each option that a replace can't have (`createIfMissing`, `dropLast`). */
function refuseOfReplace({ createIfMissing, dropLast }: WriteOptions, issues: MemoryIssue[]): void {
  const expected = "nothing: storeMessages creates or replaces the whole conversation";
  if (createIfMissing !== undefined) issues.push({ path: "options.createIfMissing", expected });
  if (dropLast !== undefined) issues.push({ path: "options.dropLast", expected });
}

/** Returns the hash by which a retry of the write is recognised. */
function writeHash(write: ConversationWrite): string {
  // The expected versions and incarnation are left out, because they may change in a retry.
  const { mode, messages, metadata, userId, traceId, dropLast, maxMessages, ttlSeconds, source } = write;
  const fields = Object.keys(metadata)
    .sort()
    .map((key) => [key, metadata[key]]);
  const rest = [mode, userId, traceId, dropLast, maxMessages, ttlSeconds, source, fields];
  let text = JSON.stringify(rest);
  for (const { body, own } of messages)
    text += own === undefined ? `\n${body}` : `\n${JSON.stringify(own.id)}${body}`;
  return sha256(text, "hex");
}

/** Returns the messages with the writer's own ids. Adds everything that is invalid to `issues`. */
function withMessageIds(
  messages: readonly EncodedMessage[],
  ids: readonly (string | null | undefined)[],
  issues: MemoryIssue[],
): readonly EncodedMessage[] {
  const path = "options.messageIds";
  if (!Array.isArray(ids) || ids.length !== messages.length) {
    issues.push({ path, expected: "an array with an entry for each message" });
    return messages;
  }
  return messages.map((message, index) => {
    const id: unknown = ids[index];
    if (id === undefined || id === null) return message;
    const issue = idIssue(`${path}[${index}]`, id);
    pushIssue(issues, issue);
    // An invalid message, for which there is already an issue, has an empty body.
    if (issue !== undefined || message.body === "") return message;
    return { ...message, own: { id: id as string, hash: contentHash(message) } };
  });
}

/** Returns a hash of the message's content. The order of the message's fields doesn't change the hash. */
const contentHash = ({ body }: EncodedMessage): string =>
  sha256(JSON.stringify(sorted(JSON.parse(body))), "hex");

/** Returns a copy of a value in which each object is replaced by a sorted list of its fields. */
function sorted(value: unknown): unknown {
  // An object with sorted fields isn't enough, because JavaScript objects always put number-like keys first.
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { fields: fields.map(([key, field]) => [key, sorted(field)]) };
}
