import type { ReadOutcome } from "../contract/backend.ts";
import type { MemoryIssue } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { WriteMetadata } from "../contract/provider.ts";
import type { ConversationRecord, VersionedMemoryProvider } from "../contract/versioned-provider.ts";
import { present } from "../runtime/objects.ts";
import { type Checked, checked, guarded, objectIssue, pushIssue, unknownFieldIssues } from "./checks.ts";
import { deepFreeze, fromJsonValue } from "./json.ts";
import { decodeMessages } from "./messages.ts";
import type { WriteInput } from "./write.ts";

type ImportOptions = Parameters<VersionedMemoryProvider["importConversation"]>[1];

const OPTIONS = ["idempotencyKey", "expectedIncarnation", "childOf"];
const FIELDS = [
  ...["conversationId", "userId", "messages", "messageIds", "metadata", "createdAt", "lastActivity"],
  ...["version", "metadataVersion", "firstPosition", "traceIds", "ttlSeconds"],
];

/**
 * Converts the result of a read with `forExport` into a record. Returns `null` if the conversation doesn't exist.
 * Throws `CorruptMessage` if a body isn't a message.
 */
export function decodeRecord(read: ReadOutcome): ConversationRecord | null {
  if (read.conversation === null) return null;
  const { conversation: stored, firstPosition, forExport } = read;
  const { traceIds = [], ttlSeconds, messageIds = [] } = forExport ?? {};
  const { systemContent: _, ...given } = stored.metadata;
  const fields = Object.entries(given).map(([key, value]) => [key, fromJsonValue(value)]);
  return Object.freeze({
    conversationId: stored.conversationId,
    ...present({ userId: stored.userId }),
    messages: decodeMessages(stored.messages),
    ...(messageIds.some((id) => id !== null) ? { messageIds: Object.freeze([...messageIds]) } : {}),
    metadata: deepFreeze(Object.fromEntries(fields) as Record<string, unknown>),
    createdAt: new Date(stored.createdAt),
    lastActivity: new Date(stored.lastActivity),
    version: stored.version,
    metadataVersion: stored.metadataVersion,
    firstPosition,
    traceIds: Object.freeze([...traceIds]),
    ...present({ ttlSeconds }),
  });
}

/** Converts the record of an import into a write. Only checks the fields that other writes don't have. */
export const encodeRecord = (record: ConversationRecord, options: ImportOptions): Checked<WriteInput> =>
  guarded("record", () => encodeReadable(record, options));

function encodeReadable(record: ConversationRecord, options: ImportOptions = {}): Checked<WriteInput> {
  const misfits: MemoryIssue[] = [];
  pushIssue(misfits, objectIssue("record", record));
  pushIssue(misfits, objectIssue("options", options));
  if (misfits.length > 0) return { ok: false, issues: misfits };
  const { conversationId, userId, messages, messageIds, metadata, ttlSeconds, ...rest } = record;
  const { createdAt, lastActivity, version, metadataVersion, firstPosition, traceIds } = rest;
  const { idempotencyKey, expectedIncarnation, childOf } = options;
  const issues = [
    ...unknownFieldIssues("record", record, FIELDS),
    ...unknownFieldIssues("options", options, OPTIONS),
    ...traceIssues(traceIds),
  ];
  pushIssue(issues, timeIssue("record.createdAt", createdAt));
  pushIssue(issues, timeIssue("record.lastActivity", lastActivity));
  pushIssue(issues, countIssue("record.version", version, 1));
  pushIssue(issues, countIssue("record.metadataVersion", metadataVersion, 0));
  pushIssue(issues, countIssue("record.firstPosition", firstPosition, 0));
  pushIssue(issues, objectIssue("record.metadata", metadata));
  return checked(
    issues,
    (): WriteInput => ({
      mode: "replace",
      conversationId,
      messages,
      metadata: { ...withoutOwner(metadata), ...present({ userId }) },
      options: {
        expectedVersion: 0,
        ...present({ idempotencyKey, expectedIncarnation, childOf, messageIds, ttlSeconds }),
      },
      // The dates and the array are copied, because the caller may change them before the driver has sent the write.
      source: {
        createdAt: new Date(createdAt),
        lastActivity: new Date(lastActivity),
        version,
        metadataVersion,
        firstPosition,
        traceIds: [...traceIds],
      },
    }),
  );
}

/** Removes a `userId` from the metadata of a record: only the record's own field `userId` sets the owner. */
function withoutOwner(metadata: ConversationRecord["metadata"]): WriteMetadata {
  const { userId: _, ...fields } = metadata;
  return fields;
}

/** The maximum value of a version or a position in an import. */
const MAX_COUNT = 1_000_000_000_000;

function countIssue(path: string, value: unknown, minimum: number): MemoryIssue | undefined {
  const isCount =
    Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= MAX_COUNT;
  return isCount ? undefined : { path, expected: `a whole number from ${minimum} to ${MAX_COUNT}` };
}

const YEAR_1 = -62_135_596_800_000;
const YEAR_10_000 = 253_402_300_800_000;

/** Returns an issue if the value isn't a time that every store can represent, otherwise `undefined`. */
function timeIssue(path: string, value: unknown): MemoryIssue | undefined {
  const time = value instanceof Date ? value.getTime() : Number.NaN;
  return time >= YEAR_1 && time < YEAR_10_000
    ? undefined
    : { path, expected: "a valid Date of the years 1 to 9999" };
}

function traceIssues(traceIds: unknown): readonly MemoryIssue[] {
  if (!Array.isArray(traceIds)) return [{ path: "record.traceIds", expected: "an array of ids" }];
  return traceIds
    .map((id: unknown, index) => idIssue(`record.traceIds[${index}]`, id))
    .filter((issue) => issue !== undefined);
}
