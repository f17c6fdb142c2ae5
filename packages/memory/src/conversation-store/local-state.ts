import type { ConversationWrite, JsonObject } from "../contract/backend.ts";
import type { Message, RichMessage } from "../contract/message.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import { createEntry, type Entry } from "../in-memory/conversation.ts";
import { applyWrite } from "../in-memory/write.ts";
import type { KeyedQueue } from "../runtime/keyed-queue.ts";
import { setBounded } from "../runtime/objects.ts";
import { type ListedConversation, listedMetadata } from "./store-reader.ts";

const MAX_CONVERSATIONS = 2_000;

/** What this process knows of a conversation beyond its messages. */
export interface LocalState {
  /** A conversation in memory, whose messages are in the store: it has its versions, keys and metadata. */
  readonly entry: Entry;
  /** By idempotency key: appends that threw, and may be done all the same, or come to be. */
  readonly open: Map<string, OpenAppend>;
  /** How many messages the latest `load` returned; `undefined` after a write. */
  visible: number | undefined;
}

interface OpenAppend {
  readonly write: ConversationWrite;
  /** How many messages there were. */
  readonly before: number;
}

/** A conversation as the store returns it, with what this process knows of it. */
export interface LoadedConversation {
  readonly listed: ListedConversation;
  readonly messages: readonly Message[];
  readonly local: LocalState;
}

export interface StoreState {
  /** Runs the reads and writes of one conversation one after another. */
  readonly queue: KeyedQueue;
  readonly conversations: Map<string, LocalState>;
  /** By the user that they are for. */
  readonly providers: Map<string, MemoryProvider>;
}

/** What tells one conversation from another under its id: the epoch where the store doesn't say it. */
const createdAtOf = ({ createdAt }: ListedConversation): Date => createdAt ?? new Date(0);

/**
 * The state of a conversation that was just read. A new one where it is, as far as the listing shows, another conversation
 * or another owner's: an id may be used again, and a conversation given away, and summaries are content.
 */
export function localStateOf(
  { conversations }: StoreState,
  listed: ListedConversation,
  visible: number,
): LocalState {
  const known = conversations.get(listed.id);
  const local = known === undefined || isAnother(known.entry, listed) ? newState(listed, visible) : known;
  local.entry.userId ??= listed.userId;
  setBounded(conversations, [listed.id, local], MAX_CONVERSATIONS);
  const count = countAfter(local, visible);
  if (count !== local.entry.nextPosition) local.entry.version += 1;
  local.entry.nextPosition = count;
  local.visible = visible;
  return local;
}

const isAnother = ({ userId, createdAt }: Entry, listed: ListedConversation): boolean =>
  (userId !== undefined && listed.userId !== undefined && userId !== listed.userId) ||
  createdAt.getTime() !== createdAtOf(listed).getTime();

function newState(listed: ListedConversation, visible: number): LocalState {
  const conversation = { conversationId: listed.id };
  const entry = createEntry(conversation, crypto.randomUUID(), createdAtOf(listed));
  return { entry: Object.assign(entry, { version: 1, nextPosition: visible }), open: new Map(), visible };
}

/** How many messages there are. A `load` may hide some, e.g. calls that wait for their result. */
function countAfter(
  { entry: { nextPosition: count }, visible: before }: LocalState,
  visible: number,
): number {
  if (before === undefined) return Math.max(count, visible);
  return visible < before ? visible : count + visible - before;
}

/** Records a write whose messages are stored. */
export function applyToLocalState(local: LocalState, write: ConversationWrite): void {
  const { entry, open } = local;
  // The store has the messages, and keeps no traces.
  const { traceId: _, messages, ...rest } = write;
  if (messages.length > 0) {
    entry.version += 1;
    entry.nextPosition += messages.length;
    local.visible = undefined;
  }
  const applying = {
    now: new Date(),
    maxMessages: Number.POSITIVE_INFINITY,
    storeBody: (body: string) => body,
  };
  applyWrite(entry, { ...rest, messages: [] }, applying);
  if (write.idempotency !== undefined) open.delete(write.idempotency.key);
}

export function activityOf(listed: ListedConversation, entry: Entry | undefined): Date {
  const times = [listed.createdAt, listed.updatedAt, entry?.lastActivity];
  return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)));
}

/** All of it, as if it were in memory. */
export function wholeEntry({ listed, messages, local: { entry } }: LoadedConversation): Entry {
  // The store keeps no such field, and others write to it too.
  const systemContent: JsonObject = messages.some(isSystemContent) ? { systemContent: true } : {};
  return {
    ...entry,
    createdAt: listed.createdAt ?? listed.updatedAt ?? entry.createdAt,
    metadata: { ...listedMetadata(listed), ...entry.metadata, ...systemContent },
    lastActivity: activityOf(listed, entry),
    messages: messages.map((stored) => ({ stored, digest: "", isToolResult: false, own: undefined })),
  };
}

const isSystemContent = ({ role }: RichMessage): boolean => role === "system" || role === "developer";
