import type { Result, Timer, Timers } from "@jaf/memory";
import { MOST_INBOX_ENTRIES } from "@jaf/memory/adapter";
import { pause } from "../pause.ts";
import { TurnStoreError } from "../turns/turn-errors.ts";
import type { InboxTurns } from "./inbox-turns.ts";
import { decodeTimer, type TimerContent } from "./timer-content.ts";
import { nextTime } from "./timer-schedule.ts";
import type { TurnSettings } from "./turn-options.ts";

/** How many due timers a search asks for. */
const SEARCHED = 100;
const MAX_REPORTED = 100;
/** The length of a time as an ISO 8601 text. */
const TIME_LENGTH = 24;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 600_000;

interface TimerSearchOptions<Ctx> {
  readonly timers: Timers;
  readonly settings: TurnSettings<Ctx>;
  readonly send: InboxTurns["send"];
  readonly signal: AbortSignal;
}

/** A timer that is due, and whose message couldn't be sent. */
interface Failed {
  readonly tries: number;
  readonly notBefore: number;
}

/**
 * Searches every `recoverMs` for timers that are due, and puts their messages into the inboxes of their conversations.
 * Each failure is reported once, and later searches try again. The timer of a conversation that is gone is erased.
 */
export function startTimerSearch<Ctx>({ timers, settings, send, signal }: TimerSearchOptions<Ctx>): void {
  const { recoverMs, onError } = settings;
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

  /** Returns whether the conversation is gone, or is another user's since. */
  async function isGone({ conversationId, userId }: Timer): Promise<boolean> {
    const { conversation } = unwrap(
      await settings.provider.readConversation(conversationId, { messages: "none" }),
    );
    return conversation?.userId !== userId;
  }

  /** Returns whether the last message of a schedule still waits, e.g. because calls wait for the user. */
  async function stillWaits({ conversationId, timerId }: Timer): Promise<boolean> {
    const inbox = settings.config.memory.inbox?.store;
    const found = inbox && unwrap(await inbox.read({ conversationId, limit: MOST_INBOX_ENTRIES }));
    const prefix = keyPrefix(timerId);
    // The id of another timer can begin with this one's.
    const isOwn = (key: string) => key.startsWith(prefix) && key.length === prefix.length + TIME_LENGTH;
    return found?.some(({ key }) => isOwn(key)) === true;
  }

  async function fire(timer: Timer): Promise<void> {
    const { conversationId, timerId, at } = timer;
    const move = async (to: Date | null) =>
      unwrap(await timers.advance({ conversationId, timerId, from: at, to }));
    if (await isGone(timer)) {
      await move(null);
      return;
    }
    const content = decodeTimer(timer);
    if (content === undefined) throw new Error("A timer can't be read, e.g. because a newer release set it.");
    const { schedule } = content;
    if (schedule === undefined || !(await stillWaits(timer))) await say(timer, content);
    // After the store's time, by which the timer was due, also if this process's clock is slow.
    const now = new Date(Math.max(Date.now(), at.getTime()));
    await move(schedule === undefined ? null : nextTime(schedule, now));
  }

  async function say({ conversationId, timerId, at }: Timer, content: TimerContent): Promise<void> {
    const { identity, agentName, message } = content;
    const time = at.toISOString();
    const said = await send({
      ...{ identity, conversationId, agentName, from: "timer" },
      // The model needs the id to cancel the timer, and the time because it has no clock.
      message: `Timer ${JSON.stringify(timerId)}, due at ${time}:\n${message}`,
      key: `${keyPrefix(timerId)}${time}`,
    });
    if (said.sent) return;
    const { cause, message: why } = said.refusal;
    throw cause === undefined ? new Error(why) : new TurnStoreError(cause);
  }

  async function search(): Promise<void> {
    // Timers that fail stay due, and mustn't keep the search from the others.
    const due = unwrap(await timers.due(SEARCHED + failed.size));
    const listed = new Set(due.map(nameOf));
    for (const name of failed.keys()) if (!listed.has(name)) failed.delete(name);
    for (const timer of due) {
      const name = nameOf(timer);
      const before = failed.get(name);
      if (signal.aborted) return;
      if (before !== undefined && before.notBefore > performance.now()) continue;
      try {
        await fire(timer);
        failed.delete(name);
      } catch (thrown) {
        report(thrown);
        const tries = before?.tries ?? 0;
        const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
        failed.set(name, { tries: tries + 1, notBefore: performance.now() + delayMs });
      }
    }
    if (failed.size === 0) reported.clear();
  }

  async function loop(everyMs: number): Promise<void> {
    while (!signal.aborted) {
      await search().catch(report);
      // Random intervals: processes that started together don't search at the same time.
      await pause(everyMs * (0.5 + Math.random()), signal);
    }
  }

  if (recoverMs !== false) void loop(recoverMs);
}

const keyPrefix = (timerId: string): string => `timer:${timerId}:`;

const nameOf = ({ conversationId, timerId, at }: Timer): string =>
  JSON.stringify([conversationId, timerId, at.getTime()]);

function unwrap<T>(result: Result<T>): T {
  if (result.success) return result.data;
  throw new TurnStoreError(result.error);
}
