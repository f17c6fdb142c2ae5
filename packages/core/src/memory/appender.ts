import type {
  Message,
  ProviderReading,
  Result,
  RunId,
  TraceId,
  WriteMetadata,
  WriteOptions,
  WriteReceipt,
} from "@jaf/memory";
import { createFailure, createSuccess } from "@jaf/memory/engine";
import { historyTokenOf, isVersionedProvider, receiptOf } from "@jaf/memory/turns";
import type { Emit } from "../events/emitter.ts";
import { plainCopy } from "../immutable/copy.ts";
import { abortError, sleep } from "../timing/abort.ts";
import type { MemoryConfig } from "./config.ts";
import type { KnownState } from "./known-state.ts";
import { loadHead } from "./load.ts";
import type { Head } from "./loaded.ts";
import { metadataVersionOf, versionOf } from "./metadata.ts";
import { settle } from "./settle.ts";
import { incarnationConflict, turnOf } from "./turn.ts";
import { unlessAborted } from "./unless-aborted.ts";

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
  readonly idempotencyKey?: string | undefined;
  /** Whether the metadata must be as this run has seen them last. Default: they may have changed. */
  readonly comparesMetadata?: boolean;
  /** Called once it is stored, before that is told. */
  readonly onStored?: () => void;
}

/** Appends a batch, in the turn that it was given. */
export type Append = (batch: Batch) => Promise<Result<void>>;

export interface Appender {
  /**
   * Has appends made one after the other. Each is made under an idempotency key. What fails and may succeed later is
   * tried again under the same key, so that a lost answer neither loses nor doubles anything, unless a wrapper of the
   * provider has tried again already. An abort ends the trying, but never a write that is under way.
   *
   * They fail with a conflict if anybody else has changed the messages since the conversation was loaded, and if it was
   * erased since, whatever was stored under its id afterwards. The first append to a conversation that wasn't there
   * makes it.
   */
  readonly inTurn: <T>(action: (append: Append) => Promise<T>) => Promise<T>;
  /** Everything that follows is appended to this, or not at all. */
  readonly loaded: (reading: ProviderReading) => void;
  /** The head was read, with the receipt of `madeUnder`: whatever has changed in its metadata is known now. */
  readonly looked: (head: Head) => void;
  /** The idempotency key under which this run made the conversation or tried to, until it knows the one it made. */
  readonly madeUnder: () => string | undefined;
  readonly known: () => KnownState;
  /** The same, where this run knows which conversation it is. */
  readonly met: () => KnownState | undefined;
}

/** Whether the conversation is there: made by a run, it has an incarnation that only the store knows at first. */
type Existence = "absent" | "made" | "known";

const NOTHING_KNOWN: KnownState = {
  ...{ incarnation: undefined, version: undefined, metadataVersion: undefined },
  ...{ totalMessages: undefined, historyToken: undefined },
};

