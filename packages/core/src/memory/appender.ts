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
import { incarnationConflict, turnLeaseOf } from "./current-turn.ts";
import type { KnownState } from "./known-state.ts";
import { loadHead } from "./load.ts";
import type { Head } from "./loaded.ts";
import { metadataVersionOf, versionOf } from "./metadata.ts";
import { toResult } from "./to-result.ts";
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
}

/** Appends a batch, within `runExclusive`. */
export type Append = (batch: Batch) => Promise<Result<void>>;

export interface Appender {
  /**
   * Runs actions one after the other. Each append has an idempotency key. One that fails for a passing reason is tried again
   * under the same key, so that a lost answer neither loses nor doubles anything, unless a wrapper of the provider has tried
   * again already. An abort ends the retries, but never a write that is under way.
   *
   * An append fails with a conflict if somebody else has changed the messages since the conversation was loaded, and if the
   * conversation was erased since, whatever was stored under its id afterwards. The first append to a conversation that
   * doesn't exist creates it.
   */
  readonly runExclusive: <T>(action: (append: Append) => Promise<T>) => Promise<T>;
  /** To be called with the conversation that is appended to: an append fails if another one is stored by then. */
  readonly loaded: (reading: ProviderReading) => void;
  /** To be called with a head that was read with the receipt of `createdUnder`: the next write expects its metadata version. */
  readonly observeHead: (head: Head) => void;
  /** The idempotency key under which this run has tried to create the conversation, until it knows which one it created. */
  readonly createdUnder: () => string | undefined;
  readonly known: () => KnownState;
}

/** Whether the conversation exists. Where this run has created it, only the store knows its incarnation at first. */
type Existence = "absent" | "created" | "known";

const NOTHING_KNOWN: KnownState = {
  incarnation: undefined,
  version: undefined,
  metadataVersion: undefined,
  historyToken: undefined,
};

export function createAppender(options: AppenderOptions): Appender {
  const { memory, conversationId, executionId } = options;
  let previous: Promise<unknown> = Promise.resolve();
  let appends = 0;
  let existence: Existence = "absent";
  let createdUnderKey: string | undefined;
  let known: KnownState = NOTHING_KNOWN;

  /**
   * Whether this run created it, also where the answer of the write got lost. An imported conversation has the lease of a run,
   * too, but not the receipt of a write.
   */
  function isCreatedByThisRun({ conversation, receipt }: Head): boolean {
    const tellsReceipts = isVersionedProvider(memory.provider);
    return turnLeaseOf(conversation)?.id === executionId && (!tellsReceipts || receipt !== undefined);
  }

  function observeHead(head: Head): void {
    const { conversation, incarnation } = head;
    if (conversation === null) return;
    known = { ...known, metadataVersion: metadataVersionOf(conversation) };
    if (existence === "known" || !isCreatedByThisRun(head)) return;
    existence = "known";
    known = { ...known, incarnation, version: known.version === 0 ? 1 : known.version };
  }

  const createdUnder = () => (existence === "known" ? undefined : createdUnderKey);

  /** What this run has created may be erased, and created again by somebody else, before its next write. */
  async function identifyCreated(): Promise<Result<void>> {
    if (existence !== "created" || known.incarnation === undefined) return createSuccess(undefined);
    const reading = withRetries(options, () =>
      loadHead(memory, conversationId, { receiptFor: createdUnderKey, signal: options.signal }),
    );
    const head = await unlessAborted(reading, options.signal);
    if (!head.success) return head;
    observeHead(head.data);
    return isIdentified() ? createSuccess(undefined) : createFailure(incarnationConflict());
  }
  // A function, as the compiler assumes that `observeHead` changes nothing.
  const isIdentified = () => existence === "known";

  function recordWrite(count: number, receipt: WriteReceipt | undefined): void {
    const { incarnation, version, metadataVersion } = known;
    const isChange = count > 0 || version === 0;
    known = {
      incarnation,
      // An earlier write that was given up may have been done all the same; then this one has conflicted.
      version: version === undefined ? undefined : version + (isChange ? 1 : 0),
      metadataVersion: metadataVersion === undefined ? undefined : metadataVersion + 1,
      historyToken: historyTokenOf(receipt),
    };
    if (existence === "absent") existence = "created";
  }

  const append: Append = async ({ messages, metadata = {}, idempotencyKey, comparesMetadata = false }) => {
    const identified = await identifyCreated();
    if (!identified.success) return identified;
    appends += 1;
    const key = idempotencyKey ?? `${executionId}:${appends}`;
    if (existence === "absent") createdUnderKey = key;
    const { incarnation, version, metadataVersion } = known;
    const mayCreate = memory.userId === undefined ? ("unowned" as const) : true;
    const appended = await appendWithRetries(options, {
      messages,
      metadata,
      conditions: {
        idempotencyKey: key,
        ...(existence === "absent" ? { createIfMissing: mayCreate } : {}),
        ...(incarnation === undefined ? {} : { expectedIncarnation: incarnation }),
        ...(version === undefined ? {} : { expectedVersion: version }),
        ...(comparesMetadata && metadataVersion !== undefined
          ? { expectedMetadataVersion: metadataVersion }
          : {}),
      },
    });
    if (appended.success) recordWrite(messages.length, receiptOf(appended));
    return appended;
  };

  return {
    runExclusive: (action) => {
      const done = previous.then(() => action(append));
      previous = done.catch(() => {});
      return done;
    },
    loaded: ({ conversation, incarnation }) => {
      existence = conversation === null ? "absent" : "known";
      // A store that tells incarnations counts metadata versions, too.
      const ofNothing = incarnation === undefined ? undefined : 0;
      const metadataVersion = conversation === null ? ofNothing : metadataVersionOf(conversation);
      known = {
        incarnation,
        version: versionOf(conversation),
        metadataVersion,
        historyToken: historyTokenOf(conversation?.metadata),
      };
    },
    observeHead,
    createdUnder,
    known: () => known,
  };
}

interface Write {
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata;
  readonly conditions: WriteOptions;
}

async function appendWithRetries(options: AppenderOptions, batch: Write): Promise<Result<void>> {
  const result = await withRetries(options, () => write(options, batch));
  const messageCount = batch.messages.length;
  if (result.success && messageCount > 0) {
    options.emit?.({
      type: "memory_stored",
      data: { conversationId: options.conversationId, messageCount },
    });
  }
  return result;
}

async function withRetries<T>(
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
  { messages, metadata, conditions }: Write,
): Promise<Result<void>> {
  const { provider, userId, maxMessages, ttl } = memory;
  const written = { traceId, ...(userId === undefined ? {} : { userId }), ...metadata };
  const writeOptions = {
    ...conditions,
    // A write of metadata alone must not trim: that would change the version of the messages, which later writes expect.
    ...(maxMessages === undefined || messages.length === 0 ? {} : { maxMessages }),
    ...(ttl === undefined ? {} : { ttlSeconds: ttl }),
    ...(signal === undefined ? {} : { signal }),
  };
  return toResult("appendMessages", () =>
    // Copies, which the provider may change: the next attempt is the same.
    provider.appendMessages(conversationId, [...messages], plainCopy(written), writeOptions),
  );
}
