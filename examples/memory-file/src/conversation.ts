import type { ParentConversation } from "@jaf/memory";
import { IDEMPOTENCY_WINDOW, type JsonObject } from "@jaf/memory/adapter";
import type { LoggedMessage, WriteEntry } from "./entry.ts";

interface HeldMessage extends LoggedMessage {
  /** The number of the log line that holds it, counting only lines with messages. */
  readonly batch: number;
}

interface KnownKey {
  readonly bodyHash: string;
  /** The number of the write that used it. */
  readonly write: number;
  /** The position after the last message once that write was done. */
  readonly nextPosition: number;
}

/** A conversation in memory. Writes change it in place: the cost of a copy would grow with the conversation. */
export interface Conversation {
  readonly conversationId: string;
  readonly incarnation: string;
  /** The parent with its incarnation. A child lives only as long as its parent. */
  readonly childOf: ParentConversation | undefined;
  readonly createdAt: number;
  readonly messages: HeldMessage[];
  /** By key, oldest first. */
  readonly keys: Map<string, KnownKey>;
  /** By the message ids that the caller gave. */
  readonly ownIds: Map<string, { readonly hash: string; readonly position: number }>;
  readonly traceIds: Set<string>;
  userId: string | undefined;
  metadata: JsonObject;
  lastActivity: number;
  ttlSeconds: number | undefined;
  version: number;
  metadataVersion: number;
  nextPosition: number;
  writes: number;
  /** How many log lines with messages there were so far. */
  batches: number;
  /** By line number, how many of its messages the conversation still has. Lines without any are left out. */
  readonly liveLines: Map<number, number>;
}

export const hasNotExpired = ({ lastActivity, ttlSeconds }: Conversation, now: number): boolean =>
  ttlSeconds === undefined || now < lastActivity + ttlSeconds * 1_000;

function begin(
  conversationId: string,
  { incarnation, childOf, at, source }: WriteEntry,
): Conversation | undefined {
  if (incarnation === undefined) return undefined;
  return {
    conversationId,
    incarnation,
    childOf,
    createdAt: source?.createdAt ?? at,
    messages: [],
    keys: new Map(),
    ownIds: new Map(),
    traceIds: new Set(source?.traceIds),
    userId: undefined,
    metadata: {},
    lastActivity: source?.lastActivity ?? at,
    ttlSeconds: undefined,
    version: 0,
    metadataVersion: 0,
    nextPosition: source?.firstPosition ?? 0,
    writes: 0,
    batches: 0,
    liveLines: new Map(),
  };
}

/** Returns how many of the oldest messages a trim drops. */
function trimmed(messages: readonly HeldMessage[], maxMessages: number): number {
  const cut = messages.length - maxMessages;
  if (cut <= 0) return 0;
  let start = cut;
  while (messages[start]?.isToolResult) start += 1;
  if (start < messages.length) return start;
  const lastGroup = messages.findLastIndex(({ isToolResult }) => !isToolResult);
  return lastGroup >= 0 ? lastGroup : cut;
}

function rememberKey(held: Conversation, idempotency: WriteEntry["idempotency"]): void {
  const { keys, writes, nextPosition } = held;
  for (const [key, { write }] of keys) {
    if (write >= writes - IDEMPOTENCY_WINDOW) break;
    keys.delete(key);
  }
  if (idempotency === undefined) return;
  keys.set(idempotency.key, { bodyHash: idempotency.bodyHash, write: writes, nextPosition });
}

/** Skips messages that are already stored under their own id. Returns how many were added. */
export function addMessages(held: Conversation, messages: readonly LoggedMessage[]): number {
  const before = held.messages.length;
  const batch = held.batches + 1;
  for (const message of messages) {
    const { own } = message;
    if (own !== undefined) {
      if (held.ownIds.has(own.id)) continue;
      held.ownIds.set(own.id, { hash: own.hash, position: held.nextPosition });
    }
    held.messages.push({ ...message, batch });
    held.nextPosition += 1;
  }
  const added = held.messages.length - before;
  if (added > 0) {
    held.batches = batch;
    held.liveLines.set(batch, added);
  }
  return added;
}

function drop({ messages, ownIds, liveLines }: Conversation, from: number, count: number): void {
  for (const { own, batch } of messages.splice(from, count)) {
    if (own !== undefined) ownIds.delete(own.id);
    const left = (liveLines.get(batch) ?? 1) - 1;
    if (left === 0) liveLines.delete(batch);
    else liveLines.set(batch, left);
  }
}

/** Applies a line of the log, either after saving it or while loading the log. */
export function applyWrite(held: Conversation | undefined, entry: WriteEntry): Conversation | undefined {
  const after = entry.begins === undefined ? held : begin(entry.begins, entry);
  if (after === undefined) return undefined;
  const { mode, source, dropLast = 0, maxMessages = Number.POSITIVE_INFINITY } = entry;
  const replaces = mode === "replace";
  const dropped = replaces ? after.messages.length : dropLast;
  drop(after, after.messages.length - dropped, dropped);
  // Positions of dropped messages at the end are reused; positions of replaced conversations are not.
  after.nextPosition -= dropLast;
  const added = addMessages(after, entry.messages);
  const cut = trimmed(after.messages, maxMessages);
  drop(after, 0, cut);
  const changes = replaces || after.version === 0 || dropped + added + cut > 0;
  const changesMetadata = replaces || Object.keys(entry.metadata).length > 0;
  after.version = source?.version ?? after.version + (changes ? 1 : 0);
  after.metadataVersion = source?.metadataVersion ?? after.metadataVersion + (changesMetadata ? 1 : 0);
  after.metadata = replaces ? entry.metadata : { ...after.metadata, ...entry.metadata };
  after.userId ??= entry.userId;
  after.ttlSeconds = entry.ttlSeconds ?? after.ttlSeconds;
  after.lastActivity = source?.lastActivity ?? Math.max(entry.at, after.lastActivity);
  if (entry.traceId !== undefined) after.traceIds.add(entry.traceId);
  after.writes += 1;
  rememberKey(after, entry.idempotency);
  return after;
}
