import type { ConversationMemory, MemoryConflictError, Message, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/engine";
import type { Spending } from "../cost/spending.ts";
import { sleep } from "../timing/abort.ts";
import { type AppenderOptions, createAppender } from "./appender.ts";
import { durabilityOf, type MemoryConfig } from "./config.ts";
import { type ConversationEnd, endCacheOf } from "./end-cache.ts";
import type { KnownState } from "./known-state.ts";
import type { Loaded } from "./loaded.ts";
import { firstPositionOf, nextPositionOf, readMetadata, toMetadata } from "./metadata.ts";
import { endOfRun } from "./recall.ts";
import { processTime } from "./store-time.ts";
import { turnOf } from "./turn.ts";
import { type AppendEntry, createTurnHolder } from "./turn-holder.ts";

/** The conversation as the run knows it. */
export interface JournalHistory {
  /** As it was loaded. */
  readonly stored: ConversationMemory | null;
  /** What the run has said since, in the order that the store has it in, or will have. */
  readonly said: readonly Message[];
  /** What the store counts of it by now. */
  readonly known: KnownState;
}

/**
 * Writes what a run says to the store when its durability asks for it: each method appends, or keeps the messages
 * for the next append. Appends of a run never overlap, and none succeeds once somebody else has appended.
 *
 * While more than one append belongs to the run, the store says that its turn is under way, and until when, should
 * its process be gone.
 */
export interface Journal {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
  readonly executionId: string;
  /** The key that the append which ends the run is made under; `undefined` where nothing was handed in. */
  readonly runKey: string | undefined;
  /** Takes what this process knows of the conversation's end, for this run alone. */
  readonly takeEnd: () => ConversationEnd | undefined;
  /** Somebody else has changed the conversation since this process had its end. */
  readonly foundOutdated: () => void;
  /**
   * Everything that follows is said after this. `onConfirmed`: it wasn't read, so the first write asks whether it is what is
   * stored, metadata included. If not, the write fails with a conflict, and the run has stored nothing yet.
   */
  readonly loaded: (reading: Loaded, onConfirmed?: () => void) => void;
  /** Milliseconds since 1970, by the store's clock as far as the run knows it; by this process's if the store tells none. */
  readonly now: () => number;
  /** The position of the next message in the conversation, counted from its very first. */
  readonly position: () => number;
  readonly history: () => JournalHistory;
  /** The position of the first message that was loaded; `undefined` as long as none was. */
  readonly historyFrom: () => number | undefined;
  /**
   * What stands for the stored history as this run knows it; see `historyTokenOf`. `undefined` where the run is told how it
   * ended before and the conversation has gone on since: what was said then isn't known to whoever gets the token.
   */
  readonly historyToken: () => string | undefined;
  /**
   * Takes the turn before anything is said: a failure, a conflict among them, if another run has it. What is noted
   * with it is durable from then on. Rejects when the run is aborted while the store is asked who has the turn.
   */
  readonly claim: (entry: AppendEntry) => Promise<Result<void>>;
  /** The metadata were changed beside this. */
  readonly wroteAside: () => void;
  /** What was said to the agent. */
  readonly incoming: (messages: readonly Message[], entry: AppendEntry) => Promise<Result<void>>;
  /** A reply with tool calls; no tool runs before this succeeded. */
  readonly calls: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * One tool result, the moment it is there; stored at once if its call is. `entry` only for a handoff: a result that
   * comes after an abort must not change who has the conversation.
   */
  readonly answer: (message: Message, entry?: AppendEntry) => Promise<Result<void>>;
  /** All results of a reply in call order, once they are there. Does nothing where each was stored by `answer`. */
  readonly answers: (messages: readonly Message[]) => void;
  /** The final reply, and whatever was kept until now. Ends the turn. */
  readonly final: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * The run waits for somebody: whatever was kept until now, and what it waits for. Ends the turn. Rejects as `claim`
   * does.
   */
  readonly interrupt: (entry: AppendEntry) => Promise<Result<void>>;
  /**
   * The run has failed: the next need not wait until its turn lapses. Nothing that was kept is stored. Takes a second at
   * most, also where the store hangs.
   */
  readonly abandon: () => Promise<void>;
  /** No sign of life is given after this. */
  readonly close: () => void;
}

const ABANDON_MS = 1_000;

const done: Promise<Result<void>> = Promise.resolve(createSuccess(undefined));

/** What is noted with messages, and whether the turn goes on after them. */
interface Noted {
  readonly entry: AppendEntry;
  readonly until: "lease" | "over";
  readonly idempotencyKey?: string | undefined;
}

const isConflict = (
  appended: Result<void>,
): appended is { readonly success: false; readonly error: MemoryConflictError } =>
  !appended.success && appended.error._tag === "MemoryConflictError";

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
  const turn = createTurnHolder({ appender, ...options });
  const ends = endCacheOf(memory.provider, memory.endCache);
  const kept: Message[] = [];
  let conversation: ConversationMemory | null = null;
  let said: Message[] = [];
  let start = 0;
  let historyFrom: number | undefined;
  let endKey: string | undefined;
  let hasGoneOn = false;
  let failed = false;
  /** Whether anything may be noted of the turn that has to be taken back when the run fails. */
  let mayHold = false;
  // A result whose call is durable becomes so at once, whatever the durability: the call must not be made again.
  let callsAreStored = false;
  let time = processTime();
  let unconfirmed: (() => void) | undefined;
  let wroteAside = false;

  const confirmed = (): void => {
    const tell = unconfirmed;
    unconfirmed = undefined;
    tell?.();
  };
  /** What was assumed doesn't hold: the run begins anew. */
  const outdated = ({ reason }: MemoryConflictError): void => {
    unconfirmed = undefined;
    mayHold = false;
    if (reason === "version") ends?.foundOutdated(conversationId);
  };

  const append = (messages: readonly Message[], noted?: Noted): Promise<Result<void>> =>
    appender.inTurn(async (write) => {
      const held = await turn.confirm(write);
      if (!held.success) {
        failed = true;
        return held;
      }
      const note = noted === undefined ? undefined : turn.make(noted.entry, noted.until);
      const metadata = note === undefined ? {} : { metadata: toMetadata(note) };
      const appended = await write({
        messages,
        ...metadata,
        idempotencyKey: noted?.idempotencyKey,
        comparesMetadata: unconfirmed !== undefined,
        onStored: confirmed,
      });
      if (unconfirmed !== undefined && isConflict(appended)) outdated(appended.error);
      else failed ||= !appended.success;
      if (appended.success && note !== undefined && noted !== undefined) turn.noted(note, noted.entry);
      return appended;
    });

  const hold = (entry: AppendEntry): Noted => {
    mayHold = true;
    return { entry, until: "lease" };
  };
  const keep = (messages: readonly Message[]): Promise<Result<void>> => {
    // Not `push(...messages)`: a long history has more messages than a call may have arguments.
    for (const message of messages) kept.push(message);
    return done;
  };
  const count = (messages: readonly Message[]): void => {
    for (const message of messages) said.push(message);
  };
  const flush = (noted: Noted): Promise<Result<void>> =>
    kept.length === 0
      ? turn.note(noted.entry, noted.until, noted.idempotencyKey)
      : append(kept.splice(0), noted);
  const end = (entry: AppendEntry): Noted => ({ entry, until: "over", idempotencyKey: endKey });
  const say = (messages: readonly Message[], noted?: Noted): Promise<Result<void>> => {
    count(messages);
    return callsAreStored ? append(messages, noted) : keep(messages);
  };

  const keepEnd = (): void => {
    const known = appender.met();
    const noted = turn.lastNoted();
    if (ends === undefined || known === undefined || noted === undefined) return;
    const left = endOfRun({ memory, loaded: { conversation, time }, said, known, noted, wroteAside });
    if (left !== undefined) ends.keep(conversationId, left);
  };

  return {
    memory,
    conversationId,
    executionId,
    runKey,
    takeEnd: () => {
      const end = ends?.take(conversationId);
      return end?.userId === memory.userId ? end : undefined;
    },
    foundOutdated: () => ends?.foundOutdated(conversationId),
    loaded: (reading, onConfirmed) => {
      appender.loaded(reading);
      unconfirmed = onConfirmed;
      conversation = reading.conversation;
      time = reading.time;
      options.spending.loaded(conversation === null ? undefined : readMetadata(conversation).spent);
      turn.loaded(turnOf(conversation), time);
      start = nextPositionOf(conversation);
      said = [];
      historyFrom = firstPositionOf(conversation);
      // A key that has been used stands for how the run ended then.
      endKey = reading.receipt === undefined ? runKey : undefined;
      hasGoneOn = reading.receipt !== undefined && reading.receipt.nextPosition !== start;
    },
    now: turn.now,
    position: () => start + said.length,
    history: () => ({ stored: conversation, said, known: appender.known() }),
    historyFrom: () => (unconfirmed === undefined ? historyFrom : undefined),
    historyToken: () => (hasGoneOn ? undefined : appender.known().historyToken),
    claim: (entry) => {
      callsAreStored = true;
      mayHold = true;
      return turn.note(entry, "lease");
    },
    wroteAside: () => {
      wroteAside = true;
    },
    incoming: (messages, entry) => {
      count(messages);
      keep(messages);
      return durability === "completed" || kept.length === 0 ? done : flush(hold(entry));
    },
    calls: (message, entry) => {
      callsAreStored = step;
      return say([message], step ? hold(entry) : undefined);
    },
    answer: (message, entry) =>
      callsAreStored ? say([message], entry === undefined ? undefined : hold(entry)) : done,
    answers: (messages) => {
      if (!callsAreStored) say(messages);
    },
    final: async (message, entry) => {
      count([message]);
      keep([message]);
      const stored = await flush(end(entry));
      if (stored.success) keepEnd();
      return stored;
    },
    interrupt: (entry) => flush(end(entry)),
    abandon: async () => {
      turn.close();
      if (!mayHold) return;
      // Where a write has failed, the next would fail too, or come too late.
      if (!failed) {
        const over = new AbortController();
        await Promise.race([turn.giveUp(), sleep(ABANDON_MS, over.signal)]);
        over.abort();
      }
      turn.leave();
    },
    close: turn.close,
  };
}
