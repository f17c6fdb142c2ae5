import {
  type ConversationWrite,
  isErasedSince,
  type WriteConflictReason,
  type WriteOutcome,
} from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import { type ConversationRow, liveRowOf } from "./rows.ts";
import { tombstonesOf } from "./tombstones.ts";

/** The conversation of a write, in its transaction. */
export interface WriteTarget {
  readonly client: SqliteClient;
  /** `undefined`: the conversation doesn't exist. */
  readonly row: ConversationRow | undefined;
  /** The time of the write, in ms since 1970. */
  readonly now: number;
}

const conflict = (reason: WriteConflictReason): WriteOutcome => ({ status: "conflict", reason });

/** Returns what forbids the write, or lets it count as done; `undefined` if it can be made. */
export function decide(target: WriteTarget, write: ConversationWrite): WriteOutcome | undefined {
  const { row } = target;
  if (row?.user_id !== undefined && write.userId !== undefined && row.user_id !== write.userId) {
    return conflict("owner");
  }
  return (
    decideByKey(target, write) ??
    (isExpected(target, write) ? undefined : conflict("incarnation")) ??
    decideByVersion(row, write) ??
    (row === undefined ? decideCreation(target, write) : undefined) ??
    ((write.dropLast ?? 0) > (row?.total_messages ?? 0) ? conflict("length") : undefined) ??
    (hasOtherContent(target, write) ? conflict("message-id") : undefined)
  );
}

const KEY = "SELECT body_hash FROM idempotency_keys WHERE conversation = ? AND key = ?";

function decideByKey(
  { client, row }: WriteTarget,
  { idempotency }: ConversationWrite,
): WriteOutcome | undefined {
  if (row === undefined || idempotency === undefined) return undefined;
  const known = client.first(KEY, row.id, idempotency.key);
  if (known === undefined) return undefined;
  return known["body_hash"] === idempotency.bodyHash ? { status: "replayed" } : conflict("idempotency-key");
}

function isExpected({ client, row, now }: WriteTarget, write: ConversationWrite): boolean {
  const expected = write.expectedIncarnation;
  if (expected === undefined) return true;
  if ("present" in expected) return row?.incarnation === expected.present;
  return row === undefined && !isErasedSince(expected.absent, tombstonesOf(client, write, now));
}

function decideByVersion(
  row: ConversationRow | undefined,
  { expectedVersion, expectedMetadataVersion }: ConversationWrite,
): WriteOutcome | undefined {
  const { version, metadata_version } = row ?? { version: 0, metadata_version: 0 };
  if (expectedVersion !== undefined && expectedVersion !== version) {
    return { status: "conflict", reason: "version", actualVersion: version };
  }
  if (expectedMetadataVersion !== undefined && expectedMetadataVersion !== metadata_version) {
    return { status: "conflict", reason: "metadata-version", actualVersion: metadata_version };
  }
  return undefined;
}

function decideCreation({ client, now }: WriteTarget, write: ConversationWrite): WriteOutcome | undefined {
  if (write.create === undefined) return { status: "missing" };
  if (write.childOf === undefined) return undefined;
  const parent = liveRowOf(client, write.childOf.conversationId, now);
  if (parent?.incarnation !== write.childOf.incarnation) return conflict("incarnation");
  return parent.user_id === write.userId ? undefined : conflict("owner");
}

const OWN = "SELECT message_hash, position FROM messages WHERE conversation = ? AND message_id = ?";

/** Whether another message is stored under the own id of a message, and stays, or stands earlier in the batch. */
function hasOtherContent({ client, row }: WriteTarget, write: ConversationWrite): boolean {
  const hashes = new Map<string, unknown>();
  const cut = row === undefined || write.mode === "replace" ? 0 : row.next_position - (write.dropLast ?? 0);
  for (const { own } of write.messages) {
    if (own === undefined) continue;
    const stored = row === undefined ? undefined : client.first(OWN, row.id, own.id);
    const stays = stored !== undefined && Number(stored["position"]) < cut;
    const known = hashes.get(own.id) ?? (stays ? stored["message_hash"] : undefined);
    if (known !== undefined && known !== own.hash) return true;
    hashes.set(own.id, own.hash);
  }
  return false;
}
