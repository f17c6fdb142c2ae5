import type { ConversationWrite, JsonObject } from "../contract/backend.ts";
import type { Message, RichMessage } from "../contract/message.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import { createEntry, type Entry } from "../in-memory/conversation.ts";
import { applyWrite } from "../in-memory/write.ts";
import type { KeyedQueue } from "../runtime/keyed-queue.ts";
import { setBounded } from "../runtime/objects.ts";
import { type ListedConversation, listedMetadata } from "./store-reader.ts";

const MAX_CONVERSATIONS = 2_000;

/** What this process knows about a conversation of the store, besides the messages (e.g. the metadata). */
export interface LocalState {
  /** The conversation's versions, idempotency keys and metadata. Its list of messages is empty. */
  readonly entry: Entry;
  /**
   * Writes for which the store's `append` threw, by idempotency key. The store may nevertheless have stored their
   * messages.
   */
  readonly open: Map<string, OpenAppend>;
  /**
   * The number of messages that the store's latest `load` returned. `undefined`: this process has appended messages
   * since.
   */
  visible: number | undefined;
}

interface OpenAppend {
  readonly write: ConversationWrite;
  /** The number of messages that `load` returned before the append. */
  readonly before: number;
}

/** A conversation that was loaded from the store, with what this process knows about it. */
export interface LoadedConversation {
  readonly listed: ListedConversation;
  readonly messages: readonly Message[];
  readonly local: LocalState;
}

export interface StoreState {
  /** Runs the reads and writes of each conversation one after another. */
  readonly queue: KeyedQueue;
  readonly conversations: Map<string, LocalState>;
  /** The providers that `providerOf` has returned, by the user id as JSON. */
  readonly providers: Map<string, MemoryProvider>;
}

// If a conversation is deleted and created again with the same id, the two have different creation times.
/** Returns the conversation's creation time, or the time 0 if the store doesn't return a creation time. */
const createdAtOf = ({ createdAt }: ListedConversation): Date => createdAt ?? new Date(0);

/**
 * Returns what this process knows about a conversation that was just loaded. `visible` is the number of messages that
 * `load` returned.
 */
export function localStateOf(
  { conversations }: StoreState,
  listed: ListedConversation,
  visible: number,
): LocalState {
  // If the creation time or the owner has changed, what was known may be about another conversation or another user. It
  // is replaced, because its content (e.g. a summary) must not be shown.
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

/**
 * Returns the number of messages of a conversation after a `load` that returned `visible` messages. It can be larger
 * than `visible`, because a `load` may hide some messages (e.g. pending calls).
 */
function countAfter(
  { entry: { nextPosition: count }, visible: before }: LocalState,
  visible: number,
): number {
  if (before === undefined) return Math.max(count, visible);
  return visible < before ? visible : count + visible - before;
}

/** Updates this process's state after a write whose messages the store has already stored. */
export function applyToLocalState(local: LocalState, write: ConversationWrite): void {
  const { entry, open } = local;
  // The messages are left out because the store has them. The trace id is left out because a conversation store keeps
  // no traces.
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

/** Returns the conversation as an entry of the in-memory store, including its messages. */
export function wholeEntry({ listed, messages, local: { entry } }: LoadedConversation): Entry {
  // `systemContent` is computed from the messages, because a conversation store has no such field, and other programs
  // may write to the store.
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
