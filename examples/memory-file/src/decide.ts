import {
  type ConversationWrite,
  isErasedSince,
  type Tombstones,
  type WriteOutcome,
} from "@jaf/memory/adapter";
import type { Conversation } from "./conversation.ts";

/** What a write depends on, apart from its own conversation. */
interface Surroundings {
  readonly tombstones: Tombstones;
  /** The conversation that `childOf` names. */
  readonly parent: Conversation | undefined;
}

/** Returns the outcome of a write that must not be made (a conflict, or already stored); `undefined` to go ahead. */
export function decide(
  held: Conversation | undefined,
  write: ConversationWrite,
  { tombstones, parent }: Surroundings,
): WriteOutcome | undefined {
  if (held?.userId !== undefined && write.userId !== undefined && held.userId !== write.userId) {
    return { status: "conflict", reason: "owner" };
  }
  const known = write.idempotency && held?.keys.get(write.idempotency.key);
  if (known !== undefined) {
    return known.bodyHash === write.idempotency?.bodyHash
      ? { status: "replayed" }
      : { status: "conflict", reason: "idempotency-key" };
  }
  if (!isExpectedIncarnation(held, write, tombstones)) return { status: "conflict", reason: "incarnation" };
  const { version, metadataVersion } = held ?? { version: 0, metadataVersion: 0 };
  if (write.expectedVersion !== undefined && write.expectedVersion !== version) {
    return { status: "conflict", reason: "version", actualVersion: version };
  }
  if (write.expectedMetadataVersion !== undefined && write.expectedMetadataVersion !== metadataVersion) {
    return { status: "conflict", reason: "metadata-version", actualVersion: metadataVersion };
  }
  if (held === undefined && write.create === undefined) return { status: "missing" };
  if (held === undefined && write.childOf !== undefined) {
    const isParent = parent?.incarnation === write.childOf.incarnation;
    if (!isParent) return { status: "conflict", reason: "incarnation" };
    if (parent.userId !== write.userId) return { status: "conflict", reason: "owner" };
  }
  if ((write.dropLast ?? 0) > (held?.messages.length ?? 0)) return { status: "conflict", reason: "length" };
  return hasOtherContent(held, write) ? { status: "conflict", reason: "message-id" } : undefined;
}

function isExpectedIncarnation(
  held: Conversation | undefined,
  { expectedIncarnation: expected }: ConversationWrite,
  tombstones: Tombstones,
): boolean {
  if (expected === undefined) return true;
  if ("present" in expected) return held?.incarnation === expected.present;
  return held === undefined && !isErasedSince(expected.absent, tombstones);
}

/** Whether a message id of the batch already belongs to a message with other content, stored or in the batch. */
function hasOtherContent(held: Conversation | undefined, write: ConversationWrite): boolean {
  const { mode, dropLast = 0 } = write;
  const end = held === undefined || mode === "replace" ? 0 : held.nextPosition - dropLast;
  const hashes = new Map<string, string>();
  for (const { own } of write.messages) {
    if (own === undefined) continue;
    const stored = held?.ownIds.get(own.id);
    const stays = stored !== undefined && stored.position < end;
    const hash = hashes.get(own.id) ?? (stays ? stored.hash : own.hash);
    if (hash !== own.hash) return true;
    hashes.set(own.id, hash);
  }
  return false;
}