export function createAppender(options: AppenderOptions): Appender {
  const { memory, conversationId, executionId } = options;
  let previous: Promise<unknown> = Promise.resolve();
  let appends = 0;
  let existence: Existence = "absent";
  let making: string | undefined;
  let known: KnownState = NOTHING_KNOWN;

  /**
   * Whether this run made it, also where the answer of the write got lost. An import has the note of a run, too; the
   * receipt of a write is only where that was done.
   */
  function isMade({ conversation, receipt }: Head): boolean {
    const tellsReceipts = isVersionedProvider(memory.provider);
    return turnOf(conversation)?.id === executionId && (!tellsReceipts || receipt !== undefined);
  }

  function looked(head: Head): void {
    const { conversation, incarnation } = head;
    if (conversation === null) return;
    known = { ...known, metadataVersion: metadataVersionOf(conversation) };
    if (existence === "known" || !isMade(head)) return;
    existence = "known";
    known = { ...known, incarnation, version: known.version === 0 ? 1 : known.version };
  }

  const madeUnder = () => (existence === "known" ? undefined : making);

  /** What this run has made may be erased, and made anew by somebody else, before its next write. */
  async function meetMade(): Promise<Result<void>> {
    if (existence !== "made" || known.incarnation === undefined) return createSuccess(undefined);
    const reading = tryHard(options, () =>
      loadHead(memory, conversationId, { receiptFor: making, signal: options.signal }),
    );
    const head = await unlessAborted(reading, options.signal);
    if (!head.success) return head;
    looked(head.data);
    return isKnown() ? createSuccess(undefined) : createFailure(incarnationConflict());
  }
  // A function, as the compiler takes what `looked` may have changed for unchanged.
  const isKnown = () => existence === "known";

  function wrote(count: number, receipt: WriteReceipt | undefined): void {
    const { incarnation, version, metadataVersion } = known;
    const isChange = count > 0 || version === 0;
    known = {
      incarnation,
      // A write of before may have been given up and be done all the same; then this one conflicted.
      version: version === undefined ? undefined : version + (isChange ? 1 : 0),
      metadataVersion: metadataVersion === undefined ? undefined : metadataVersion + 1,
      totalMessages: receipt?.totalMessages,
      historyToken: historyTokenOf(receipt),
    };
    if (existence === "absent") existence = "made";
  }

  const append: Append = async ({ messages, metadata = {}, idempotencyKey, ...batch }) => {
    const { comparesMetadata = false, onStored } = batch;
    const met = await meetMade();
    if (!met.success) return met;
    appends += 1;
    const key = idempotencyKey ?? `${executionId}:${appends}`;
    if (existence === "absent") making = key;
    const { incarnation, version, metadataVersion } = known;
    const owned = memory.userId === undefined ? ("unowned" as const) : true;
    const appended = await tryToAppend(options, {
      messages,
      metadata,
      demands: {
        idempotencyKey: key,
        ...(existence === "absent" ? { createIfMissing: owned } : {}),
        ...(incarnation === undefined ? {} : { expectedIncarnation: incarnation }),
        ...(version === undefined ? {} : { expectedVersion: version }),
        ...(comparesMetadata && metadataVersion !== undefined
          ? { expectedMetadataVersion: metadataVersion }
          : {}),
      },
      onStored,
    });
    if (appended.success) wrote(messages.length, receiptOf(appended));
    return appended;
  };

  return {
    inTurn: (action) => {
      const done = previous.then(() => action(append));
      previous = done.catch(() => {});
      return done;
    },
    loaded: ({ conversation, incarnation }) => {
      existence = conversation === null ? "absent" : "known";
      // Who tells what isn't there apart counts metadata, too.
      const ofNothing = incarnation === undefined ? undefined : 0;
      const metadataVersion = conversation === null ? ofNothing : metadataVersionOf(conversation);
      known = {
        incarnation,
        version: versionOf(conversation),
        metadataVersion,
        totalMessages: conversation?.metadata?.totalMessages,
        historyToken: historyTokenOf(conversation?.metadata),
      };
    },
    looked,
    madeUnder,
    known: () => known,
    met: () => (isKnown() ? known : undefined),
  };
}

interface Write {
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata;
  readonly demands: WriteOptions;
  readonly onStored: (() => void) | undefined;
}

async function tryToAppend(options: AppenderOptions, batch: Write): Promise<Result<void>> {
  const result = await tryHard(options, () => write(options, batch));
  const messageCount = batch.messages.length;
  if (result.success) batch.onStored?.();
  if (result.success && messageCount > 0) {
    options.emit?.({
      type: "memory_stored",
      data: { conversationId: options.conversationId, messageCount },
    });
  }
  return result;
}

async function tryHard<T>(
  { conversationId, signal, emit }: AppenderOptions,
  action: () => Promise<Result<T>>,
): Promise<Result<T>> {
  for (let attempt = 1; ; attempt++) {
    const result = await action();
    if (result.success) return result;
    const { retryable, attempts } = result.error;
    if (!retryable || attempts !== undefined || attempt === MAX_ATTEMPTS) return result;
    if (abortError(signal) !== undefined) return result;
    const delayMs = Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1);
    const reason = result.error.message;
    emit?.({ type: "memory_retry", data: { conversationId, attempt, delayMs, reason } });
    await sleep(delayMs, signal);
    if (abortError(signal) !== undefined) return result;
  }
}

function write(
  { memory, conversationId, traceId, signal }: AppenderOptions,
  { messages, metadata, demands }: Write,
): Promise<Result<void>> {
  const { provider, userId, maxMessages, ttl } = memory;
  const written = { traceId, ...(userId === undefined ? {} : { userId }), ...metadata };
  const writeOptions = {
    ...demands,
    // A note that trimmed would change the messages, and so outdate what is expected of them.
    ...(maxMessages === undefined || messages.length === 0 ? {} : { maxMessages }),
    ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
    ...(signal === undefined ? {} : { signal }),
  };
  return settle("appendMessages", () =>
    // Copies, which the provider may change: the next attempt is the same.
    provider.appendMessages(conversationId, [...messages], plainCopy(written), writeOptions),
  );
}
