import { sha256 } from "#digest";
import { createMemoryValidationError, type MemoryErrorUnion } from "../errors.ts";
import type { Message } from "../message.ts";
import type { ConversationMemory, MemoryProvider } from "../provider.ts";
import { createFailure, createSuccess, type Result } from "../result.ts";
import { isReservedId, SET_ASIDE_TRACE, setAsideId } from "./reserved-ids.ts";

/**
 * Why a diverted write couldn't be replayed on the primary.
 *
 * - `"owner"`: another user owns the conversation there.
 * - `"erased"`: the conversation, or everything of its user, was erased there, or it was never there.
 * - `"changed"`: somebody else changed there what the write was to replace or drop, or used its key or message ids.
 * - `"refused"`: the primary can't store it, e.g. as it is too large.
 */
export type SetAsideReason = "owner" | "erased" | "changed" | "refused";

const REASONS: ReadonlySet<unknown> = new Set<SetAsideReason>(["owner", "erased", "changed", "refused"]);

/** Diverted writes could not be replayed on the primary, and were set aside in the fallback. */
export interface SetAsideEvent {
  /** For `dropSetAsideWrites`. */
  readonly id: string;
  /** The conversation that they were for. */
  readonly conversationId: string;
  /** Whose they are, as far as they say. */
  readonly userId?: string;
  readonly reason: SetAsideReason;
  readonly writes: number;
  readonly messages: number;
}

/** Writes of one conversation and user that stay in the fallback, apart from every conversation. */
export interface SetAsideWrites {
  /** For `dropSetAsideWrites`. */
  readonly id: string;
  /** The conversation that they were for. */
  readonly conversationId: string;
  /** Whose they are, as far as they say. */
  readonly userId?: string;
  /** Of those that were set aside last. */
  readonly reason: SetAsideReason;
  /** What they would have stored, in order. */
  readonly messages: readonly Message[];
}

export interface SetAsideQuery {
  /** Only what was for this conversation. */
  readonly conversationId?: string;
  /** Only what is this user's. */
  readonly userId?: string;
}

interface Target {
  readonly conversationId: string;
  readonly userId: string | undefined;
  readonly reason: SetAsideReason;
}

interface KeptWrite {
  readonly key: string;
  readonly messages: readonly Message[];
}

/** Of what it says, too: who uses a key again for something else must not stop a replay. */
const keyOf = ({ key, messages }: KeptWrite): string => sha256(JSON.stringify([key, messages]), "base64url");

/** A replay before this one has kept it, for another reason. */
const isKept = (error: MemoryErrorUnion): boolean =>
  error._tag === "MemoryConflictError" && error.reason === "idempotency-key";

/** Keeps one write, once, however often it is called. */
export async function keepSetAside(
  fallback: MemoryProvider,
  { conversationId, userId, reason }: Target,
  write: KeptWrite,
): Promise<Result<string>> {
  const id = setAsideId(conversationId, userId);
  const metadata = { conversationId, reason, traceId: SET_ASIDE_TRACE };
  const kept = await fallback.appendMessages(
    id,
    write.messages,
    userId === undefined ? metadata : { ...metadata, userId },
    { createIfMissing: "unowned", idempotencyKey: keyOf(write) },
  );
  if (kept.success || isKept(kept.error)) return createSuccess(id);
  return kept;
}

function toSetAside({
  conversationId: id,
  userId,
  messages,
  metadata,
}: ConversationMemory): SetAsideWrites[] {
  const conversationId: unknown = metadata?.["conversationId"];
  const reason: unknown = metadata?.["reason"];
  if (!isReservedId(id) || typeof conversationId !== "string" || !REASONS.has(reason)) return [];
  return [
    {
      id,
      conversationId,
      ...(userId === undefined ? {} : { userId }),
      reason: reason as SetAsideReason,
      messages,
    },
  ];
}

/**
 * What `withFallback({ writes: "fallback" })` has set aside in this fallback, newest first. For operators: it is shown
 * to no user, and stays until it is dropped, its user is cleared, or its conversation is deleted.
 */
export const findSetAsideWrites = (
  fallback: MemoryProvider,
  query: SetAsideQuery = {},
): Promise<Result<readonly SetAsideWrites[]>> => find(fallback, query, true);

async function find(
  fallback: MemoryProvider,
  { conversationId, ...query }: SetAsideQuery,
  includeMessages: boolean,
): Promise<Result<readonly SetAsideWrites[]>> {
  const found = await fallback.findConversations({ ...query, traceId: SET_ASIDE_TRACE, includeMessages });
  if (!found.success) return found;
  const all = found.data.flatMap(toSetAside);
  return createSuccess(
    conversationId === undefined ? all : all.filter((one) => one.conversationId === conversationId),
  );
}

/** Deletes what was set aside under an id; whether there was any. */
export async function dropSetAsideWrites(fallback: MemoryProvider, id: string): Promise<Result<boolean>> {
  if (isReservedId(id)) return fallback.deleteConversation(id);
  const issues = [{ path: "id", expected: "an id that findSetAsideWrites gave" }];
  return createFailure(createMemoryValidationError(issues, { operation: "dropSetAsideWrites" }));
}

/** Deletes all of a conversation. */
export async function dropSetAsideOf(
  fallback: MemoryProvider,
  conversationId: string,
): Promise<Result<void>> {
  const found = await find(fallback, { conversationId }, false);
  if (!found.success) return found;
  for (const { id } of found.data) {
    const dropped = await dropSetAsideWrites(fallback, id);
    if (!dropped.success) return dropped;
  }
  return createSuccess(undefined);
}
