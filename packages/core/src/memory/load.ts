import type { ConversationMemory, ProviderReading, ReadOptions, Result } from "@jaf/memory";
import {
  createFailure,
  createMemoryConflictError,
  createMemoryStorageError,
  createSuccess,
} from "@jaf/memory/engine";
import { isVersionedProvider, readFrom } from "@jaf/memory/turns";
import { ownConversation } from "../immutable/messages.ts";
import type { MemoryConfig } from "./config.ts";
import type { Head, Loaded } from "./loaded.ts";
import { firstPositionOf } from "./metadata.ts";
import { processTime, storeTimeOf } from "./store-time.ts";
import { type Tail, type TailReading, tailIn } from "./tail-reading.ts";
import { toResult } from "./to-result.ts";

const OPERATION = "readConversation";

export interface LoadOptions {
  /** Reads the end where that is enough; absent: all. */
  readonly tail?: Tail | undefined;
  /** An idempotency key whose receipt is asked for. */
  readonly receiptFor: string | undefined;
  /** The run's, for a wrapper that retries. */
  readonly signal: AbortSignal | undefined;
}

/**
 * The stored conversation, `null` for a new one; a conflict if it belongs to another user. One round trip if the end is enough
 * for the run; otherwise one more for a longer end, and one for the whole conversation.
 */
export async function loadConversation(
  memory: MemoryConfig,
  conversationId: string,
  options: LoadOptions,
): Promise<Result<Loaded>> {
  const { tail, receiptFor, signal } = options;
  const read = (limit?: number) => readConversation(memory, conversationId, { receiptFor, signal, limit });
  if (tail === undefined) return read();
  let limit: number | undefined = tail.firstRead;
  for (let mayReadNext = true; ; mayReadNext = false) {
    const loaded = await read(limit);
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

/** A tokenizer that throws is reported when the window is applied. */
function endOf(conversation: ConversationMemory, tail: Tail): TailReading {
  try {
    return tailIn(conversation, tail);
  } catch {
    return ALL;
  }
}

async function readConversation(
  { provider, userId }: MemoryConfig,
  conversationId: string,
  {
    limit,
    receiptFor,
    signal,
  }: Pick<LoadOptions, "receiptFor" | "signal"> & { readonly limit: number | undefined },
): Promise<Result<Loaded>> {
  const options: { -readonly [Field in keyof ReadOptions]: ReadOptions[Field] } = {};
  if (limit !== undefined) options.messages = { limit };
  if (userId !== undefined) options.userId = userId;
  if (receiptFor !== undefined) options.receiptFor = receiptFor;
  if (signal !== undefined) options.signal = signal;
  const askedAt = performance.now();
  const loaded = await toResult(OPERATION, () => readFrom(provider, conversationId, options));
  if (!loaded.success) return loaded;
  if (!isReading(loaded.data)) {
    return createFailure(createMemoryStorageError(OPERATION, "the memory provider returned no conversation"));
  }
  const owner = loaded.data.conversation?.userId;
  if (userId !== undefined && owner !== undefined && owner !== userId) {
    return createFailure(createMemoryConflictError("owner", { operation: OPERATION }));
  }
  const { conversation } = loaded.data;
  const time = storeTimeOf(loaded.data, askedAt);
  const own = conversation === null ? null : ownConversation(conversation);
  return createSuccess(Object.assign({}, loaded.data, { conversation: own, time }));
}

export async function loadHead(
  { provider, userId }: MemoryConfig,
  conversationId: string,
  { receiptFor, signal }: Partial<Pick<LoadOptions, "receiptFor" | "signal">> = {},
): Promise<Result<Head>> {
  if (!isVersionedProvider(provider)) return findHead(provider, conversationId);
  const options = {
    messages: "none",
    ...(userId === undefined ? {} : { userId }),
    ...(receiptFor === undefined ? {} : { receiptFor }),
    ...(signal === undefined ? {} : { signal }),
  } as const;
  const askedAt = performance.now();
  const read = await toResult(OPERATION, () => readFrom(provider, conversationId, options));
  if (!read.success) return read;
  if (isReading(read.data))
    return createSuccess(Object.assign({}, read.data, { time: storeTimeOf(read.data, askedAt) }));
  return createFailure(createMemoryStorageError(OPERATION, "the memory provider returned no conversation"));
}

/** For a provider that can't read a conversation without its messages, but can list it without them. */
async function findHead(provider: MemoryConfig["provider"], conversationId: string): Promise<Result<Head>> {
  const operation = "findConversations";
  const found = await toResult(operation, () =>
    provider.findConversations({ conversationId, includeMessages: false }),
  );
  if (!found.success) return found;
  if (!Array.isArray(found.data))
    return createFailure(createMemoryStorageError(operation, "the memory provider returned no list"));
  const conversation = found.data[0] ?? null;
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
