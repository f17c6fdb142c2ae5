import type { ConversationWrite, JsonObject } from "../contract/backend.ts";
import type { Message, RichMessage } from "../contract/message.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import { createEntry, type Entry } from "../in-memory/conversation.ts";
import { applyWrite } from "../in-memory/write.ts";
import type { KeyedQueue } from "../runtime/keyed-queue.ts";
import { setBounded } from "../runtime/objects.ts";
import { type ListedConversation, listedMetadata } from "./store-reader.ts";

const MAX_CONVERSATIONS = 2_000;

/** This process's data about a conversation, beside its messages. */
export interface LocalState {
  /** An in-memory conversation with versions, keys and metadata. Its messages are in the store. */
  readonly entry: Entry;
  /** Appends that threw, by idempotency key. They may have succeeded, or succeed later. */
  readonly open: Map<string, OpenAppend>;
  /** The number of messages in the latest `load`; `undefined` after a write. */
  visible: number | undefined;
}

interface OpenAppend {
  readonly write: ConversationWrite;
  /** The number of messages before the append. */
  readonly before: number;
}

/** A conversation from the store, with this process's data about it. */
export interface LoadedConversation {
  readonly listed: ListedConversation;
  readonly messages: readonly Message[];
  readonly local: LocalState;
}

export interface StoreState {
  /** Runs the reads and writes of one conversation one after another. */
  readonly queue: KeyedQueue;
  readonly conversations: Map<string, LocalState>;
  /** By user. */
  readonly providers: Map<string, MemoryProvider>;
}

/** Distinguishes conversations with the same id. The epoch if the store doesn't return it. */
const createdAtOf = ({ createdAt }: ListedConversation): Date => createdAt ?? new Date(0);

/**
 * Returns the state of a conversation that was just read. A new state if the listing shows another conversation or
 * another owner: ids can be reused and conversations can change owners, and summaries are content.
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

/** The number of messages. A `load` may hide some, e.g. pending calls. */
function countAfter(
  { entry: { nextPosition: count }, visible: before }: LocalState,
  visible: number,
): number {
  if (before === undefined) return Math.max(count, visible);
  return visible < before ? visible : count + visible - before;
}

/** Records a write with stored messages. */
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

/** The whole entry, as if it were in memory. */
export function wholeEntry({ listed, messages, local: { entry } }: LoadedConversation): Entry {
  // The store has no such field, and others write to it, too.
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
