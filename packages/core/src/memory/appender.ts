import type { Message, Result, RunId, TraceId } from "@jaf/memory";
import { abortError, sleep } from "../engine/abort.ts";
import type { Emit } from "../events/emitter.ts";
import type { MemoryConfig } from "./config.ts";
import { toMetadata } from "./metadata.ts";
import { settle } from "./settle.ts";

const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 50;

export interface AppendEntry {
  /** The registry key of the agent that goes on from here. */
  readonly agentName: string;
  /** Which execution's which turn the open tool calls are of; absent: no call is open. */
  readonly callScope?: string;
}

export interface AppenderOptions {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly executionId: string;
  readonly signal: AbortSignal | undefined;
  readonly emit: Emit | undefined;
}

/** Without an entry, what the store knows of agent and call scope stays as it is. */
export type Appender = (
  messages: readonly Message[],
  entry: AppendEntry | undefined,
) => Promise<Result<void>>;

/**
 * Appends one batch after the other, each under an idempotency key of its own. What fails and may succeed later is
 * tried again under the same key, so that a lost answer neither loses nor doubles anything. An abort ends the trying,
 * but never a write that is under way.
 */
export function createAppender(options: AppenderOptions): Appender {
  let previous: Promise<unknown> = Promise.resolve();
  let appends = 0;
  return (messages, entry) => {
    appends += 1;
    const idempotencyKey = `${options.executionId}:${appends}`;
    const appended = previous.then(() => append(options, { messages, entry, idempotencyKey }));
    previous = appended;
    return appended;
  };
}

interface Batch {
  readonly messages: readonly Message[];
  readonly entry: AppendEntry | undefined;
  readonly idempotencyKey: string;
}

async function append(options: AppenderOptions, batch: Batch): Promise<Result<void>> {
  const { conversationId, signal, emit } = options;
  for (let attempt = 1; ; attempt++) {
    const result = await write(options, batch);
    if (result.success) {
      emit?.({ type: "memory_stored", data: { conversationId, messageCount: batch.messages.length } });
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
  { memory, conversationId, runId, traceId }: AppenderOptions,
  { messages, entry, idempotencyKey }: Batch,
): Promise<Result<void>> {
  const { provider, userId, maxMessages, ttl } = memory;
  const metadata = {
    traceId,
    ...(userId === undefined ? {} : { userId }),
    ...(entry === undefined ? {} : toMetadata(notes(runId, entry))),
  };
  const writeOptions = {
    idempotencyKey,
    ...(maxMessages === undefined ? {} : { maxMessages }),
    ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
  };
  return settle("appendMessages", () =>
    provider.appendMessages(conversationId, messages, metadata, writeOptions),
  );
}

const notes = (runId: RunId, { agentName, callScope }: AppendEntry) => ({
  runId,
  agentName,
  ...(callScope === undefined ? {} : { toolCallScope: callScope }),
});
