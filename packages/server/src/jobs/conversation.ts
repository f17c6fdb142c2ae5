import {
  type ConversationMemory,
  ConversationStoreError,
  type MemoryErrorUnion,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import { createMemoryNotFoundError } from "@jaf/memory/adapter";
import { present } from "@jaf/memory/internal";
import { invalid, refusal, storeRefusal } from "../turns/turn-errors.ts";
import type { TurnEdit, TurnRefusal, TurnRequest } from "../turns/turn-service.ts";
import { type ConversationBase, userMessagesOf } from "./stored-request.ts";

/** The conversation of a turn, or why the turn is refused. */
export type ResolvedTarget =
  /** A conversation to continue. `dropLast`: the number of messages that an edit removes from its end. */
  | { readonly found: true; readonly conversationId: string; readonly dropLast?: number }
  /** A conversation to create. `isRandom`: the server generated the id, so no client knows it. */
  | { readonly found: false; readonly conversationId: string; readonly isRandom: boolean }
  | { readonly refusal: TurnRefusal };

/**
 * Returns the conversation that the turn continues, or the conversation to create. Unless the request is an edit,
 * doesn't check that the conversation `target.conversationId` exists.
 */
export async function resolveTarget(
  provider: VersionedMemoryProvider,
  request: TurnRequest,
): Promise<ResolvedTarget> {
  const { target, identity } = request;
  if ("conversationId" in target) {
    const { conversationId } = target;
    // The agent client later checks that the conversation exists and belongs to the user.
    return request.edit === undefined
      ? { found: true, conversationId }
      : resolveEdit(provider, request, conversationId);
  }
  if (request.edit !== undefined) return { refusal: invalid("An edit requires an existing conversation.") };
  if (target.newId === undefined)
    return { found: false, conversationId: crypto.randomUUID(), isRandom: true };
  const conversationId = target.newId;
  const { userId } = identity;
  const own = await provider.findConversations({ conversationId, userId, includeMessages: false });
  if (!own.success) return { refusal: storeRefusal(own.error) };
  return own.data.length > 0
    ? { found: true, conversationId }
    : { found: false, conversationId, isRandom: false };
}

/**
 * Finds the stored conversation that an edit (`TurnEdit`) changes. Returns the conversation's id and how many messages
 * the edit removes from its end. Refuses an edit that doesn't fit the stored conversation.
 */
async function resolveEdit(
  provider: VersionedMemoryProvider,
  { edit, identity, input }: TurnRequest,
  conversationId: string,
): Promise<ResolvedTarget> {
  const said = userMessagesOf(input);
  if (edit === undefined || said === undefined || said.length === 0) {
    return { refusal: invalid("An edit requires a message of the user.") };
  }
  const { position, version } = edit;
  if (!Number.isSafeInteger(position) || position < 0) {
    return { refusal: invalid("The position of an edit must be a whole number from 0.") };
  }
  const messages = { before: position + 1, limit: 1 };
  const { userId: owner } = identity;
  const read = await provider.readConversation(conversationId, { messages, owner });
  if (!read.success) return { refusal: storeRefusal(read.error) };
  const { conversation, firstPosition } = read.data;
  const metadata = conversation?.metadata;
  if (conversation?.userId !== owner || metadata?.nextPosition === undefined || isInner(conversation))
    return { refusal: refusal("not-found") };
  if (metadata.version !== version) return { refusal: refusal("changed") };
  const [edited] = conversation.messages;
  if (edited?.role !== "user" || firstPosition !== position) {
    return { refusal: invalid("The position of an edit must be that of a user's message.") };
  }
  return { found: true, conversationId, dropLast: metadata.nextPosition - position };
}

export type BaseReading =
  | { readonly base: ConversationBase }
  | { readonly refusal: TurnRefusal; readonly error: MemoryErrorUnion };

/**
 * Reads where the turn begins in its conversation (`base`). Returns a refusal if the conversation doesn't exist or the
 * store fails.
 */
export async function readBase(
  provider: VersionedMemoryProvider,
  conversationId: string,
  edit: TurnEdit | undefined,
): Promise<BaseReading> {
  const read = await provider.readConversation(conversationId, { messages: "none" });
  if (!read.success) return { refusal: storeRefusal(read.error), error: read.error };
  const { conversation, incarnation, firstPosition } = read.data;
  if (conversation === null) {
    return { refusal: refusal("not-found"), error: createMemoryNotFoundError(conversationId) };
  }
  const version = conversation.metadata?.version ?? 0;
  return { base: { position: edit?.position ?? firstPosition, version, incarnation } };
}

/** A conversation to create once the engine has accepted the request. */
export interface NewConversation {
  readonly conversationId: string;
  readonly title: string | undefined;
  /** The chat id that the client chose, for the conversation's metadata. `undefined`: the client chose none. */
  readonly chatId: string | undefined;
  /** Idempotency key of the write that creates the conversation. */
  readonly key: string;
}

export async function makeConversation(
  provider: VersionedMemoryProvider,
  userId: string,
  { conversationId, title, chatId, key }: NewConversation,
): Promise<string> {
  const metadata = { userId, ...present({ title, chatId }) };
  const options = { createIfMissing: true, idempotencyKey: key };
  const made = await provider.appendMessages(conversationId, [], metadata, options);
  if (made.success) return conversationId;
  // The same error as from the agent client's own store: the engine converts it to a refusal or an outcome.
  throw new ConversationStoreError(made.error);
}

/** Whether it is the conversation of an agent that ran as a tool. It belongs to its outer conversation, not to a client. */
export const isInner = ({ metadata }: ConversationMemory): boolean => metadata?.childOf !== undefined;
