import type { Inbox, Result, Timer, Timers } from "@jaf/memory";
import { MOST_INBOX_ENTRIES } from "@jaf/memory/adapter";
import { sha256, withDeadline } from "@jaf/memory/internal";
import { pause } from "../pause.ts";
import { TurnStoreError } from "../turns/turn-errors.ts";
import type { MessageRequest } from "../turns/turn-service.ts";
import { entryOf } from "./inbox-message.ts";
import type { InboxTurns } from "./inbox-turns.ts";
import { decodeTimer, type TimerContent } from "./timer-content.ts";
import { nextTime } from "./timer-schedule.ts";
import { createTimerTurns } from "./timer-turns.ts";
import { ownsConversation } from "./timers.ts";
import type { TurnSettings } from "./turn-options.ts";

/** How many due timers a search asks for. */
const SEARCHED = 100;
/** How many of them are handled at the same time. */
const MOST_AT_ONCE = 16;
/** How long the search waits for the stores to handle a timer, in ms. */
const LATE_MS = 10_000;
const MAX_REPORTED = 100;
/** The length of a time as an ISO 8601 text. */
const TIME_LENGTH = 24;
const HASH_LENGTH = 12;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 600_000;

interface TimerSearchOptions<Ctx> {
  readonly timers: Timers;
  readonly settings: TurnSettings<Ctx>;
  readonly inbox: Inbox;
  readonly goOn: InboxTurns["goOn"];
  readonly signal: AbortSignal;
}

/** A timer that is due, and that couldn't be handled. */
interface Failed {
  readonly tries: number;
  readonly notBefore: number;
}

/**
 * Searches every `recoverMs` for timers that are due, and puts their messages into the inboxes of their conversations.
 * The turns begin in the background, so no timer waits for another. Each failure is reported once, and later searches try
 * again. The timer of a conversation that is gone is erased. Resolves once `signal` is aborted and the search has ended.
 */
export function startTimerSearch<Ctx>({
  timers,
  settings,
  inbox,
  goOn,
  signal,
}: TimerSearchOptions<Ctx>): Promise<void> {
  const { recoverMs, onError } = settings;
  const beginTurns = createTimerTurns({ goOn, onError, signal });
  const failed = new Map<string, Failed>();
  /** The messages of the failures that were reported since all was well. */
  const reported = new Set<string>();

  function report(thrown: unknown): void {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (reported.has(message)) return;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.add(message);
    onError(thrown);
  }

  /** Returns whether the last message of a schedule still waits, e.g. because calls wait for the user. */
  async function stillWaits({ conversationId, timerId }: Timer): Promise<boolean> {
    const found = unwrap(await inbox.read({ conversationId, limit: MOST_INBOX_ENTRIES }));
    const prefix = keyPrefix(timerId);
    const length = prefix.length + TIME_LENGTH + 1 + HASH_LENGTH;
    // The id of another timer can begin with this one's.
    return found.some(({ key }) => key.startsWith(prefix) && key.length === length);
  }

  async function fire(timer: Timer): Promise<void> {
    const { conversationId, timerId, userId, at } = timer;
    const move = async (to: Date | null) =>
      unwrap(await timers.advance({ conversationId, timerId, from: at, to }));
    if (!(await ownsConversation(settings.provider, timer))) {
      await move(null);
      return;
    }
    const content = decodeTimer(timer);
    if (content === undefined) throw new Error("A timer can't be read, e.g. because a newer release set it.");
    const { schedule } = content;
    // After the store's time, by which the timer was due, also if this process's clock is slow.
    const now = new Date(Math.max(Date.now(), at.getTime()));
    const next = schedule === undefined ? "none" : nextTime(schedule, now);
    if (next === "unknown")
      throw new Error("A schedule's pattern or time zone is unknown, e.g. because a newer release set it.");
    const isSaid = schedule === undefined || !(await stillWaits(timer));
    if (isSaid) unwrap(await inbox.put(entryOf(messageOf(timer, content))));
    await move(next === "none" ? null : next);
    if (isSaid) beginTurns({ userId, conversationId });
  }

  /** Returns whether more timers are due now. */
  async function search(): Promise<boolean> {
    // Timers that fail stay due, and mustn't keep the search from the others.
    const limit = SEARCHED + failed.size;
    const due = unwrap(await timers.due(limit));
    const listed = new Set(due.map(nameOf));
    for (const name of failed.keys()) if (!listed.has(name)) failed.delete(name);
    let fired = 0;
    await each(shuffled(due), async (timer) => {
      const name = nameOf(timer);
      const before = failed.get(name);
      if (signal.aborted || (before?.notBefore ?? 0) > performance.now()) return;
      try {
        await withDeadline(fire(timer), { timeoutMs: LATE_MS });
        fired += 1;
        failed.delete(name);
      } catch (thrown) {
        report(thrown);
        const tries = before?.tries ?? 0;
        const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
        failed.set(name, { tries: tries + 1, notBefore: performance.now() + delayMs });
      }
    });
    if (failed.size === 0) reported.clear();
    return due.length === limit && fired > 0;
  }

  async function loop(everyMs: number): Promise<void> {
    while (!signal.aborted) {
      const isMoreDue = await search().catch(report);
      // Random intervals: processes that started together don't search at the same time.
      if (isMoreDue !== true) await pause(everyMs * (0.5 + Math.random()), signal);
    }
  }

  return recoverMs === false ? Promise.resolve() : loop(recoverMs);
}

const keyPrefix = (timerId: string): string => `timer:${timerId}:`;

function messageOf(
  { conversationId, timerId, at, content: text }: Timer,
  content: TimerContent,
): MessageRequest {
  const { identity, agentName, message } = content;
  const time = at.toISOString();
  return {
    ...{ identity, conversationId, agentName, from: "timer" },
    // The model needs the id to cancel the timer, and the time because it has no clock.
    message: `Timer ${JSON.stringify(timerId)}, due at ${time}:\n${message}`,
    // With the hash, a timer that is set again for the same time says its new text, too.
    key: `${keyPrefix(timerId)}${time}:${sha256(text, "hex").slice(0, HASH_LENGTH)}`,
  };
}

const nameOf = ({ conversationId, timerId, at }: Timer): string =>
  JSON.stringify([conversationId, timerId, at.getTime()]);

function unwrap<T>(result: Result<T>): T {
  if (result.success) return result.data;
  throw new TurnStoreError(result.error);
}

/** Runs a task for each item, for some at the same time. */
async function each<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await task(item);
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
}

/** Processes that search at the same time begin with different timers. */
const shuffled = <T>(items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
