import type { Result, TurnLog } from "@jaf/memory";
import type { TurnEnding, TurnWriter, WriterAnswer } from "@jaf/memory/adapter";
import { backoffDelayMs, createFailure, createMemoryStorageError } from "@jaf/memory/internal";
import { type EncodedEvent, encodeEvent } from "./encoded-event.ts";
import { isGrowing, joinedPiece, wordsOf } from "./pieces.ts";
import type { TurnEvent } from "./turn-event.ts";

/** Limits of one append to the log: number of events, and approximate number of characters. */
const MAX_GROUP_EVENTS = 500;
const MAX_GROUP_CHARACTERS = 1_000_000;
/** If a piece of a reply has at least this many characters, the next piece isn't joined with it. */
const MAX_PIECE_CHARACTERS = 32_768;

/** The number of appends over which their time is averaged. */
const RECENT_APPENDS = 8;

export interface EventWriterOptions {
  readonly log: Pick<TurnLog, "append" | "renew">;
  readonly writer: TurnWriter;
  /** Number of the first event to write. */
  readonly first: number;
  /** How long pieces of a reply are gathered before they are stored, in ms. */
  readonly gatherMs: number;
  /** How long events can wait without a reader, and how often the lease is renewed, in ms. */
  readonly heartbeatMs: number;
  readonly leaseMs: number;
  readonly onStored: (first: number, events: readonly EncodedEvent[]) => void;
  /** Called once, when the log reports that a stop of the turn was requested. */
  readonly onStop: () => void;
  /** Called once, when the lease is lost: another process has the lease, or the store didn't answer until the lease expired. */
  readonly onLost: () => void;
}

/**
 * Stores the events of a turn in the log, in groups, one group at a time. The events of a short turn without tools and
 * readers are stored with the turn's end. From the first heartbeat, tool call or reader on, events are stored soon after they
 * are added.
 */
export interface EventWriter {
  /**
   * Adds an event. An event that readers wait for (e.g. a message) is stored immediately, with all earlier events. Other events
   * (e.g. a piece of text) are gathered for a short time.
   */
  readonly push: (event: TurnEvent) => void;
  /** From now on, stores events soon after they are added, because a reader waits for them. */
  readonly storeEarly: () => void;
  /** Stores all added events. Resolves with `true` once they are stored, or with `false` if they can't be stored. */
  readonly flush: () => Promise<boolean>;
  /**
   * Stores the remaining events and `last`, and ends the turn in the log, with one append if the events fit. Resolves with
   * `false` if the lease is lost.
   */
  readonly end: (last: TurnEvent, ending: TurnEnding) => Promise<boolean>;
  /** Stops the writer. Events that aren't stored yet are dropped. */
  readonly close: () => void;
}

