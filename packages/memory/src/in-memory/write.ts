import {
  type ConversationWrite,
  IDEMPOTENCY_WINDOW,
  isErasedSince,
  messageHash,
  nextDigest,
  type Tombstones,
  type WriteOutcome,
} from "../contract/backend.ts";
import { DIGESTS, digestOf, type Entry, type StoreBody } from "./conversation.ts";

const conflict = (reason: Extract<WriteOutcome, { status: "conflict" }>["reason"]): WriteOutcome => ({
  status: "conflict",
  reason,
});

/** What a write depends on, apart from its own conversation. */
interface Surroundings {
  readonly tombstones: () => Tombstones;
  /** Returns the conversation of `ConversationWrite.childOf`. */
  readonly parent: (conversationId: string) => Entry | undefined;
}

/** Returns `undefined` if a write can be made, otherwise its outcome: a conflict, `"replayed"` or `"missing"`. */
export function decideWrite(
  entry: Entry | undefined,
  write: ConversationWrite,
  { tombstones, parent }: Surroundings,
): WriteOutcome | undefined {
  if (entry?.userId !== undefined && write.userId !== undefined && entry.userId !== write.userId) {
    return conflict("owner");
  }
  const known = write.idempotency && entry?.keys.get(write.idempotency.key);
  if (known !== undefined) {
    return known.bodyHash === write.idempotency?.bodyHash
      ? { status: "replayed" }
      : conflict("idempotency-key");
  }
  if (!isExpectedIncarnation(entry, write, tombstones)) return conflict("incarnation");
  const { expectedVersion, expectedMetadataVersion } = write;
  const version = entry?.version ?? 0;
  if (expectedVersion !== undefined && expectedVersion !== version) {
    return { status: "conflict", reason: "version", actualVersion: version };
  }
  const metadataVersion = entry?.metadataVersion ?? 0;
  if (expectedMetadataVersion !== undefined && expectedMetadataVersion !== metadataVersion) {
    return { status: "conflict", reason: "metadata-version", actualVersion: metadataVersion };
  }
  if (entry === undefined && write.create === undefined) return { status: "missing" };
  if (entry === undefined && write.childOf !== undefined) {
    const { conversationId, incarnation } = write.childOf;
    const found = parent(conversationId);
    if (found?.incarnation !== incarnation) return conflict("incarnation");
    if (found.userId !== write.userId) return conflict("owner");
  }
  if ((write.dropLast ?? 0) > (entry?.messages.length ?? 0)) return conflict("length");
  return hasOtherContent(entry, write) ? conflict("message-id") : undefined;
}

function isExpectedIncarnation(
  entry: Entry | undefined,
  { expectedIncarnation }: ConversationWrite,
  tombstones: () => Tombstones,
): boolean {
  if (expectedIncarnation === undefined) return true;
  if ("present" in expectedIncarnation) return entry?.incarnation === expectedIncarnation.present;
  return entry === undefined && !isErasedSince(expectedIncarnation.absent, tombstones());
}

/** Returns the position from which on a write removes the stored messages. */
const cutOf = ({ nextPosition }: Entry, { mode, dropLast = 0 }: ConversationWrite): number =>
  mode === "replace" ? 0 : nextPosition - dropLast;

function hasOtherContent(entry: Entry | undefined, write: ConversationWrite): boolean {
  const hashes = new Map<string, string>();
  for (const { own } of write.messages) {
    if (own === undefined) continue;
    const stored = entry?.ownIds.get(own.id);
    const stays = stored !== undefined && entry !== undefined && stored.position < cutOf(entry, write);
    const known = hashes.get(own.id) ?? (stays ? stored.hash : undefined);
    if (known !== undefined && known !== own.hash) return true;
    hashes.set(own.id, own.hash);
  }
  return false;
}

interface Applying {
  readonly now: Date;
  /** The smaller of two limits: `maxMessages` of the write, and the limit of the provider. */
  readonly maxMessages: number;
  readonly storeBody: StoreBody;
}

