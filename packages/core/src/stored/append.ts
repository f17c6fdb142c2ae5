import type {
  MemoryErrorUnion,
  Message,
  Result,
  TraceId,
  WriteMetadata,
  WriteOptions,
  WriteReceipt,
} from "@jaf/memory";
import {
  createFailure,
  createMemoryStorageError,
  createSuccess,
  historyTokenOf,
  isVersionedProvider,
  onAbort,
  type ProviderReading,
  present,
  receiptOf,
} from "@jaf/memory/internal";
import type { Emit } from "../events.ts";
import { plainCopy } from "../immutable/copy.ts";
import { abortError, sleep } from "../limits/abort.ts";
import type { MemoryConfig } from "../memory-config.ts";
import { callObserver } from "../thrown.ts";
import { incarnationConflict, leaseOf } from "./lease-record.ts";
import { asResult, type Head, loadHead, thrownBy } from "./load.ts";
import { metadataVersionOf, versionOf } from "./metadata.ts";

const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 50;

export interface AppendsOptions {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
  readonly traceId: TraceId;
  readonly executionId: string;
  readonly signal: AbortSignal | undefined;
  readonly emit: Emit | undefined;
  /** Beside user and trace, the metadata of each write. */
  readonly label: WriteMetadata | undefined;
  readonly writes: WriteHooks | undefined;
}

/**
 * Called around each write of messages or of the lease. Not called for the write of a summary, nor for the one that makes a
 * conversation.
 */
export interface WriteHooks {
  /**
   * Awaited before each attempt. Where it returns an error, nothing is written and the attempt fails with that error. Where it
   * rejects, the attempt fails with a `MemoryStorageError`. `expectedVersion`: the version of the conversation that the run knows.
   */
  readonly beforeWrite: (expectedVersion: number | undefined) => Promise<MemoryErrorUnion | undefined>;
  /** Called after a write that succeeded. What it throws becomes a process warning. */
  readonly onWritten: (receipt: WriteReceipt) => void;
}

interface Batch {
  readonly messages: readonly Message[];
  /** Beside user and trace. */
  readonly metadata?: WriteMetadata | undefined;
  /** Default: one that no other batch has. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the metadata must be as this run has seen them last. Default: they may have changed. */
  readonly comparesMetadata?: boolean;
}

/** The store's versions of the conversation, as this run knows them; `undefined`: the store doesn't tell it. */
export interface KnownState {
  readonly incarnation: string | undefined;
  readonly version: number | undefined;
  readonly metadataVersion: number | undefined;
  /** See `historyTokenOf`. */
  readonly historyToken: string | undefined;
}

export type Appends = ReturnType<typeof openAppends>;

/** Whether the conversation exists. `created`: this run has created it, and doesn't know yet which incarnation. */
type Existence = "absent" | "created" | "known";

