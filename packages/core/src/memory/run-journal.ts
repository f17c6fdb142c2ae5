import type { ConversationMemory, Message, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/engine";
import type { Spending } from "../cost/spending.ts";
import { sleep } from "../timing/abort.ts";
import { type AppenderOptions, createAppender } from "./appender.ts";
import { durabilityOf, type MemoryConfig } from "./config.ts";
import { turnLeaseOf } from "./current-turn.ts";
import type { KnownState } from "./known-state.ts";
import type { Loaded } from "./loaded.ts";
import { firstPositionOf, nextPositionOf, readMetadata, toMetadata } from "./metadata.ts";
import { type AppendEntry, type LeaseAction, openTurnLease } from "./turn-lease.ts";

/** The conversation as the run knows it. */
export interface JournalHistory {
  /** As it was loaded. */
  readonly stored: ConversationMemory | null;
  /** What the run has added since, in the order in which the store has it or will have it. */
  readonly added: readonly Message[];
  /** What the run knows by now of the store's counts. */
  readonly known: KnownState;
}

/**
 * Writes a run's messages to the store when its durability asks for it: each method appends them, or keeps them for the next
 * append. Appends of a run never overlap, and none succeeds once another run has appended something.
 *
 * From its first append to its last, the run holds the conversation's turn by a lease, which ends by itself should the
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
  /** The position of the first message that was loaded; `undefined` as long as none was. */
  readonly historyFrom: () => number | undefined;
  /**
   * The token of the stored history; see `historyTokenOf`. `undefined` where the same run had ended before and the conversation
   * has gone on since: whoever gets the token doesn't have the messages that came later.
   */
  readonly historyToken: () => string | undefined;
  /**
   * Takes the turn before anything is appended, and stores `entry`. Fails, e.g. with a conflict, if another run has the turn.
   * Rejects when the run is aborted while the store is asked who has the turn.
   */
  readonly acquireTurn: (entry: AppendEntry) => Promise<Result<void>>;
  /** The new messages that the run was given. */
  readonly appendInput: (messages: readonly Message[], entry: AppendEntry) => Promise<Result<void>>;
  /** A reply with tool calls; no tool runs before this succeeded. */
  readonly appendCalls: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * One tool result, as soon as it is there. It is stored at once if its call is. `entry` only for a handoff: a result that
   * comes after an abort must not change which agent has the conversation.
   */
  readonly appendResult: (message: Message, entry?: AppendEntry) => Promise<Result<void>>;
  /** All results of a reply, in call order. Does nothing where `appendResult` has stored each of them. */
  readonly appendResults: (messages: readonly Message[]) => void;
  /** The final reply, together with the messages that were pending. Ends the turn. */
  readonly appendReply: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * The run is interrupted: stores the messages that were kept, and what the run waits for. Ends the turn. Rejects as
   * `acquireTurn` does.
   */
  readonly interrupt: (entry: AppendEntry) => Promise<Result<void>>;
  /**
   * The run has failed: releases its lease, so that the next run need not wait until it expires. Messages that were kept are
   * dropped. Takes at most a second, also where the store doesn't answer.
   */
  readonly releaseTurn: () => Promise<void>;
  /** Stops the heartbeat. */
  readonly close: () => void;
}

const RELEASE_TIMEOUT_MS = 1_000;

const done: Promise<Result<void>> = Promise.resolve(createSuccess(undefined));

/** What is stored with messages, and whether the turn goes on after them. */
interface TurnWrite {
  readonly entry: AppendEntry;
  readonly action: LeaseAction;
  readonly idempotencyKey?: string | undefined;
}

export interface JournalOptions extends AppenderOptions {
  /** See {@link Journal.runKey}. */
  readonly runKey: string | undefined;
  readonly spending: Pick<Spending, "loaded" | "ofConversation">;
}

