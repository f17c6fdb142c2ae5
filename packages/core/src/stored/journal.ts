import type { ConversationMemory, Message, ParentConversation, Result, WriteMetadata } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/internal";
import { sleep } from "../limits/abort.ts";
import type { Spending } from "../limits/budget.ts";
import { durabilityOf, type MemoryConfig } from "../memory-config.ts";
import { type KnownState, openAppends } from "./append.ts";
import { askedMetadata, hasAskedCalls } from "./asked-calls.ts";
import type { InboxWrites } from "./inbox-writes.ts";
import { type AppendEntry, type EntryWrite, type LeaseOptions, openLease } from "./lease.ts";
import { leaseOf } from "./lease-record.ts";
import type { Loaded } from "./load.ts";
import { firstPositionOf, nextPositionOf, readMetadata, toMetadata } from "./metadata.ts";

/** What a run knows about its stored conversation. */
export interface JournalHistory {
  /** The conversation as it was loaded. */
  readonly stored: ConversationMemory | null;
  /** The messages that the run has added to the loaded ones, in the store's order. */
  readonly added: readonly Message[];
  /** The versions of the conversation that the run knows from the store. */
  readonly known: KnownState;
}

/**
 * Writes a run's messages to the store at the times that the run's durability sets. Each message is either appended at
 * once or held for the next append. An append fails if another run has appended something since this run loaded the
 * conversation.
 *
 * From its first append to its last, the run holds the conversation's lease.
 */
export interface Journal {
  readonly memory: MemoryConfig;
  readonly conversationId: string;
  readonly executionId: string;
  /** The idempotency key of the append that ends the run. `undefined`: the run got no new input. */
  readonly runKey: string | undefined;
  /**
   * The user that the conversation must belong to; it must exist. `undefined`: the owner isn't checked, and the run can
   * create the conversation.
   */
  readonly owner: string | undefined;
  /** Sets the loaded conversation. Call this function before anything is appended. */
  readonly loaded: (reading: Loaded) => void;
  /**
   * Returns the current time in milliseconds since 1970, by the store's clock. If the store reports no time, by the
   * clock of this process.
   */
  readonly now: () => number;
  /** Returns the position in the conversation that the next message will get. */
  readonly position: () => number;
  readonly history: () => JournalHistory;
  /** Returns whether this message object was loaded from the store. */
  readonly isStored: (message: Message) => boolean;
  /** Returns the position of the first loaded message; `undefined` if nothing is loaded yet. */
  readonly historyFrom: () => number | undefined;
  /**
   * Returns the token of the stored history; see `historyTokenOf`. `undefined`: this execution only repeats an earlier
   * run, after which the conversation has continued.
   */
  readonly historyToken: () => string | undefined;
  /**
   * Takes the lease before anything is appended, and stores the metadata in `entry`. Resolves with a failure if another
   * run holds the lease. Rejects if the run is aborted while it reads the lease.
   */
  readonly takeLease: (entry: AppendEntry) => Promise<Result<void>>;
  /**
   * Adds the run's new messages. In durability `"completed"` they are held; otherwise they are stored immediately with
   * the lease.
   */
  readonly input: (messages: readonly Message[], entry: AppendEntry) => Promise<Result<void>>;
  /**
   * Adds a reply with tool calls. In durability `"step"` it is stored immediately; otherwise it is held. Don't run the
   * tools before `calls` has succeeded.
   */
  readonly calls: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * Stores one tool result immediately if the result's call is stored; otherwise does nothing. Pass `entry` only for a
   * handoff: it names the agent that continues the conversation.
   */
  readonly result: (message: Message, entry?: AppendEntry) => Promise<Result<void>>;
  /** The run's part of the conversation's inbox. `undefined`: the run has no inbox. */
  readonly inbox: InboxWrites | undefined;
  /**
   * Adds messages that were taken from the inbox up to the cursor `readUpTo`, which is stored in the same write. They are
   * stored immediately in durability `"step"`, and in `"turn"` if no other message is held; otherwise they are held.
   */
  readonly taken: (
    messages: readonly Message[],
    readUpTo: string,
    entry: AppendEntry,
  ) => Promise<Result<void>>;
  /** Adds all results of a reply, in call order, unless `result` has already stored them. */
  readonly results: (messages: readonly Message[]) => void;
  /** Stores the final reply together with the messages that are held. Releases the lease. */
  readonly reply: (message: Message, entry: AppendEntry) => Promise<Result<void>>;
  /**
   * Stores the messages that aren't stored yet, and the metadata about the calls that the interrupted run waits for.
   * Releases the lease. Rejects if the run is aborted while this method reads the lease.
   */
  readonly interrupt: (entry: AppendEntry) => Promise<Result<void>>;
  /** Releases the lease of a failed run and drops the held messages. Takes at most a second. */
  readonly releaseLease: () => Promise<void>;
  /**
   * Resolves with the conversation as the parent of an inner run's conversation (see `asTool`), and creates it first if
   * it doesn't exist. Resolves with `undefined` if the store has no incarnations, and so no children.
   */
  readonly asParent: (entry: AppendEntry) => Promise<Result<ParentConversation | undefined>>;
  /** Stops the heartbeat, which renews the lease. */
  readonly close: () => void;
}

