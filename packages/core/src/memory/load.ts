import type { ConversationMemory, MessageSelection, ProviderReading, Result } from "@jaf/memory";
import {
  createFailure,
  createMemoryConflictError,
  createMemoryStorageError,
  createSuccess,
  present,
} from "@jaf/memory/engine";
import { isVersionedProvider, readFrom } from "@jaf/memory/turns";
import { ownConversation } from "../immutable/messages.ts";
import type { MemoryConfig } from "./config.ts";
import { firstPositionOf } from "./metadata.ts";
import { processTime, type StoreTime, storeTimeOf } from "./store-time.ts";
import { type Tail, type TailReading, tailIn } from "./tail-reading.ts";
import { toResult } from "./to-result.ts";

const OPERATION = "readConversation";

/** A reading of a conversation, with the store's time. */
export interface Loaded extends ProviderReading {
  readonly time: StoreTime;
}

/** A conversation without its messages. `receipt`: only from versioned providers, see `isVersionedProvider`. */
export type Head = Pick<Loaded, "conversation" | "incarnation" | "receipt" | "time">;

interface HeadOptions {
  /** An idempotency key whose receipt is asked for. */
  readonly receiptFor?: string | undefined;
  /** The run's, for a wrapper that retries. */
  readonly signal?: AbortSignal | undefined;
}

export interface LoadOptions extends HeadOptions {
  /** Reads the end where that is enough; absent: all. */
  readonly tail?: Tail | undefined;
}

interface Reading extends HeadOptions {
  readonly messages?: MessageSelection;
}

/**
 * The stored conversation, `null` for a new one; a conflict if it belongs to another user. One round trip if the end is enough
 * for the run; otherwise one more for a longer end, and one for the whole conversation.
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

/** A tokenizer that throws is reported when the window is applied. */
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
    return createFailure(createMemoryConflictError("owner", { operation: OPERATION }));
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
    : findHead(memory.provider, conversationId);

async function read(
  { provider, userId }: MemoryConfig,
  conversationId: string,
  { receiptFor, ...options }: Reading,
): Promise<Result<Loaded>> {
  const owner = present({ userId });
  const receipt = present({ receiptFor });
  const askedAt = performance.now();
  const reading = await toResult(OPERATION, () =>
    readFrom(provider, conversationId, { ...options, ...owner, ...receipt }),
  );
  if (!reading.success) return reading;
  return isReading(reading.data)
    ? createSuccess(Object.assign({}, reading.data, { time: storeTimeOf(reading.data, askedAt) }))
    : createFailure(createMemoryStorageError(OPERATION, "the memory provider returned no conversation"));
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