export function openJournal(options: JournalOptions): Journal {
  const { memory, conversationId, executionId, runKey } = options;
  const durability = durabilityOf(memory);
  const step = durability === "step";
  const appender = createAppender(options);
  const turn = openTurnLease({ appender, ...options });
  const pending: Message[] = [];
  let conversation: ConversationMemory | null = null;
  let added: Message[] = [];
  let start = 0;
  let historyFrom: number | undefined;
  let endKey: string | undefined;
  let hasGoneOn = false;
  let failed = false;
  /** Whether the store may have a lease of this run, which has to be released when the run fails. */
  let mayHoldTurn = false;
  // The result of a stored call is stored at once, whatever the durability: the call must not be made again.
  let callsAreStored = false;

  const append = (messages: readonly Message[], turnWrite?: TurnWrite): Promise<Result<void>> =>
    appender.runExclusive(async (write) => {
      const held = await turn.ensureHeld(write);
      if (!held.success) {
        failed = true;
        return held;
      }
      const metadata =
        turnWrite === undefined ? undefined : turn.metadataFor(turnWrite.entry, turnWrite.action);
      const appended = await write({
        messages,
        ...(metadata === undefined ? {} : { metadata: toMetadata(metadata) }),
        idempotencyKey: turnWrite?.idempotencyKey,
      });
      failed ||= !appended.success;
      if (appended.success && metadata !== undefined && turnWrite !== undefined)
        turn.onWritten(metadata, turnWrite.entry);
      return appended;
    });

  const holding = (entry: AppendEntry): TurnWrite => {
    mayHoldTurn = true;
    return { entry, action: "hold" };
  };
  const keep = (messages: readonly Message[]): Promise<Result<void>> => {
    // Not `push(...messages)`: a long history has more messages than a call may have arguments.
    for (const message of messages) pending.push(message);
    return done;
  };
  const add = (messages: readonly Message[]): void => {
    for (const message of messages) added.push(message);
  };
  const flush = (turnWrite: TurnWrite): Promise<Result<void>> =>
    pending.length === 0
      ? turn.write(turnWrite.entry, turnWrite.action, turnWrite.idempotencyKey)
      : append(pending.splice(0), turnWrite);
  const end = (entry: AppendEntry): TurnWrite => ({ entry, action: "release", idempotencyKey: endKey });
  const appendOrKeep = (messages: readonly Message[], turnWrite?: TurnWrite): Promise<Result<void>> => {
    add(messages);
    return callsAreStored ? append(messages, turnWrite) : keep(messages);
  };

  return {
    memory,
    conversationId,
    executionId,
    runKey,
    loaded: (reading) => {
      appender.loaded(reading);
      conversation = reading.conversation;
      options.spending.loaded(conversation === null ? undefined : readMetadata(conversation).spent);
      turn.loaded(turnLeaseOf(conversation), reading.time);
      start = nextPositionOf(conversation);
      added = [];
      historyFrom = firstPositionOf(conversation);
      // A key with a receipt belongs to the append that ended the same run before.
      endKey = reading.receipt === undefined ? runKey : undefined;
      hasGoneOn = reading.receipt !== undefined && reading.receipt.nextPosition !== start;
    },
    now: turn.now,
    position: () => start + added.length,
    history: () => ({ stored: conversation, added, known: appender.known() }),
    historyFrom: () => historyFrom,
    historyToken: () => (hasGoneOn ? undefined : appender.known().historyToken),
    acquireTurn: (entry) => {
      callsAreStored = true;
      mayHoldTurn = true;
      return turn.write(entry, "hold");
    },
    appendInput: (messages, entry) => {
      add(messages);
      keep(messages);
      return durability === "completed" || pending.length === 0 ? done : flush(holding(entry));
    },
    appendCalls: (message, entry) => {
      callsAreStored = step;
      return appendOrKeep([message], step ? holding(entry) : undefined);
    },
    appendResult: (message, entry) =>
      callsAreStored ? appendOrKeep([message], entry === undefined ? undefined : holding(entry)) : done,
    appendResults: (messages) => {
      if (!callsAreStored) appendOrKeep(messages);
    },
    appendReply: (message, entry) => {
      add([message]);
      keep([message]);
      return flush(end(entry));
    },
    interrupt: (entry) => flush(end(entry)),
    releaseTurn: async () => {
      turn.close();
      if (!mayHoldTurn) return;
      // Where a write has failed, the next would fail too, or come too late.
      if (!failed) {
        const over = new AbortController();
        await Promise.race([turn.release(), sleep(RELEASE_TIMEOUT_MS, over.signal)]);
        over.abort();
      }
      turn.markEnded();
    },
    close: turn.close,
  };
}