/** The appends of a run, which come one after the other. */
export function openAppends(options: AppendsOptions) {
  const { memory, conversationId, executionId } = options;
  const enter = openWriteOrder();
  let sent = 0;
  let existence: Existence = "absent";
  let createdUnderKey: string | undefined;
  let known: KnownState = {
    incarnation: undefined,
    version: undefined,
    metadataVersion: undefined,
    historyToken: undefined,
  };

  function observeHead(head: Head): void {
    const { conversation, incarnation } = head;
    if (conversation === null) return;
    known = { ...known, metadataVersion: metadataVersionOf(conversation) };
    if (existence === "known" || !isCreatedByThisRun(options, head)) return;
    existence = "known";
    known = { ...known, incarnation, version: known.version === 0 ? 1 : known.version };
  }

  /** What this run has created may be erased, and created again by somebody else, before its next write. */
  async function identifyCreated(): Promise<Result<void>> {
    for (let attempt = 1; ; attempt++) {
      const { signal } = options;
      const reading = loadHead(memory, conversationId, { receiptFor: createdUnderKey, signal });
      const head = await readWithAbortGrace(reading, signal);
      if (head.success) {
        observeHead(head.data);
        return isIdentified() ? createSuccess(undefined) : createFailure(incarnationConflict());
      }
      if (!(await mayRetry(options, head.error, attempt))) return head;
    }
  }
  // A function, as the compiler assumes that `observeHead` changes nothing.
  const isIdentified = () => existence === "known";

  function recordWrite(count: number, receipt: WriteReceipt | undefined): void {
    const { version, metadataVersion } = known;
    const isChange = count > 0 || version === 0;
    // Only of a write that has created the conversation.
    const created = existence === "absent" ? receipt?.incarnation : undefined;
    known = {
      incarnation: created ?? known.incarnation,
      // An earlier write that was given up may have been done all the same; then this one has conflicted.
      version: version === undefined ? undefined : version + (isChange ? 1 : 0),
      metadataVersion: metadataVersion === undefined ? undefined : metadataVersion + 1,
      historyToken: historyTokenOf(receipt),
    };
    if (existence === "absent") existence = created === undefined ? "created" : "known";
  }

  /**
   * Appends a batch; to be called behind `enter`. It has an idempotency key, and if it fails for a passing reason it is tried
   * again under the same key, so that a lost answer neither loses nor doubles anything, unless a wrapper of the provider has
   * tried again already. An abort ends the retries, but never a write that is under way.
   *
   * It fails with a conflict if somebody else has changed the messages since the conversation was loaded, and if the
   * conversation was erased since, whatever was stored under its id afterwards. The first to a conversation that doesn't exist
   * creates it.
   */
  async function send({ messages, metadata = {}, idempotencyKey, ...batch }: Batch): Promise<Result<void>> {
    const mustIdentify = existence === "created" && known.incarnation !== undefined;
    const identified = mustIdentify ? await identifyCreated() : undefined;
    if (identified?.success === false) return identified;
    sent += 1;
    const key = idempotencyKey ?? `${executionId}:${sent}`;
    if (existence === "absent") createdUnderKey = key;
    const { provider, userId, maxMessages, ttl } = memory;
    const { traceId, label, writes } = options;
    const written = { ...label, traceId, ...present({ userId }), ...metadata };
    const { incarnation, version, metadataVersion } = known;
    const conditions: { -readonly [Field in keyof WriteOptions]: WriteOptions[Field] } = {
      idempotencyKey: key,
    };
    if (existence === "absent") conditions.createIfMissing = userId === undefined ? "unowned" : true;
    if (incarnation !== undefined) conditions.expectedIncarnation = incarnation;
    if (version !== undefined) conditions.expectedVersion = version;
    if (batch.comparesMetadata === true && metadataVersion !== undefined)
      conditions.expectedMetadataVersion = metadataVersion;
    // A write of metadata alone must not trim: that would change the version of the messages, which later writes expect.
    if (maxMessages !== undefined && messages.length > 0) conditions.maxMessages = maxMessages;
    if (ttl !== undefined) conditions.ttlSeconds = ttl;
    if (options.signal !== undefined) conditions.signal = options.signal;
    for (let attempt = 1; ; attempt++) {
      let result: Result<void>;
      try {
        const refused = writes && (await refusalBy(writes, version));
        // Copies, which the provider may change: the next attempt is the same.
        const copy = plainCopy(written);
        const answer = refused
          ? createFailure(refused)
          : await provider.appendMessages(conversationId, [...messages], copy, { ...conditions });
        result = asResult("appendMessages", answer);
      } catch (cause) {
        result = thrownBy("appendMessages", cause);
      }
      if (result.success) {
        const receipt = receiptOf(result);
        recordWrite(messages.length, receipt);
        if (receipt !== undefined && writes !== undefined)
          callObserver(
            () => writes.onWritten(receipt),
            () => "What is told of a run's writes failed; the run goes on.",
          );
        const data = { conversationId, messageCount: messages.length };
        if (messages.length > 0) options.emit?.({ type: "memory_stored", data });
        return result;
      }
      if (!(await mayRetry(options, result.error, attempt))) return result;
    }
  }

  return {
    /** Resolves when no append of the run is under way, with a function to call when what is to be done then is done. */
    enter,
    /** The same for an action. */
    exclusive: async <T>(action: () => Promise<T>): Promise<T> => {
      const leave = await enter();
      try {
        return await action();
      } finally {
        leave();
      }
    },
    send,
    /** To be called with the conversation that is appended to: an append fails if another one is stored by then. */
    loaded: ({ conversation, incarnation }: ProviderReading): void => {
      existence = conversation === null ? "absent" : "known";
      // A store that tells incarnations counts metadata versions, too.
      const ofNothing = incarnation === undefined ? undefined : 0;
      known = {
        incarnation,
        version: versionOf(conversation),
        metadataVersion: conversation === null ? ofNothing : metadataVersionOf(conversation),
        historyToken: historyTokenOf(conversation?.metadata),
      };
    },
    /** To be called with a head that was read with the receipt of `createdUnder`: the next write expects its metadata version. */
    observeHead,
    /** The idempotency key under which this run has tried to create the conversation, until it knows which one it created. */
    createdUnder: (): string | undefined => (existence === "known" ? undefined : createdUnderKey),
    known: (): KnownState => known,
  };
}