const RELEASE_TIMEOUT_MS = 1_000;

export interface JournalOptions extends LeaseOptions {
  /** The idempotency key of the append that ends the run; see {@link Journal.runKey}. */
  readonly runKey: string | undefined;
  /** See {@link Journal.owner}. */
  readonly owner: string | undefined;
  readonly spending: Pick<Spending, "loaded" | "ofConversation">;
  /** See {@link Journal.inbox}. */
  readonly inbox: InboxWrites | undefined;
}

export function openJournal(options: JournalOptions): Journal {
  const { memory, conversationId, executionId, runKey, owner, inbox } = options;
  const durability = durabilityOf(memory);
  const appends = openAppends(options);
  const lease = openLease(options, appends);
  /** The messages that are held for the next append. */
  let pending: Message[] = [];
  let conversation: ConversationMemory | null = null;
  const readings: (readonly Message[])[] = [];
  let added: Message[] = [];
  let start = 0;
  let historyFrom: number | undefined;
  let endKey: string | undefined;
  let hasGoneOn = false;
  let failed = false;
  /** Whether the store has a record of calls that waited for an approval. */
  let hasAsked = false;
  /** Whether the store might have a lease of this run. */
  let mayHoldLease = false;
  // In every durability, the result of a stored call is stored immediately, so the call isn't made again.
  let callsAreStored = false;

  const addPending = (messages: readonly Message[]): void => {
    // Not `push(...messages)`: a long history has more messages than the maximum number of arguments.
    for (const message of messages) {
      added.push(message);
      pending.push(message);
    }
  };

  /** Returns the metadata that removes the record of calls once none of them waits. */
  const answered = ({ entry }: EntryWrite): WriteMetadata | undefined =>
    hasAsked && entry.approvals === undefined ? askedMetadata(undefined) : undefined;

  /** Appends the held messages, with the metadata in `entryWrite`. */
  const append = (entryWrite?: EntryWrite): Promise<Result<void>> =>
    inbox === undefined
      ? appendHeld(entryWrite)
      : inbox.storing((ofInbox) => appendHeld(entryWrite, ofInbox));

  async function appendHeld(entryWrite?: EntryWrite, ofInbox?: WriteMetadata): Promise<Result<void>> {
    mayHoldLease ||= entryWrite?.action === "hold";
    const messages = pending;
    pending = [];
    const leave = await appends.enter();
    try {
      const held = await lease.ensureHeld();
      const metadata = entryWrite && held.success ? lease.metadataFor(entryWrite) : undefined;
      const idempotencyKey = entryWrite?.idempotencyKey;
      const ofRun = metadata &&
        entryWrite && { ...toMetadata(metadata, entryWrite.entry), ...answered(entryWrite) };
      const batch = { messages, metadata: ofInbox ? { ...ofRun, ...ofInbox } : ofRun, idempotencyKey };
      const appended = held.success ? await appends.send(batch) : held;
      failed ||= !appended.success;
      if (appended.success && metadata && entryWrite) lease.onWritten(metadata, entryWrite.entry);
      return appended;
    } finally {
      leave();
    }
  }

  let parent: Promise<Result<ParentConversation | undefined>> | undefined;
  async function findParent(entry: AppendEntry): Promise<Result<ParentConversation | undefined>> {
    if (appends.known().incarnation === undefined) return createSuccess(undefined);
    const leave = await appends.enter();
    const incarnation = await appends.incarnation().finally(leave);
    if (!incarnation.success) return incarnation;
    if (incarnation.data !== undefined)
      return createSuccess({ conversationId, incarnation: incarnation.data });
    mayHoldLease = true;
    const created = await lease.write(holding(entry));
    return created.success ? findParent(entry) : created;
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
    owner,
    loaded: (reading) => {
      appends.loaded(reading);
      conversation = reading.conversation;
      hasAsked = hasAskedCalls(conversation);
      if (conversation !== null) readings.push(conversation.messages);
      const { spent, prompts = [] } = conversation === null ? {} : readMetadata(conversation);
      options.spending.loaded(spent);
      options.prompts?.loaded(prompts);
      inbox?.loaded(conversation);
      lease.loaded(leaseOf(conversation), reading.time);
      start = nextPositionOf(conversation);
      added = [];
      historyFrom = firstPositionOf(conversation);
      // If a receipt for the key was found, the key belongs to the append that ended the same run before.
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
    inbox,
    taken: async (messages, readUpTo, entry) => {
      const isHeld = durability === "completed" || (durability === "turn" && pending.length > 0);
      const before = [...(conversation?.messages ?? []), ...added];
      inbox?.took({ messages, readUpTo, position: start + added.length, before });
      addPending(messages);
      return isHeld ? nothing : append(holding(entry));
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
      // After a failed write, the next write would also fail, or be too late.
      if (!failed) {
        const over = new AbortController();
        await Promise.race([lease.release(), sleep(RELEASE_TIMEOUT_MS, over.signal)]);
        over.abort();
      }
      lease.markEnded();
    },
    asParent: async (entry) => {
      parent ??= findParent(entry);
      const found = await parent;
      if (!found.success) parent = undefined;
      return found;
    },
    close: lease.close,
  };
}

const nothing: Result<void> = createSuccess(undefined);
