import { isMediaResolver, MemoryCallError, type MemoryProvider, type RichMessage } from "@jaf/memory";
import {
  checkedProvider,
  createMemoryConflictError,
  createMemoryValidationError,
  isConflict,
  type Place,
  present,
  type Seen,
  unwrap,
  writeTo,
} from "@jaf/memory/internal";

/**
 * A conversation of an application of the AI SDK. Make one object for each request: a write with it is refused if the
 * conversation was erased since the object's first call, so the late save of a reply doesn't bring the conversation back.
 */
export interface Chat {
  /** Where the conversation is stored: a provider of JAF, also with `withRetry` or `withBlobs` around it. */
  readonly provider: MemoryProvider;
  readonly conversationId: string;
  /**
   * The user who owns the conversation. A conversation that belongs to another user, or to no user, counts as missing in
   * reads, and writes to it fail with a conflict. Default: a new conversation gets no owner, and the application itself
   * checks who may use it.
   * `undefined` as its value, e.g. for a visitor without a login, is a `TypeError`.
   */
  readonly userId?: string;
}

/** The stored messages of a chat, as one read found them. */
export interface ChatReading extends Seen {
  readonly place: Place;
  /** The messages, oldest first; `[]` if the conversation doesn't exist. */
  readonly messages: readonly RichMessage[];
  /** The position of the first message. */
  readonly firstPosition: number;
  readonly version: number | undefined;
}

/** The incarnation of the conversation that the first call with a chat found or created. */
const firstSeen = new WeakMap<Chat, string>();

/**
 * Reads all messages of a chat. The errors of the provider are thrown as {@link MemoryCallError}. Throws a `TypeError` if
 * the provider or an id is invalid.
 */
export async function readChat(operation: string, chat: Chat): Promise<ChatReading> {
  const { conversationId, userId } = chat;
  const provider = checkedProvider(operation, chat, ["conversationId"]);
  const place = { provider, conversationId, userId };
  const { conversation, firstPosition, incarnation } = await unwrap(operation, () =>
    provider.readConversation(conversationId, present({ userId, owner: userId })),
  );
  if (conversation === null)
    return { place, messages: [], firstPosition: 0, exists: false, version: undefined, incarnation };
  if (!firstSeen.has(chat)) firstSeen.set(chat, incarnation);
  const { messages: stored, metadata } = conversation;
  const messages = isMediaResolver(provider)
    ? await unwrap(operation, () => provider.resolveMedia(conversationId, stored))
    : stored;
  return { place, messages, firstPosition, exists: true, version: metadata?.version, incarnation };
}

/** A change of the end of a chat. */
export interface ChatWrite {
  /** The number of messages to drop from the end. Default 0. */
  readonly dropLast?: number;
  readonly messages: readonly RichMessage[];
  readonly messageIds?: readonly (string | null)[];
}

/**
 * The result of a write:
 *
 * - `"alone"`: since the reading, no other write has changed the conversation.
 * - `"among-others"`: other writes came between, so the reading is outdated.
 * - `{ refused }`: nothing was written, since another writer has just created the conversation or stored one of the
 *   messages. Read and decide again.
 */
type ChatWritten = "alone" | "among-others" | { readonly refused: unknown };

/** How often a write is decided again because another writer was faster. */
const MAX_ATTEMPTS = 20;

/**
 * Reads a chat, and writes what `decide` returns for the reading. Repeats both while another writer is faster. Returns what
 * `decide` returned last and whether other writes came between. Conflicts that a new attempt can't solve are thrown as
 * {@link MemoryCallError}.
 */
export async function changeChat<Write extends ChatWrite>(
  operation: string,
  chat: Chat,
  decide: (reading: ChatReading) => Write,
): Promise<{ readonly write: Write; readonly isAlone: boolean; readonly reading: ChatReading }> {
  let refused: unknown;
  for (let attempt = 1; ; attempt++) {
    const reading = await readChat(operation, chat);
    // Another writer has created a conversation that this chat doesn't see, so it is of another user or of none.
    if (refused !== undefined && (!reading.exists || attempt > MAX_ATTEMPTS)) throw refused;
    const write = decide(reading);
    const { messages, dropLast = 0 } = write;
    if (messages.length === 0 && dropLast === 0) return { write, isAlone: true, reading };
    const written = await writeChat(operation, chat, { reading, write });
    if (typeof written === "string") return { write, isAlone: written === "alone", reading };
    refused = written.refused;
  }
}

/**
 * Writes to a chat on the basis of a reading. An append never waits for other writers. A write that drops messages fails
 * with a conflict if another write came between. Conflicts that a new attempt can't solve are thrown as
 * {@link MemoryCallError}.
 */
async function writeChat(
  operation: string,
  chat: Chat,
  { reading, write }: { readonly reading: ChatReading; readonly write: ChatWrite },
): Promise<ChatWritten> {
  const { messages, dropLast = 0, messageIds } = write;
  const known = firstSeen.get(chat);
  if (known !== undefined && known !== reading.incarnation) throw conflict("incarnation", operation);
  try {
    const { incarnation, receipt } = await writeTo(reading.place, reading, {
      messages,
      ...present({ messageIds }),
      ...(dropLast === 0 ? {} : present({ dropLast, expectedVersion: reading.version })),
    });
    firstSeen.set(chat, incarnation);
    const end = reading.firstPosition + reading.messages.length - dropLast + messages.length;
    return receipt?.nextPosition === end ? "alone" : "among-others";
  } catch (error) {
    // Another change of the messages that the write drops must not be overwritten.
    const wasFaster =
      (dropLast === 0 && isConflict(error, "message-id")) ||
      (!reading.exists && isConflict(error, "version", "incarnation"));
    if (wasFaster) return { refused: error };
    throw error;
  }
}

export const conflict = (reason: "incarnation" | "message-id", operation: string): MemoryCallError =>
  new MemoryCallError(createMemoryConflictError(reason, { operation }));

export const invalid = (path: string, expected: string, operation: string): MemoryCallError =>
  new MemoryCallError(createMemoryValidationError([{ path, expected }], { operation }));
