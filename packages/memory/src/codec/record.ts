import type { ReadOutcome } from "../backend/backend.ts";
import type { MemoryIssue } from "../errors.ts";
import type { WriteMetadata } from "../provider.ts";
import type { ConversationRecord, VersionedMemoryProvider } from "../versioned-provider.ts";
import {
  type Checked,
  checked,
  dateIssue,
  guarded,
  integerIssue,
  objectIssue,
  pushIssue,
  unknownFieldIssues,
} from "./checks.ts";
import { decodeMessages } from "./decode.ts";
import type { WriteInput } from "./encode.ts";
import { idIssue } from "./ids.ts";
import { deepFreeze, fromJsonValue } from "./json.ts";

type ImportOptions = Parameters<VersionedMemoryProvider["importConversation"]>[1];

const OPTIONS = ["idempotencyKey", "expectedIncarnation"];
const FIELDS = [
  ...["conversationId", "userId", "messages", "messageIds", "metadata", "createdAt", "lastActivity"],
  ...["version", "metadataVersion", "firstPosition", "traceIds", "ttlSeconds"],
];

/** What was read for an export. Throws `CorruptMessage`. */
export function decodeRecord(read: ReadOutcome): ConversationRecord | null {
  if (read.conversation === null) return null;
  const { conversation: stored, firstPosition, forExport } = read;
  const { traceIds = [], ttlSeconds, messageIds = [] } = forExport ?? {};
  const fields = Object.entries(stored.metadata).map(([key, value]) => [key, fromJsonValue(value)]);
  return Object.freeze({
    conversationId: stored.conversationId,
    ...(stored.userId === undefined ? {} : { userId: stored.userId }),
    messages: decodeMessages(stored.messages),
    ...(messageIds.some((id) => id !== null) ? { messageIds: Object.freeze([...messageIds]) } : {}),
    metadata: deepFreeze(Object.fromEntries(fields) as Record<string, unknown>),
    createdAt: new Date(stored.createdAt),
    lastActivity: new Date(stored.lastActivity),
    version: stored.version,
    metadataVersion: stored.metadataVersion,
    firstPosition,
    traceIds: Object.freeze([...traceIds]),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
  });
}

/** What an import writes, as far as a record differs from any other write; the rest is checked with that. */
export const encodeRecord = (record: ConversationRecord, options: ImportOptions): Checked<WriteInput> =>
  guarded("record", () => encodeReadable(record, options ?? {}));

function encodeReadable(
  record: ConversationRecord,
  options: NonNullable<ImportOptions>,
): Checked<WriteInput> {
  const misfits: MemoryIssue[] = [];
  pushIssue(misfits, objectIssue("record", record));
  pushIssue(misfits, objectIssue("options", options));
  if (misfits.length > 0) return { ok: false, issues: misfits };
  const { conversationId, userId, messages, messageIds, metadata, ttlSeconds, ...rest } = record;
  const { createdAt, lastActivity, version, metadataVersion, firstPosition, traceIds } = rest;
  const issues = [
    ...unknownFieldIssues("record", record, FIELDS),
    ...unknownFieldIssues("options", options, OPTIONS),
    ...traceIssues(traceIds),
  ];
  for (const field of ["createdAt", "lastActivity"] as const) {
    pushIssue(issues, dateIssue(`record.${field}`, record[field] ?? null));
  }
  pushIssue(issues, integerIssue("record.version", version ?? null, 1));
  pushIssue(issues, integerIssue("record.metadataVersion", metadataVersion ?? null, 0));
  pushIssue(issues, integerIssue("record.firstPosition", firstPosition ?? null, 0));
  pushIssue(issues, objectIssue("record.metadata", metadata));
  return checked(
    issues,
    (): WriteInput => ({
      mode: "replace",
      conversationId,
      messages,
      metadata: { ...(metadata as WriteMetadata), ...(userId === undefined ? {} : { userId }) },
      options: {
        ...options,
        expectedVersion: 0,
        ...(messageIds === undefined ? {} : { messageIds }),
        ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      },
      // Copies: a caller may set them before a driver has sent them.
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

function traceIssues(traceIds: unknown): readonly MemoryIssue[] {
  if (!Array.isArray(traceIds)) return [{ path: "record.traceIds", expected: "an array of ids" }];
  return traceIds
    .map((id: unknown, index) => idIssue(`record.traceIds[${index}]`, id))
    .filter((issue) => issue !== undefined);
}