export function createEventWriter(options: EventWriterOptions): EventWriter {
  const { log, writer, gatherMs, heartbeatMs, leaseMs, onStored } = options;
  let pending: TurnEvent[] = [];
  let next = options.first;
  let heldAt = performance.now();
  let isUrgent = false;
  let isEarly = false;
  let state: "open" | "lost" | "closed" = "open";
  let isStopReported = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The average time that the recent appends took. */
  let appendMs = 0;
  /** The number of tasks that run or wait. */
  let tasks = 0;
  let work: Promise<unknown> = Promise.resolve();

  const isOpen = (): boolean => state === "open";
  const finish = (how: "lost" | "closed"): void => {
    if (!isOpen()) return;
    state = how;
    pending = [];
    clearTimeout(timer);
    clearInterval(heartbeat);
    end();
    if (how === "lost") options.onLost();
  };

  let end = (): void => {};
  /** Resolves when the lease is lost or the writer is closed. After that, callers must not wait for a store that never answers. */
  const isOver = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  const unlessOver = <T>(task: Promise<T>): Promise<T | undefined> => Promise.race([task, isOver]);

  /**
   * Calls the log, and retries transient failures while the lease lasts. Resolves with `true` if the lease is still held, and with
   * `false` if it is lost.
   */
  async function call(make: () => Promise<Result<WriterAnswer>>): Promise<boolean> {
    for (let attempt = 1; isOpen(); attempt++) {
      const began = performance.now();
      const answer = await make().catch(thrownInto);
      if (answer.success) {
        if (!answer.data.held) break;
        heldAt = began;
        if (answer.data.stopRequested && !isStopReported) {
          isStopReported = true;
          options.onStop();
        }
        return true;
      }
      const delayMs = backoffDelayMs(attempt, { baseDelayMs: 50, maxDelayMs: 1_000 });
      const isTooLate = performance.now() + delayMs - heldAt >= leaseMs;
      if (!answer.error.retryable || isTooLate) break;
      await unlessOver(new Promise((resolve) => setTimeout(resolve, delayMs)));
    }
    finish("lost");
    return false;
  }

  /** Adds an event to the waiting events. Joins a piece of a reply with the last event if that is the piece before it. */
  function add(event: TurnEvent): void {
    const last = pending.at(-1);
    const canGrow = last !== undefined && isGrowing(last) && wordsOf(last).length < MAX_PIECE_CHARACTERS;
    const joined = canGrow && isGrowing(event) ? joinedPiece(last, event) : undefined;
    if (joined === undefined) pending.push(event);
    else pending[pending.length - 1] = joined;
  }

  /** Removes the oldest waiting events, as many as fit into one append, and returns them. */
  function takeGroup(): readonly EncodedEvent[] {
    const group: EncodedEvent[] = [];
    let characters = 0;
    for (const event of pending) {
      if (group.length === MAX_GROUP_EVENTS || characters >= MAX_GROUP_CHARACTERS) break;
      const encoded = encodeEvent(event);
      characters += encoded.text.length;
      group.push(encoded);
    }
    pending = pending.slice(group.length);
    return group;
  }

  async function append(group: readonly EncodedEvent[], end?: TurnEnding): Promise<boolean> {
    const first = next;
    const events = group.map(({ text }) => text);
    const appended = { writer, first, events, ...(end === undefined ? {} : { end }) };
    const began = performance.now();
    const held = await call(() => log.append(appended));
    if (!held) return false;
    appendMs += (performance.now() - began - appendMs) / RECENT_APPENDS;
    next = first + group.length;
    if (group.length > 0) onStored(first, group);
    return true;
  }

  async function storeAll(): Promise<boolean> {
    isUrgent = false;
    while (pending.length > 0 && isOpen()) {
      if (!(await append(takeGroup()))) return false;
      if (pending.length > 0 && !isUrgent) break;
      isUrgent = false;
    }
    return isOpen();
  }

  async function storeWithEnd(last: TurnEvent, ending: TurnEnding): Promise<boolean> {
    add(last);
    while (isOpen()) {
      const group = takeGroup();
      const isLast = pending.length === 0;
      if (!(await append(group, isLast ? ending : undefined))) return false;
      if (isLast) return true;
    }
    return false;
  }

  /** Runs the task after all earlier tasks have ended, and after the events of this moment have been added. */
  function enqueue<T>(task: () => Promise<T>): Promise<T> {
    tasks += 1;
    const done = work.then(async () => {
      try {
        return await task();
      } finally {
        tasks -= 1;
        schedule();
      }
    });
    work = done.catch(() => undefined);
    return done;
  }

  function store(): void {
    clearTimeout(timer);
    timer = undefined;
    if (tasks === 0) void enqueue(storeAll);
  }

  function schedule(): void {
    if (!isOpen() || !isEarly || pending.length === 0 || tasks > 0) return;
    if (isUrgent) store();
    // Appends that wait for each other don't make events any faster, so a busy store or process gets fewer and larger ones.
    else timer ??= setTimeout(store, Math.max(gatherMs, 2 * appendMs));
  }

  function storeEarly(): void {
    isEarly = true;
    schedule();
  }

  function beat(): void {
    const sinceMs = performance.now() - heldAt;
    // A call that never answers must not keep a run alive that another process has taken over.
    if (sinceMs >= leaseMs) finish("lost");
    else if (tasks === 0 && sinceMs >= heartbeatMs) {
      // Readers in other processes follow a long turn.
      storeEarly();
      void enqueue(pending.length > 0 ? storeAll : () => call(() => log.renew(writer)));
    }
  }
  const heartbeat = setInterval(beat, Math.max(1, heartbeatMs / 4));

  async function flush(): Promise<boolean> {
    while (isOpen() && pending.length > 0) {
      isUrgent = true;
      await unlessOver(enqueue(storeAll));
    }
    await unlessOver(work);
    return isOpen();
  }

  return {
    push: (event) => {
      if (!isOpen()) return;
      add(event);
      isUrgent ||= isWaitedFor(event);
      isEarly ||= event.type === "tool_start";
      schedule();
    },
    storeEarly,
    flush,
    end: async (last, ending) => {
      const ended = await unlessOver(enqueue(() => storeWithEnd(last, ending)));
      if (ended) finish("closed");
      return ended === true;
    },
    close: () => finish("closed"),
  };
}

const thrownInto = (): Result<never> =>
  createFailure(createMemoryStorageError("append", "the turn log threw", { retryable: true }));

/**
 * Checks whether an event is stored immediately because readers wait for it. Pieces of a reply and diagnostic events are
 * gathered. The event `turn_start` needn't be stored for readers to know it, and the final reply is stored with the end
 * that follows it.
 */
function isWaitedFor(event: TurnEvent): boolean {
  if (event.type === "message") return (event.message.tool_calls ?? []).length > 0;
  if (event.type === "inner") return isWaitedFor(event.event);
  return !GATHERED.has(event.type);
}

const GATHERED: ReadonlySet<TurnEvent["type"]> = new Set([
  "turn_start",
  "text",
  "reasoning",
  "part",
  "tool_arguments",
  "context",
  "model_call",
]);
