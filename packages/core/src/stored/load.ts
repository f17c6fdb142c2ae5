import type { ConversationMemory, Message, MessageSelection, Result } from "@jaf/memory";
import {
  createFailure,
  createMemoryConflictError,
  createMemoryStorageError,
  createSuccess,
  isVersionedProvider,
  type ProviderReading,
  present,
  readFrom,
} from "@jaf/memory/internal";
import { ownConversation } from "../immutable/messages.ts";
import type { MemoryConfig } from "../memory-config.ts";
import { newerFormatError } from "./formats.ts";
import { firstPositionOf, nextPositionOf } from "./metadata.ts";
import { isFinalReply } from "./new-messages.ts";
import { toResult } from "./provider-result.ts";
import { type Tail, type TailReading, tailIn } from "./tail.ts";

const OPERATION = "readConversation";

/** A loaded conversation, with the store's time when the conversation was loaded. */
export interface Loaded extends ProviderReading {
  readonly time: StoreTime;
}

/**
 * A conversation without its messages. `receipt`: absent unless the memory provider is versioned (see
 * `isVersionedProvider`).
 */
export type Head = Pick<Loaded, "conversation" | "incarnation" | "receipt" | "time">;

interface HeadOptions {
  /**
   * The user that the conversation must belong to; it must exist, or the load returns a conflict. Absent: the owner
   * isn't checked, and the conversation need not exist.
   */
  readonly owner?: string | undefined;
  /**
   * The idempotency key of a write whose receipt the result has if the write was made. Absent: the result has no
   * receipt.
   */
  readonly receiptFor?: string | undefined;
  /** The run's signal, which stops the retries of a memory provider's wrapper when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface LoadOptions extends HeadOptions {
  /** How to load only the end of the conversation. Absent: all messages are loaded. */
  readonly tail?: Tail | undefined;
}

interface Reading extends HeadOptions {
  readonly messages?: MessageSelection;
}

/**
 * Loads the stored conversation. `conversation` is `null` in the result if none exists. Returns a conflict if the
 * conversation belongs to another user, and an error if a newer release has written it in a newer format. With `tail`, one call of the store is usually enough, and at most three are
 * made.
 */
export async function loadConversation(
  memory: MemoryConfig,
  conversationId: string,
  { tail, ...asked }: LoadOptions,
): Promise<Result<Loaded>> {
  const load = (limit?: number) =>
    readConversation(memory, conversationId, limit === undefined ? asked : { ...asked, messages: { limit } });
  if (tail === undefined) return load();
  let limit: number | undefined = tail.firstRead;
  for (let mayReadNext = true; ; mayReadNext = false) {
    const loaded = await load(limit);
    if (!loaded.success || loaded.data.conversation === null || limit === undefined) return loaded;
    const { conversation, receipt } = loaded.data;
    const reading = receipt === undefined ? endOf(conversation, tail) : ALL;
    if (reading.decides) {
      const firstPosition = firstPositionOf(reading.conversation);
      return createSuccess(
        Object.assign({}, loaded.data, { conversation: reading.conversation, firstPosition }),
      );
    }
    limit = mayReadNext ? reading.readNext : undefined;
  }
}

const ALL: TailReading = { decides: false };

/** Returns the loaded end of a conversation if it is enough; otherwise how many messages to load next. */
function endOf(conversation: ConversationMemory, tail: Tail): TailReading {
  try {
    return tailIn(conversation, tail);
  } catch {
    // The run reports the tokenizer's error later, when it applies the window.
    return ALL;
  }
}

async function readConversation(
  memory: MemoryConfig,
  conversationId: string,
  options: Reading,
): Promise<Result<Loaded>> {
  const loaded = await read(memory, conversationId, options);
  if (!loaded.success) return loaded;
  const { conversation } = loaded.data;
  const owner = conversation?.userId;
  if (memory.userId !== undefined && owner !== undefined && owner !== memory.userId) {
    return createFailure(notOwned());
  }
  const own = conversation === null ? null : ownConversation(conversation);
  return createSuccess(Object.assign({}, loaded.data, { conversation: own }));
}

export const loadHead = (
  memory: MemoryConfig,
  conversationId: string,
  options: HeadOptions = {},
): Promise<Result<Head>> =>
  isVersionedProvider(memory.provider)
    ? read(memory, conversationId, { ...options, messages: "none" })
    : findHead(memory.provider, conversationId, options);

async function read(
  { provider, userId }: MemoryConfig,
  conversationId: string,
  { receiptFor, owner, ...options }: Reading,
): Promise<Result<Loaded>> {
  const asked = { ...options, ...present({ userId, owner, receiptFor }) };
  const askedAt = performance.now();
  const reading = await toResult(OPERATION, () => readFrom(provider, conversationId, asked));
  if (!reading.success) return reading;
  if (!isReading(reading.data))
    return createFailure(createMemoryStorageError(OPERATION, "the memory provider returned no conversation"));
  const { conversation } = reading.data;
  if (owner !== undefined && !isOwnedBy(owner, conversation)) return createFailure(notOwned());
  const newer = conversation === null ? undefined : newerFormatError(conversation);
  if (newer !== undefined) return createFailure(newer);
  return createSuccess(Object.assign({}, reading.data, { time: storeTimeOf(reading.data, askedAt) }));
}

