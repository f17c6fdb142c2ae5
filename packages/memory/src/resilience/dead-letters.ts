import { sha256 } from "#digest";
import { createMemoryValidationError, type MemoryErrorUnion } from "../errors.ts";
import type { Message } from "../message.ts";
import type { ConversationMemory, MemoryProvider } from "../provider.ts";
import { createFailure, createSuccess, type Result } from "../result.ts";
import { DEAD_LETTER_TRACE, deadLetterId, isReservedId } from "./reserved-ids.ts";

/**
 * Why a fallback write couldn't be replayed on the primary.
 *
 * - `"owner"`: another user owns the conversation there.
 * - `"erased"`: the conversation, or everything of its user, was erased there, or it was never there.
 * - `"changed"`: somebody else changed there what the write was to replace or drop, or used its key or message ids.
 * - `"refused"`: the primary can't store it, e.g. as it is too large.
 */
export type DeadLetterReason = "owner" | "erased" | "changed" | "refused";

const REASONS: ReadonlySet<unknown> = new Set<DeadLetterReason>(["owner", "erased", "changed", "refused"]);

/** Fallback writes could not be replayed on the primary; the fallback keeps them as a dead letter. */
export interface DeadLetterEvent {
  /** For `dropDeadLetter`. */
  readonly id: string;
  /** The conversation that they were for. */
  readonly conversationId: string;
  /** Whose they are, as far as they say. */
  readonly userId?: string;
  readonly reason: DeadLetterReason;
  readonly writes: number;
  readonly messages: number;
}

/**
 * Fallback writes of one conversation and user that could not be replayed. They stay in the fallback, apart from every
 * conversation.
 */
export interface DeadLetter {
  /** For `dropDeadLetter`. */
  readonly id: string;
  /** The conversation that they were for. */
  readonly conversationId: string;
  /** Whose they are, as far as they say. */
  readonly userId?: string;
  /** Of the latest of these writes. */
  readonly reason: DeadLetterReason;
  /** What they would have stored, in order. */
  readonly messages: readonly Message[];
}

export interface DeadLetterQuery {
  /** Only what was for this conversation. */
  readonly conversationId?: string;
  /** Only what is this user's. */
  readonly userId?: string;
}

interface Target {
  readonly conversationId: string;
  readonly userId: string | undefined;
  readonly reason: DeadLetterReason;
}

interface UnreplayedWrite {
  readonly key: string;
  readonly messages: readonly Message[];
}

/** Hashes the messages as well: using a key again for something else must not stop a replay. */
const keyOf = ({ key, messages }: UnreplayedWrite): string =>
  sha256(JSON.stringify([key, messages]), "base64url");

/** An earlier replay has stored it, for another reason. */
const isStoredBefore = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConflictError" && error.reason === "idempotency-key";

/** Stores one write, once, however often it is called. Returns the id of the dead letter. */
export async function storeDeadLetter(
  fallback: MemoryProvider,
  { conversationId, userId, reason }: Target,
  write: UnreplayedWrite,
): Promise<Result<string>> {
  const id = deadLetterId(conversationId, userId);
  const metadata = { conversationId, reason, traceId: DEAD_LETTER_TRACE };
  const kept = await fallback.appendMessages(
    id,
    write.messages,
    userId === undefined ? metadata : { ...metadata, userId },
    { createIfMissing: "unowned", idempotencyKey: keyOf(write) },
  );
  if (kept.success || isStoredBefore(kept.error)) return createSuccess(id);
  return kept;
}

function toDeadLetters({ conversationId: id, userId, messages, metadata }: ConversationMemory): DeadLetter[] {
  const conversationId: unknown = metadata?.["conversationId"];
  const reason: unknown = metadata?.["reason"];
  if (!isReservedId(id) || typeof conversationId !== "string" || !REASONS.has(reason)) return [];
  return [
    {
      id,
      conversationId,
      ...(userId === undefined ? {} : { userId }),
      reason: reason as DeadLetterReason,
      messages,
    },
  ];
}

/**
 * The dead letters that `withFallback({ writes: "fallback" })` keeps in this fallback, newest first. For operators: they
 * are shown to no user, and stay until they are dropped, their user is cleared, or their conversation is deleted.
 */
export const findDeadLetters = (
  fallback: MemoryProvider,
  query: DeadLetterQuery = {},
): Promise<Result<readonly DeadLetter[]>> => find(fallback, query, true);

async function find(
  fallback: MemoryProvider,
  { conversationId, ...query }: DeadLetterQuery,
  includeMessages: boolean,
): Promise<Result<readonly DeadLetter[]>> {
  const found = await fallback.findConversations({ ...query, traceId: DEAD_LETTER_TRACE, includeMessages });
  if (!found.success) return found;
  const all = found.data.flatMap(toDeadLetters);
  return createSuccess(
    conversationId === undefined ? all : all.filter((one) => one.conversationId === conversationId),
  );
}

/** Deletes the dead letter with this id. Returns whether there was one. */
export async function dropDeadLetter(fallback: MemoryProvider, id: string): Promise<Result<boolean>> {
  if (isReservedId(id)) return fallback.deleteConversation(id);
  const issues = [{ path: "id", expected: "an id from findDeadLetters" }];
  return createFailure(createMemoryValidationError(issues, { operation: "dropDeadLetter" }));
}

/** Deletes all dead letters of a conversation. */
export async function dropDeadLettersOf(
  fallback: MemoryProvider,
  conversationId: string,
): Promise<Result<void>> {
  const found = await find(fallback, { conversationId }, false);
  if (!found.success) return found;
  for (const { id } of found.data) {
    const dropped = await dropDeadLetter(fallback, id);
    if (!dropped.success) return dropped;
  }
  return createSuccess(undefined);
}