/** Applies a write for which `decideWrite` returned `undefined`. */
export function applyWrite(
  entry: Entry,
  write: ConversationWrite,
  { now, maxMessages, storeBody }: Applying,
): void {
  const { mode, dropLast = 0, source } = write;
  const isReplace = mode === "replace";
  if (isReplace) entry.metadata = {};
  const dropped = isReplace ? entry.messages.length : dropLast;
  if (isReplace) entry.base = digestOf(entry);
  drop(entry, entry.messages.length - dropped, dropped);
  // After `dropLast`, an append uses the positions of the dropped messages again. A replacement doesn't use the old
  // positions again.
  if (!isReplace) entry.nextPosition -= dropLast;
  const added = add(entry, write, storeBody);
  const trimmed = trimStart(entry.messages, maxMessages, ({ isToolResult }) => isToolResult);
  entry.base = entry.messages[trimmed - 1]?.digest ?? entry.base;
  drop(entry, 0, trimmed);
  if (write.traceId !== undefined) entry.traceIds.add(write.traceId);
  entry.userId ??= write.userId;
  entry.metadata = { ...entry.metadata, ...write.metadata };
  const isChange = isReplace || entry.version === 0 || dropped + added + trimmed > 0;
  entry.version = source?.version ?? entry.version + (isChange ? 1 : 0);
  const isMetadataChange = isReplace || Object.keys(write.metadata).length > 0;
  entry.metadataVersion = source?.metadataVersion ?? entry.metadataVersion + (isMetadataChange ? 1 : 0);
  entry.lastActivity = source?.lastActivity ?? now;
  entry.ttlSeconds = write.ttlSeconds ?? entry.ttlSeconds;
  entry.writes += 1;
  recordKey(entry, write);
}

function drop({ messages, ownIds }: Entry, from: number, count: number): void {
  for (const { own } of messages.splice(from, count)) if (own !== undefined) ownIds.delete(own.id);
}

/**
 * Adds the messages of a write to the entry, and returns their number. Skips messages whose id
 * (`WriteOptions.messageIds`) is already stored.
 */
function add(entry: Entry, { messages }: ConversationWrite, storeBody: StoreBody): number {
  let added = 0;
  let digest = digestOf(entry);
  for (const [index, { body, isToolResult, own }] of messages.entries()) {
    if (own !== undefined) {
      if (entry.ownIds.has(own.id)) continue;
      entry.ownIds.set(own.id, { hash: own.hash, position: entry.nextPosition });
    }
    digest = nextDigest(DIGESTS, digest, messageHash(body));
    entry.messages.push({ stored: storeBody(body, index), digest, isToolResult, own });
    entry.nextPosition += 1;
    added += 1;
  }
  return added;
}

function recordKey({ keys, writes, nextPosition }: Entry, { idempotency }: ConversationWrite): void {
  if (idempotency !== undefined) {
    keys.set(idempotency.key, { bodyHash: idempotency.bodyHash, write: writes, nextPosition });
  }
  for (const [key, known] of keys) {
    if (known.write >= writes - IDEMPOTENCY_WINDOW) break;
    keys.delete(key);
  }
}

/** Returns the index of the first message to keep, so that at most `maxMessages` messages stay. */
export function trimStart<T>(
  messages: readonly T[],
  maxMessages: number,
  isToolResult: (message: T) => boolean,
): number {
  // The kept messages never begin with a tool result, because its call would be missing. Exception: if only tool
  // results would be left, the last call and all its results stay, even if they are more than `maxMessages`.
  const cut = messages.length - maxMessages;
  if (cut <= 0) return 0;
  for (let index = cut; index < messages.length; index++) {
    const message = messages[index];
    if (message !== undefined && !isToolResult(message)) return index;
  }
  const lastGroup = messages.findLastIndex((message) => !isToolResult(message));
  return lastGroup === -1 ? cut : lastGroup;
}
