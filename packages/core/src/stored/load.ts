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
import { firstPositionOf, nextPositionOf } from "./metadata.ts";
import { isFinalReply } from "./new-messages.ts";
import { type Tail, type TailReading, tailIn } from "./tail.ts";

const OPERATION = "readConversation";

/** A reading of a conversation, with the store's time. */
export interface Loaded extends ProviderReading {
  readonly time: StoreTime;
}

/** A conversation without its messages. `receipt`: only from versioned providers; see `isVersionedProvider`. */
export type Head = Pick<Loaded, "conversation" | "incarnation" | "receipt" | "time">;

interface HeadOptions {
  /** The conversation must exist and belong to this user. Otherwise the reading is a conflict that doesn't say which. */
  readonly owner?: string | undefined;
  /** The idempotency key to return the receipt for. */
  readonly receiptFor?: string | undefined;
  /** The run's signal, for a wrapper that retries. */
  readonly signal?: AbortSignal | undefined;
}

export interface LoadOptions extends HeadOptions {
  /** How to read only the end, if that is enough. Absent: all messages are read. */
  readonly tail?: Tail | undefined;
}

interface Reading extends HeadOptions {
  readonly messages?: MessageSelection;
}

/**
 * Loads the stored conversation; `null` for a new one. A conflict if it belongs to another user. Takes one round trip if the
 * end is enough; otherwise one more for a longer end, and one for the whole conversation.
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

/** Returns the end of a conversation. If the tokenizer throws, the error is reported when the window is applied. */
function endOf(conversation: ConversationMemory, tail: Tail): TailReading {
  try {
    return tailIn(conversation, tail);
  } catch {
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
  if (owner !== undefined && reading.data.conversation?.userId !== owner) return createFailure(notOwned());
  return createSuccess(Object.assign({}, reading.data, { time: storeTimeOf(reading.data, askedAt) }));
}

const notOwned = () => createMemoryConflictError("owner", { operation: OPERATION });

/** Finds the head for a provider that can list conversations without messages, but can't read them so. */
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

/** The stored end of a run with a receipt. */
export type StoredOutcome =
  | {
      readonly kind: "replied";
      readonly reply: Message;
      /** The messages up to and including the reply. */
      readonly messages: readonly Message[];
      /** Whether the reply is the last message of the conversation. */
      readonly isLast: boolean;
    }
  /** The run waits for an approval or the client, and no message has been added since. */
  | { readonly kind: "interrupted" }
  /** The conversation has been changed since and doesn't contain the run's end. */
  | { readonly kind: "changed" }
  /** The store has dropped the messages that the run ended with. */
  | { readonly kind: "dropped" };

/** Returns the stored end of a run; `undefined` without a receipt. */
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

/** The time by a store's clock, from a reading, in milliseconds since 1970. */
export interface StoreTime {
  /** When the store made the reading. */
  readonly readAt: number;
  /** When the reading arrived, by `performance.now()`. */
  readonly answeredAt: number;
  /** Returns the current time: never ahead of the store's clock, and behind it by at most the duration of the reading. */
  readonly now: () => number;
  /** Returns the current time: never behind the store's clock, unless the reading took longer than a second. */
  readonly latest: () => number;
}

/** The maximum duration that is added. A longer reading was mostly waiting and retries, and the store read near its end. */
const LONGEST_READING_MS = 1_000;

/** Returns the time of this process's clock, for a store that reports no time. */
export const processTime = (): StoreTime => ({
  readAt: Date.now(),
  answeredAt: performance.now(),
  now: () => Date.now(),
  latest: () => Date.now(),
});

/**
 * Returns the store's time. All processes share the store's clock; a monotonic clock continues it after the reading, so this
 * process's clock doesn't matter. `askedAt`: `performance.now()` before the reading. Call it as soon as the reading has
 * arrived.
 */
function storeTimeOf({ readAt }: Pick<ProviderReading, "readAt">, askedAt: number): StoreTime {
  const given: unknown = readAt;
  const time = given instanceof Date ? given.getTime() : Number.NaN;
  if (Number.isNaN(time)) return processTime();
  const answeredAt = performance.now();
  const tookMs = Math.min(answeredAt - askedAt, LONGEST_READING_MS);
  const now = () => Math.floor(time + performance.now() - answeredAt);
  // Stores round their time down to whole milliseconds.
  return { readAt: time, answeredAt, now, latest: () => Math.ceil(now() + 1 + tookMs) };
}

/** Calls a provider. If it throws, or resolves to something other than a `Result`, that is a `MemoryStorageError`. */
export async function toResult<T>(operation: string, action: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return asResult(operation, await action());
  } catch (cause) {
    return thrownBy(operation, cause);
  }
}

/** Checks the value that a provider resolved with. */
export const asResult = <T>(operation: string, given: Result<T>): Result<T> =>
  isResult<T>(given)
    ? given
    : createFailure(createMemoryStorageError(operation, "the memory provider returned no result"));

/** Returns the error of a provider that threw. */
export const thrownBy = (operation: string, cause: unknown) =>
  createFailure(createMemoryStorageError(operation, "the memory provider threw", { cause }));

function isResult<T>(value: unknown): value is Result<T> {
  if (typeof value !== "object" || value === null || !("success" in value)) return false;
  if (value.success === true) return true;
  const error: unknown = value.success === false && "error" in value ? value.error : undefined;
  return typeof error === "object" && error !== null && "_tag" in error;
}
