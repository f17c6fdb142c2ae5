import {
  isMemoryConflictError,
  type MemoryConflictReason,
  type MessageSelection,
  type RichMessage,
  type WriteOptions,
  type WriteReceipt,
} from "@jaf/memory";
import { isMediaResolver, MemoryCallError, ownField, present, receiptOf, unwrap } from "@jaf/memory/internal";
import { itemsOf } from "./items/to-items.ts";
import type { Place } from "./settings.ts";

/** A consistent read of a conversation. */
export interface Reading {
  readonly exists: boolean;
  /** The selected messages, with the bytes of media in place. */
  readonly messages: readonly RichMessage[];
  /** The number of stored messages. */
  readonly count: number;
  /** The number of changes; 0 if the conversation doesn't exist. */
  readonly version: number;
  readonly incarnation: string;
  /** The incarnation that the conversation's creator read before. Absent if a session didn't create it. */
  readonly began: string | undefined;
  /** The version of the conversation when it was cleared last, or 0. Operations from before it don't count any more. */
  readonly cleared: number;
  /** Whether a write under the key `receiptFor` was already made. */
  readonly written: boolean;
}

/** A write to the end of a conversation. */
export interface Change
  extends Pick<WriteOptions, "expectedVersion" | "idempotencyKey" | "childOf" | "messageIds"> {
  readonly messages: readonly RichMessage[];
  /** How many messages are dropped from the end first. Default 0. */
  readonly dropLast?: number;
  readonly expectedIncarnation: string;
  /** What {@link Reading.began} is after this write. Default: as before. */
  readonly began?: string | undefined;
  /** What {@link Reading.cleared} is after this write. If it is given, `began` is replaced, too. Default: as before. */
  readonly cleared?: number;
}

/** Reads of more messages read the whole conversation. */
const MAX_LIMIT = 100_000;

/** The field of a conversation's metadata that belongs to this package. */
const METADATA = "openaiAgents";

function ownMetadata(metadata: object | undefined): Pick<Reading, "began" | "cleared"> {
  const own = metadata === undefined ? undefined : ownField(metadata, METADATA);
  const fields: object = typeof own === "object" && own !== null ? own : {};
  const [began, cleared] = [ownField(fields, "began"), ownField(fields, "cleared")];
  return {
    began: typeof began === "string" ? began : undefined,
    cleared: typeof cleared === "number" ? cleared : 0,
  };
}

/** Reads the conversation of `place`. A conversation of another user counts as missing. */
export async function readHistory(
  { provider, conversationId, userId }: Place,
  messages: MessageSelection,
  receiptFor?: string,
): Promise<Reading> {
  const options = present({ messages, receiptFor, userId, owner: userId });
  const found = await unwrap("readConversation", () => provider.readConversation(conversationId, options));
  const stored: readonly RichMessage[] = found.conversation?.messages ?? [];
  const metadata = found.conversation?.metadata;
  return {
    exists: found.conversation !== null,
    messages: isMediaResolver(provider)
      ? await unwrap("resolveMedia", () => provider.resolveMedia(conversationId, stored))
      : stored,
    count: metadata?.totalMessages ?? 0,
    version: metadata?.version ?? 0,
    incarnation: found.incarnation,
    ...ownMetadata(metadata),
    written: found.receipt !== undefined,
  };
}

/**
 * Reads so many messages from the end that they have at least `count` items, or all messages. It reads further where
 * messages have no items, or where the name of a result's function only stands in an earlier call.
 */
export async function readEnd(place: Place, count: number, receiptFor?: string): Promise<Reading> {
  for (let limit = count; ; limit *= 2) {
    const selection = limit === 0 ? "none" : limit <= MAX_LIMIT ? { limit } : "all";
    const reading = await readHistory(place, selection, receiptFor);
    if (reading.messages.length === reading.count) return reading;
    const items = itemsOf(reading.messages);
    const isNamed = items.slice(items.length - count).every((item) => !("name" in item) || item.name !== "");
    if (items.length >= count && isNamed) return reading;
  }
}

/**
 * Changes the end of the conversation, which is created if it is missing. Returns the receipt of the write, or
 * `undefined` if the same write was already made. Throws a `MemoryCallError`.
 */
export async function changeHistory(
  { provider, conversationId, userId }: Place,
  { messages, began, cleared, ...conditions }: Change,
): Promise<WriteReceipt | undefined> {
  const changesOwn = began !== undefined || cleared !== undefined;
  const options: WriteOptions = {
    ...conditions,
    idempotencyKey: conditions.idempotencyKey ?? crypto.randomUUID(),
    createIfMissing: userId === undefined ? "unowned" : true,
  };
  const result = await provider.appendMessages(
    conversationId,
    messages as Parameters<typeof provider.appendMessages>[1],
    present({ userId, [METADATA]: changesOwn ? present({ began, cleared }) : undefined }),
    options,
  );
  if (!result.success) throw new MemoryCallError(result.error);
  return receiptOf(result);
}

/** Whether the error says that the conversation changed since it was read, in one of these ways. */
export const isConflict = (error: unknown, ...reasons: readonly MemoryConflictReason[]): boolean =>
  error instanceof MemoryCallError &&
  isMemoryConflictError(error.memoryError) &&
  reasons.includes(error.memoryError.reason);
