import { type ConversationMemory, createSuccess, type Message, type Result } from "@jaf/memory";
import { sleep } from "../engine/abort.ts";
import { type AppenderOptions, createAppender } from "./appender.ts";
import { DEFAULT_TURN_LEASE_MS, durabilityOf, type MemoryConfig } from "./config.ts";
import { type ApprovalNote, readMetadata, toMetadata, versionOf } from "./metadata.ts";
import { claimTurn, isTurnConflict } from "./turn.ts";

/** What a write notes beside the messages. */
export interface AppendEntry {
  /** The registry key of the agent that goes on from here. */
  readonly agentName: string;
  /** Which execution's which turn the open tool calls are of; absent: no call is open. */
  readonly callScope?: string;
  /** What the open calls wait for. */
  readonly approvals?: ApprovalNote;
}

/** The conversation as the run knows it. */
export interface JournalHistory {
  /** As it was loaded. */
  readonly stored: ConversationMemory | null;
  /** What the run has said since, in the order that the store has it in, or will have. */
  readonly said: readonly Message[];
  /** How many messages are durable, counted from the very first; as far as the store tells. */
  readonly version: number | undefined;
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
  /** Everything that follows is said after this. */
  readonly loaded: (stored: ConversationMemory | null) => void;
  /** The position of the next message in the conversation, counted from its very first. */
  readonly position: () => number;
  readonly history: () => JournalHistory;
  /**
   * Takes the turn before anything is said: a failure, a conflict among them, if another run has it. What is noted
   * with it is durable from then on. Rejects when the run is aborted while the store is asked who has the turn.
   */
  readonly claim: (stored: ConversationMemory | null, entry: AppendEntry) => Promise<Result<void>>;
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
  /** The run waits for somebody: whatever was kept until now, and what it waits for. Ends the turn. */
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

export function openJournal(options: AppenderOptions): Journal {
  const { memory, conversationId, executionId } = options;
  const durability = durabilityOf(memory);
  const appender = createAppender(options);
  const kept: Message[] = [];
  const turn = openTurn(options, (metadata) => appender.append({ messages: [], metadata }));
  let failed = false;
  let conversation: ConversationMemory | null = null;
  let said: Message[] = [];
  let start = 0;

  async function append(messages: readonly Message[], metadata?: () => object): Promise<Result<void>> {
    const appended = await appender.append({ messages, ...(metadata === undefined ? {} : { metadata }) });
    failed ||= !appended.success;
    return appended;
  }
  // Not `push(...messages)`: a long history has more messages than a call may have arguments.
  const keep = (messages: readonly Message[]): Promise<Result<void>> => {
    for (const message of messages) kept.push(message);
    return done;
  };
  const count = (messages: readonly Message[]): void => {
    for (const message of messages) said.push(message);
  };
  const flush = (metadata: () => object): Promise<Result<void>> => append(kept.splice(0), metadata);
  const step = durability === "step";
  // A result whose call is durable becomes so at once, whatever the durability: the call must not be made again.
  let callsAreStored = false;
  const say = (messages: readonly Message[], metadata?: () => object): Promise<Result<void>> => {
    count(messages);
    return callsAreStored ? append(messages, metadata) : keep(messages);
  };

  return {
    memory,
    conversationId,
    executionId,
    loaded: (stored) => {
      appender.loaded(stored);
      start = versionOf(stored) ?? stored?.messages.length ?? 0;
      said = [];
      conversation = stored;
    },
    position: () => start + said.length,
    history: () => ({ stored: conversation, said, version: appender.version() }),
    claim: async (stored, entry) => {
      callsAreStored = true;
      const previous = stored === null ? undefined : readMetadata(stored).turn;
      const metadata = turn.begin(entry);
      const claimed = await claimTurn({
        ...options,
        version: appender.version(),
        previous,
        write: (idempotencyKey) => appender.append({ messages: [], metadata, idempotencyKey }),
      });
      if (!claimed.success && isTurnConflict(claimed.error)) turn.lost();
      return claimed;
    },
    incoming: (messages, entry) => {
      count(messages);
      keep(messages);
      if (durability === "completed" || kept.length === 0) return done;
      return flush(turn.begin(entry));
    },
    calls: (message, entry) => {
      callsAreStored = step;
      return say([message], step ? turn.begin(entry) : undefined);
    },
    answer: (message, entry) =>
      callsAreStored ? say([message], entry === undefined ? undefined : turn.goOn(entry)) : done,
    answers: (messages) => {
      if (!callsAreStored) say(messages);
    },
    final: (message, entry) => {
      count([message]);
      keep([message]);
      return flush(turn.end(entry));
    },
    interrupt: (entry) => flush(turn.end(entry)),
    abandon: async () => {
      const last = turn.abandon();
      // Where a write has failed, the next would fail too, or come too late.
      if (last === undefined || failed) return;
      const over = new AbortController();
      await Promise.race([append([], last), sleep(ABANDON_MS, over.signal)]);
      over.abort();
    },
    close: turn.lost,
  };
}

/** What the store is told of the turn, by each write and, between writes, by signs of life. */
function openTurn(
  { memory, runId, executionId }: AppenderOptions,
  write: (metadata: () => object) => Promise<unknown>,
) {
  const leaseMs = memory.turnLeaseMs ?? DEFAULT_TURN_LEASE_MS;
  let noted: AppendEntry | undefined;
  let signs: NodeJS.Timeout | undefined;
  const isOpen = () => signs !== undefined;

  const note = (entry: AppendEntry, until: number) =>
    toMetadata({
      runId,
      agentName: entry.agentName,
      ...(entry.callScope === undefined ? {} : { toolCallScope: entry.callScope }),
      ...(entry.approvals === undefined ? {} : { approvals: entry.approvals }),
      turn: { id: executionId, until },
    });
  const underWay = (entry: AppendEntry) => note(entry, Date.now() + leaseMs);

  const lost = () => {
    clearInterval(signs);
    signs = undefined;
  };
  const goOn = (entry: AppendEntry) => {
    noted = entry;
    return () => underWay(entry);
  };
  const giveSign = () => {
    const entry = noted;
    // What it says is made when it is written: by then the turn may have ended.
    if (entry !== undefined) void write(() => (isOpen() ? underWay(noted ?? entry) : {}));
  };

  return {
    begin: (entry: AppendEntry) => {
      signs ??= setInterval(giveSign, leaseMs / 3).unref();
      return goOn(entry);
    },
    goOn,
    end: (entry: AppendEntry) => {
      lost();
      noted = entry;
      return () => note(entry, 0);
    },
    abandon: () => {
      const entry = isOpen() ? noted : undefined;
      lost();
      return entry === undefined ? undefined : () => note(entry, 0);
    },
    lost,
  };
}
