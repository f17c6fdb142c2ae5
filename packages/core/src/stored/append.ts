import type {
  MemoryErrorUnion,
  Message,
  ParentConversation,
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
import { type Head, loadHead } from "./load.ts";
import { metadataVersionOf, nextPositionOf, versionOf } from "./metadata.ts";
import { asResult, thrownBy } from "./provider-result.ts";

const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 50;

export interface AppendsOptions {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
  readonly traceId: TraceId;
  readonly executionId: string;
  readonly signal: AbortSignal | undefined;
  readonly emit: Emit | undefined;
  /**
   * The metadata that each write stores, in addition to the user's id and the trace id. `undefined`: no more metadata.
   */
  readonly label: WriteMetadata | undefined;
  readonly writes: WriteHooks | undefined;
  /** The conversation that a new conversation is a child of. `undefined`: it isn't a child. */
  readonly parent: ParentConversation | undefined;
}

/**
 * Hooks before and after each write of messages or of the lease. The writes of a summary and of a new conversation by
 * an agent client have no hooks.
 */
export interface WriteHooks {
  /**
   * Awaited before each attempt to write. `known`: the versions of the conversation that the write expects. `undefined`
   * lets the write begin; a rejection makes the attempt fail with a `MemoryStorageError`.
   */
  readonly beforeWrite: (known: KnownState) => Promise<WriteStart | undefined>;
  /** Called after a successful write with the store's receipt. A thrown error becomes a process warning. */
  readonly onWritten: (receipt: WriteReceipt) => void;
}

/** How an attempt to write starts. */
export interface WriteStart {
  /** The error with which the attempt fails without a write. Absent: the write is made. */
  readonly refused?: MemoryErrorUnion | undefined;
  /**
   * A turn that begins in the server's turn log with this write, in one atomic write. If the write fails, `beforeWrite`
   * is called again immediately. Absent: no turn begins.
   */
  readonly beginsTurn?: WriteOptions["beginsTurn"] | undefined;
}

interface Batch {
  readonly messages: readonly Message[];
  /** The metadata to store, in addition to the user's id and the trace id. */
  readonly metadata?: WriteMetadata | undefined;
  /** The idempotency key of the write. Default: a unique key. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the write fails if the metadata has changed since this run last saw it. Absent: it doesn't fail. */
  readonly comparesMetadata?: boolean;
}

/** The versions of the conversation that this run knows. A field is `undefined` if the store doesn't report it. */
export interface KnownState {
  readonly incarnation: string | undefined;
  readonly version: number | undefined;
  readonly metadataVersion: number | undefined;
  /** The position that the next message of the conversation will get. */
  readonly nextPosition: number | undefined;
  /** The history token of the stored conversation; see `historyTokenOf`. */
  readonly historyToken: string | undefined;
}

export type Appends = ReturnType<typeof openAppends>;

/**
 * Whether the conversation exists in the store. `"created"`: this run has created it but doesn't know its incarnation.
 */
type Existence = "absent" | "created" | "known";

/** Creates the object through which a run appends to its conversation, one append at a time. */
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
    nextPosition: undefined,
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

  /**
   * Finds out the incarnation of a conversation that this run has created. The run's next write must expect this
   * incarnation.
   */
  async function identifyCreated(): Promise<Result<void>> {
    // Another run could have erased the conversation and created a new one with the same id.
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
  // A function, because TypeScript assumes that `observeHead` doesn't change `existence`.
  const isIdentified = () => existence === "known";

  function recordWrite(count: number, receipt: WriteReceipt | undefined): void {
    const { version, metadataVersion } = known;
    const isChange = count > 0 || version === 0;
    // Set only if this write has created the conversation.
    const created = existence === "absent" ? receipt?.incarnation : undefined;
    known = {
      incarnation: created ?? known.incarnation,
      // The store may have made an earlier write that this run gave up. In that case this write would have failed with a
      // conflict, so the new version is correct.
      version: version === undefined ? undefined : version + (isChange ? 1 : 0),
      metadataVersion: metadataVersion === undefined ? undefined : metadataVersion + 1,
      nextPosition: receipt?.nextPosition,
      historyToken: historyTokenOf(receipt),
    };
    if (existence === "absent") existence = created === undefined ? "created" : "known";
  }

  /**
   * Appends messages and metadata in one write, and creates a missing conversation. Call `send` only after `enter` has
   * resolved.
   *
   * After a transient error, the write is retried with the same idempotency key. The write fails with a conflict in two
   * cases:
   *
   * - Another run has changed the messages since this run loaded the conversation.
   * - The conversation was erased since this run loaded it.
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
    if (existence === "absent") {
      conditions.createIfMissing = userId === undefined ? "unowned" : true;
      if (options.parent !== undefined) conditions.childOf = options.parent;
    }
    if (incarnation !== undefined) conditions.expectedIncarnation = incarnation;
    if (version !== undefined) conditions.expectedVersion = version;
    if (batch.comparesMetadata === true && metadataVersion !== undefined)
      conditions.expectedMetadataVersion = metadataVersion;
    // A write of only metadata must not drop messages: that would change the version of the messages, which later writes
    // expect.
    if (maxMessages !== undefined && messages.length > 0) conditions.maxMessages = maxMessages;
    if (ttl !== undefined) conditions.ttlSeconds = ttl;
    if (options.signal !== undefined) conditions.signal = options.signal;
    for (let attempt = 1; ; attempt++) {
      let result: Result<void>;
      let beginsTurn: WriteOptions["beginsTurn"];
      try {
        const start = writes === undefined ? {} : await startBy(writes, known);
        beginsTurn = start.beginsTurn;
        // Copied, because the memory provider can change the objects, and the next attempt must be the same.
        const copy = plainCopy(written);
        const answer = start.refused
          ? createFailure(start.refused)
          : await provider.appendMessages(conversationId, [...messages], copy, {
              ...conditions,
              ...present({ beginsTurn }),
            });
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
            () => "The hook after a write (onWritten) failed; the run continues.",
          );
        const data = { conversationId, messageCount: messages.length };
        if (messages.length > 0) options.emit?.({ type: "memory_stored", data });
        return result;
      }
      // `beforeWrite` finds out why the write failed. Only then does the next attempt count.
      if (beginsTurn !== undefined) attempt -= 1;
      else if (!(await mayRetry(options, result.error, attempt))) return result;
    }
  }

  return {
    /** Waits until no append of the run is running. Resolves with a function to call after the caller's own append. */
    enter,
    /** Runs an action while no append of the run is running. */
    exclusive: async <T>(action: () => Promise<T>): Promise<T> => {
      const leave = await enter();
      try {
        return await action();
      } finally {
        leave();
      }
    },
    send,
    /**
     * Resolves with the incarnation of the conversation; `undefined` if it doesn't exist or the store doesn't report it.
     */
    incarnation: async (): Promise<Result<string | undefined>> => {
      const identified = existence === "created" ? await identifyCreated() : undefined;
      if (identified?.success === false) return identified;
      return createSuccess(existence === "absent" ? undefined : known.incarnation);
    },
    /** Sets the loaded conversation, whose versions later appends expect. */
    loaded: ({ conversation, incarnation }: ProviderReading): void => {
      existence = conversation === null ? "absent" : "known";
      // A store with incarnations has metadata versions, too.
      const ofNothing = incarnation === undefined ? undefined : 0;
      known = {
        incarnation,
        version: versionOf(conversation),
        metadataVersion: conversation === null ? ofNothing : metadataVersionOf(conversation),
        nextPosition: nextPositionOf(conversation),
        historyToken: historyTokenOf(conversation?.metadata),
      };
    },
    /**
     * Sets the conversation's head, whose metadata version the next write expects. Load the head with `receiptFor:
     * createdUnder()`.
     */
    observeHead,
    /**
     * Returns the idempotency key under which this run tried to create the conversation. `undefined`: it hasn't tried,
     * or it knows the conversation's incarnation.
     */
    createdUnder: (): string | undefined => (existence === "known" ? undefined : createdUnderKey),
    known: (): KnownState => known,
  };
}