/** Whether it is the user's own conversation. A child conversation belongs to its outer run, and isn't continued alone. */
const isOwnedBy = (owner: string, conversation: ConversationMemory | null): boolean =>
  conversation?.userId === owner && conversation.metadata?.childOf === undefined;

const notOwned = () => createMemoryConflictError("owner", { operation: OPERATION });

/** Loads a conversation without its messages, from a memory provider that can only list conversations. */
async function findHead(
  provider: MemoryConfig["provider"],
  conversationId: string,
  { owner }: HeadOptions,
): Promise<Result<Head>> {
  const operation = "findConversations";
  const found = await toResult(operation, () =>
    provider.findConversations({ conversationId, includeMessages: false }),
  );
  if (!found.success) return found;
  if (!Array.isArray(found.data))
    return createFailure(createMemoryStorageError(operation, "the memory provider returned no list"));
  const conversation = found.data[0] ?? null;
  if (owner !== undefined && conversation?.userId !== owner) return createFailure(notOwned());
  const newer = conversation === null ? undefined : newerFormatError(conversation);
  if (newer !== undefined) return createFailure(newer);
  const incarnation: unknown = conversation?.metadata?.incarnation;
  return createSuccess({
    conversation,
    incarnation: typeof incarnation === "string" ? incarnation : undefined,
    time: processTime(),
  });
}

function isReading(data: unknown): data is ProviderReading {
  if (typeof data !== "object" || data === null || !("conversation" in data)) return false;
  const { conversation } = data;
  if (conversation === null) return true;
  return (
    typeof conversation === "object" && "messages" in conversation && Array.isArray(conversation.messages)
  );
}

/** How an earlier execution of the same run ended. */
export type StoredOutcome =
  | {
      readonly kind: "replied";
      readonly reply: Message;
      /** The messages up to the reply, including the reply. */
      readonly messages: readonly Message[];
      /** Whether the reply is the last message of the conversation. */
      readonly isLast: boolean;
    }
  /** The run waits for an approval or the client, and the conversation hasn't continued. */
  | { readonly kind: "interrupted" }
  /** The run's outcome can't be found, because the conversation has continued or its messages were replaced. */
  | { readonly kind: "changed" }
  /** The store has dropped the messages that the run ended with. */
  | { readonly kind: "dropped" };

/** Returns how an earlier execution of the same run ended; `undefined` if none has ended. */
export function storedOutcomeOf({ conversation, receipt }: ProviderReading): StoredOutcome | undefined {
  if (conversation === null || receipt === undefined) return undefined;
  const { messages } = conversation;
  const nextPosition = nextPositionOf(conversation);
  const end = messages.length - (nextPosition - receipt.nextPosition);
  if (end <= 0) return { kind: "dropped" };
  const last = messages[end - 1];
  if (last === undefined) return { kind: "changed" };
  const isLast = end === messages.length;
  if (isFinalReply(last)) return { kind: "replied", reply: last, messages: messages.slice(0, end), isLast };
  return { kind: isLast ? "interrupted" : "changed" };
}

/** A store's clock. The current time is computed from the store's time at a read. */
export interface StoreTime {
  /** The store's time when it answered a read, in milliseconds since 1970. */
  readonly readAt: number;
  /** When the store's answer arrived, in milliseconds, by `performance.now()` of this process. */
  readonly answeredAt: number;
  /** Returns the earliest time that the store's clock can show, in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Returns an upper bound of the store's current time, in milliseconds since 1970. Assumes that the read that returned the
   * store's time took at most a second.
   */
  readonly latest: () => number;
}

/** How long before its arrival the store's answer can have been made at most, in milliseconds. */
// A longer read was mostly waiting and retries, and the store answered near its end.
const LONGEST_READING_MS = 1_000;

/** Returns the clock of this process, for a store that reports no time. */
export const processTime = (): StoreTime => ({
  readAt: Date.now(),
  answeredAt: performance.now(),
  now: () => Date.now(),
  latest: () => Date.now(),
});

/**
 * Returns the store's clock. Call this function as soon as the store's answer has arrived. `askedAt`: the value of
 * `performance.now()` before the read.
 */
function storeTimeOf({ readAt }: Pick<ProviderReading, "readAt">, askedAt: number): StoreTime {
  // A monotonic clock of this process continues the store's time, so a wrong clock of the process doesn't matter.
  const given: unknown = readAt;
  const time = given instanceof Date ? given.getTime() : Number.NaN;
  if (Number.isNaN(time)) return processTime();
  const answeredAt = performance.now();
  const tookMs = Math.min(answeredAt - askedAt, LONGEST_READING_MS);
  const now = () => Math.floor(time + performance.now() - answeredAt);
  // Stores round their time down to whole milliseconds.
  return { readAt: time, answeredAt, now, latest: () => Math.ceil(now() + 1 + tookMs) };
}
