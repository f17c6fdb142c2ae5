import type { ConversationMemory, Message, Result, RunId, TraceId, WriteMetadata } from "@jaf/memory";
import { abortError, sleep } from "../engine/abort.ts";
import type { Emit } from "../events/emitter.ts";
import type { MemoryConfig } from "./config.ts";
import { versionOf } from "./metadata.ts";
import { settle } from "./settle.ts";

const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 50;

export interface AppenderOptions {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly executionId: string;
  readonly signal: AbortSignal | undefined;
  readonly emit: Emit | undefined;
}

export interface Batch {
  readonly messages: readonly Message[];
  /** Beside user and trace. */
  readonly metadata?: WriteMetadata;
  /** Default: one that no other batch has. */
  readonly idempotencyKey?: string;
}

/** Appends a batch, in the turn that it was given. */
export type Append = (batch: Batch) => Promise<Result<void>>;

export interface Appender {
  /**
   * Has appends made one after the other. Each is made under an idempotency key. What fails and may succeed later is
   * tried again under the same key, so that a lost answer neither loses nor doubles anything. An abort ends the trying,
   * but never a write that is under way.
   *
   * They fail with a conflict if anybody else has appended messages since the conversation was loaded.
   */
  readonly inTurn: <T>(action: (append: Append) => Promise<T>) => Promise<T>;
  /** Everything that follows is appended to this, or not at all. */
  readonly loaded: (stored: ConversationMemory | null) => void;
  /** How many messages the conversation ever had, as far as the store tells. */
  readonly version: () => number | undefined;
}

export function createAppender(options: AppenderOptions): Appender {
  let previous: Promise<unknown> = Promise.resolve();
  let appends = 0;
  let version: number | undefined;

  const append: Append = async ({ messages, metadata = {}, idempotencyKey }) => {
    appends += 1;
    const expected = version;
    const appended = await tryToAppend(options, {
      messages,
      metadata,
      idempotencyKey: idempotencyKey ?? `${options.executionId}:${appends}`,
      ...(expected === undefined ? {} : { expectedVersion: expected }),
    });
    // A write of before may have been given up and be done all the same; then this one, and all that follow, conflict.
    if (appended.success && expected !== undefined) version = expected + messages.length;
    return appended;
  };

  return {
    inTurn: (action) => {
      const done = previous.then(() => action(append));
      previous = done.catch(() => {});
      return done;
    },
    loaded: (stored) => {
      version = versionOf(stored);
    },
    version: () => version,
  };
}

interface Write {
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata;
  readonly idempotencyKey: string;
  readonly expectedVersion?: number;
}

async function tryToAppend(options: AppenderOptions, batch: Write): Promise<Result<void>> {
  const { conversationId, signal, emit } = options;
  for (let attempt = 1; ; attempt++) {
    const result = await write(options, batch);
    if (result.success) {
      const messageCount = batch.messages.length;
      if (messageCount > 0) emit?.({ type: "memory_stored", data: { conversationId, messageCount } });
      return result;
    }
    if (!result.error.retryable || attempt === MAX_ATTEMPTS || abortError(signal) !== undefined)
      return result;
    const delayMs = Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1);
    const reason = result.error.message;
    emit?.({ type: "memory_retry", data: { conversationId, attempt, delayMs, reason } });
    await sleep(delayMs, signal);
    if (abortError(signal) !== undefined) return result;
  }
}

function write(
  { memory, conversationId, traceId }: AppenderOptions,
  { messages, metadata, ...demands }: Write,
): Promise<Result<void>> {
  const { provider, userId, maxMessages, ttl } = memory;
  const written = { traceId, ...(userId === undefined ? {} : { userId }), ...metadata };
  const writeOptions = {
    ...demands,
    ...(maxMessages === undefined ? {} : { maxMessages }),
    ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
  };
  return settle("appendMessages", () =>
    provider.appendMessages(conversationId, messages, written, writeOptions),
  );
}