async function refusalBy(
  writes: WriteHooks,
  version: number | undefined,
): Promise<MemoryErrorUnion | undefined> {
  try {
    return await writes.beforeWrite(version);
  } catch (cause) {
    return createMemoryStorageError("appendMessages", "the hook before the write threw", { cause });
  }
}

/** Lets one after the other enter, in the order in which they ask. */
function openWriteOrder(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    let leave!: () => void;
    last = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    return leave;
  };
}

/**
 * Whether this run created it, also where the answer of the write got lost. An imported conversation has the lease of a run, too,
 * but not the receipt of a write.
 */
function isCreatedByThisRun(
  { memory, executionId }: AppendsOptions,
  { conversation, receipt }: Head,
): boolean {
  const tellsReceipts = isVersionedProvider(memory.provider);
  return leaseOf(conversation)?.id === executionId && (!tellsReceipts || receipt !== undefined);
}

/** Whether to try again; resolves when it is time to. */
async function mayRetry(
  { conversationId, signal, emit }: AppendsOptions,
  { retryable, attempts, message }: MemoryErrorUnion,
  attempt: number,
): Promise<boolean> {
  if (!retryable || attempts !== undefined || attempt === MAX_ATTEMPTS) return false;
  if (abortError(signal) !== undefined) return false;
  const delayMs = Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1);
  emit?.({ type: "memory_retry", data: { conversationId, attempt, delayMs, reason: message } });
  await sleep(delayMs, signal);
  return abortError(signal) === undefined;
}

/** How long such a read may still take once the run is aborted. */
const ABORTED_READ_MS = 1_000;

/** For a read that a write needs. Finished results are stored also after an abort, but no run waits for a store that never answers. */
async function readWithAbortGrace<T>(
  reading: Promise<Result<T>>,
  signal: AbortSignal | undefined,
): Promise<Result<T>> {
  if (signal === undefined) return reading;
  const over = new AbortController();
  let unsubscribe = () => {};
  const givenUp = new Promise<Result<T>>((resolve) => {
    unsubscribe = onAbort(signal, async () => {
      await sleep(ABORTED_READ_MS, over.signal);
      const reason = "the run was aborted while the conversation was read";
      resolve(createFailure(createMemoryStorageError("readConversation", reason)));
    });
  });
  try {
    return await Promise.race([reading, givenUp]);
  } finally {
    unsubscribe();
    over.abort();
  }
}