async function startBy(writes: WriteHooks, known: KnownState): Promise<WriteStart> {
  try {
    return (await writes.beforeWrite(known)) ?? {};
  } catch (cause) {
    const reason = "the hook before the write threw";
    return { refused: createMemoryStorageError("appendMessages", reason, { cause }) };
  }
}

/**
 * Returns a function that lets its callers continue one after the other. Each caller gets a function to call when it
 * has finished.
 */
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

/** Returns whether this run created the conversation, even if the answer of the write was lost. */
function isCreatedByThisRun(
  { memory, executionId }: AppendsOptions,
  { conversation, receipt }: Head,
): boolean {
  const tellsReceipts = isVersionedProvider(memory.provider);
  // Not only the lease, because an imported conversation can have the run's lease, too.
  return leaseOf(conversation)?.id === executionId && (!tellsReceipts || receipt !== undefined);
}

/** Resolves with whether a failed write or read is retried, after the delay before the retry. */
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

/** How long a run waits after an abort for a read that a write needs, in milliseconds. */
const ABORTED_READ_MS = 1_000;

/**
 * Resolves with the result of a read that a write needs. After an abort, fails if the read takes longer than {@link
 * ABORTED_READ_MS}.
 */
async function readWithAbortGrace<T>(
  reading: Promise<Result<T>>,
  signal: AbortSignal | undefined,
): Promise<Result<T>> {
  // A run stores finished tool results even after an abort. It must not wait forever for the store.
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
