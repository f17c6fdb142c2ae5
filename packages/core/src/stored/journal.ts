import type { ConversationMemory, Message, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/internal";
import { sleep } from "../limits/abort.ts";
import type { Spending } from "../limits/budget.ts";
import { durabilityOf, type MemoryConfig } from "../memory-config.ts";
import { type KnownState, openAppends } from "./append.ts";
import { type AppendEntry, type EntryWrite, type LeaseOptions, openLease } from "./lease.ts";
import { leaseOf } from "./lease-record.ts";
import type { Loaded } from "./load.ts";
import { firstPositionOf, nextPositionOf, readMetadata, toMetadata } from "./metadata.ts";

/** The conversation as the run knows it. */
export interface JournalHistory {
  /** As it was loaded. */
  readonly stored: ConversationMemory | null;
  /** What the run has added since, in the order in which the store has it or will have it. */
  readonly added: readonly Message[];
  /** What the run knows by now of the store's versions. */
  readonly known: KnownState;
}

/**
 * Writes a run's messages to the store when its durability asks for it: `input`, `calls`, `result`, `results`, `reply` and
 * `interrupt` append them, or hold them for the next append. Appends of a run never overlap, and none succeeds once another run
 * has appended something.
 *
 * From its first append to its last, the run holds the conversation's lease, which ends by itself should the
 * process die.
 */
export interface Journal {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
  readonly executionId: string;
  /** The idempotency key of the append that ends the run. `undefined`: the run was handed nothing new. */
  readonly runKey: string | undefined;
  /** The conversation that everything is appended to. */
  readonly loaded: (reading: Loaded) => void;
  /** Milliseconds since 1970, by the store's clock as far as the run knows it; by this process's if the store tells none. */
  readonly now: () => number;
  /** The position of the next message in the conversation, counted from its very first. */
  readonly position: () => number;
  readonly history: () => JournalHistory;
  /** Whether the message, this very object, was read from the store. */
  readonly isStored: (message: Message) => boolean;
  /** The position of the first message that was loaded; `undefined` as long as none was. */
  readonly historyFrom: () => number | undefined;
  /**
   * The token of the stored history; see `historyTokenOf`. `undefined` where the same run had ended before and the conversation
   * has gone on since: whoever gets the token doesn't have the messages that came later.
   */
  readonly historyToken: () => string | undefined;
  /**
   * Takes the lease before anything is appended, and stores `entry`. Fails, e.g. with a conflict, if another run holds the lease.
   * Rejects when the run is aborted while the store is asked who holds the lease.
   */
  readonly takeLease: (entry: AppendEntry) => Promise<Result<void>>;
  /** The new messages that the run was given. */
  readonly input: (messages: readonly Message[], entry: AppendEntry) => Promise<Result<void>>;
  /** A reply with tool calls; no tool runs before this succeeded. */
  readonly calls: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * One tool result, as soon as it is there. It is stored at once if its call is. `entry` only for a handoff: a result that
   * comes after an abort must not change which agent has the conversation.
   */
  readonly result: (message: Message, entry?: AppendEntry) => Promise<Result<void>>;
  /** All results of a reply, in call order. Does nothing where `result` has stored each of them. */
  readonly results: (messages: readonly Message[]) => void;
  /** The final reply, together with the messages that are pending. Releases the lease. */
  readonly reply: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * The run is interrupted: stores the messages that are pending, and what the run waits for. Releases the lease. Rejects as `takeLease`
   * does.
   */
  readonly interrupt: (entry: AppendEntry) => Promise<Result<void>>;
  /**
   * The run has failed: releases its lease, so that the next run need not wait until it expires. Messages that are pending are
   * dropped. Takes at most a second, also where the store doesn't answer.
   */
  readonly releaseLease: () => Promise<void>;
  /** Stops the heartbeat. */
  readonly close: () => void;
}

const RELEASE_TIMEOUT_MS = 1_000;

export interface JournalOptions extends LeaseOptions {
  /** See {@link Journal.runKey}. */
  readonly runKey: string | undefined;
  readonly spending: Pick<Spending, "loaded" | "ofConversation">;
}

export function openJournal(options: JournalOptions): Journal {
  const { memory, conversationId, executionId, runKey } = options;
  const durability = durabilityOf(memory);
  const appends = openAppends(options);
  const lease = openLease(options, appends);
  /** Messages for the next append. */
  let pending: Message[] = [];
  let conversation: ConversationMemory | null = null;
  const readings: (readonly Message[])[] = [];
  let added: Message[] = [];
  let start = 0;
  let historyFrom: number | undefined;
  let endKey: string | undefined;
  let hasGoneOn = false;
  let failed = false;
  /** Whether the store may have a lease of this run, which has to be released when the run fails. */
  let mayHoldLease = false;
  // The result of a stored call is stored at once, whatever the durability: the call must not be made again.
  let callsAreStored = false;

  const addPending = (messages: readonly Message[]): void => {
    // Not `push(...messages)`: a long history has more messages than a call may have arguments.
    for (const message of messages) {
      added.push(message);
      pending.push(message);
    }
  };

  /** Appends the messages that are pending. The only write of messages to the store. */
  async function append(entryWrite?: EntryWrite): Promise<Result<void>> {
    mayHoldLease ||= entryWrite?.action === "hold";
    const messages = pending;
    pending = [];
    const leave = await appends.enter();
    try {
      const held = await lease.ensureHeld();
      const metadata = entryWrite && held.success ? lease.metadataFor(entryWrite) : undefined;
      const idempotencyKey = entryWrite?.idempotencyKey;
      const batch = { messages, metadata: metadata && toMetadata(metadata), idempotencyKey };
      const appended = held.success ? await appends.send(batch) : held;
      failed ||= !appended.success;
      if (appended.success && metadata && entryWrite) lease.onWritten(metadata, entryWrite.entry);
      return appended;
    } finally {
      leave();
    }
  }

  const holding = (entry: AppendEntry): EntryWrite => ({ entry, action: "hold" });
  const ending = (entry: AppendEntry): EntryWrite => ({
    entry,
    action: "release",
    idempotencyKey: endKey,
  });

  return {
    memory,
    conversationId,
    executionId,
    runKey,
    loaded: (reading) => {
      appends.loaded(reading);
      conversation = reading.conversation;
      if (conversation !== null) readings.push(conversation.messages);
      options.spending.loaded(conversation === null ? undefined : readMetadata(conversation).spent);
      lease.loaded(leaseOf(conversation), reading.time);
      start = nextPositionOf(conversation);
      added = [];
      historyFrom = firstPositionOf(conversation);
      // A key with a receipt belongs to the append that ended the same run before.
      endKey = reading.receipt === undefined ? runKey : undefined;
      hasGoneOn = reading.receipt !== undefined && reading.receipt.nextPosition !== start;
    },
    now: lease.now,
    position: () => start + added.length,
    history: () => ({ stored: conversation, added, known: appends.known() }),
    isStored: (message) => readings.some((messages) => messages.includes(message)),
    historyFrom: () => historyFrom,
    historyToken: () => (hasGoneOn ? undefined : appends.known().historyToken),
    takeLease: (entry) => {
      callsAreStored = true;
      mayHoldLease = true;
      return lease.write(holding(entry));
    },
    input: async (messages, entry) => {
      addPending(messages);
      return durability === "completed" || pending.length === 0 ? nothing : append(holding(entry));
    },
    calls: async (message, entry) => {
      callsAreStored = durability === "step";
      addPending([message]);
      return callsAreStored ? append(holding(entry)) : nothing;
    },
    result: async (message, entry) => {
      if (!callsAreStored) return nothing;
      addPending([message]);
      return append(entry && holding(entry));
    },
    results: (messages) => {
      if (!callsAreStored) addPending(messages);
    },
    reply: (message, entry) => {
      addPending([message]);
      return append(ending(entry));
    },
    interrupt: (entry) => (pending.length === 0 ? lease.write(ending(entry)) : append(ending(entry))),
    releaseLease: async () => {
      lease.close();
      if (!mayHoldLease) return;
      // Where a write has failed, the next would fail too, or come too late.
      if (!failed) {
        const over = new AbortController();
        await Promise.race([lease.release(), sleep(RELEASE_TIMEOUT_MS, over.signal)]);
        over.abort();
      }
      lease.markEnded();
    },
    close: lease.close,
  };
}

const nothing: Result<void> = createSuccess(undefined);
