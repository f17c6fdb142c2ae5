import type { Timer, TimerName, Timers, VersionedMemoryProvider } from "@jaf/memory";
import { MOST_TIMERS } from "@jaf/memory/adapter";
import { createMemoryStorageError } from "@jaf/memory/internal";
import type {
  ConversationTimer,
  SetTimerResult,
  TimerRequest,
  TimerService,
} from "../turns/timer-service.ts";
import { invalid, refusal, storeRefusal, TurnStoreError } from "../turns/turn-errors.ts";
import { decodeTimer, encodeTimer, shownTimer } from "./timer-content.ts";
import { nextTime, type Schedule, scheduleIssue } from "./timer-schedule.ts";

// The inbox's key holds the id, a time and a hash, and has at most 255 units.
const MAX_ID = 200;
const MAX_MESSAGE = 10_000;
/** How many schedules a user may have: each can begin a turn every minute. */
const MOST_SCHEDULES = 100;

/** Opens the service with which timers are set, listed and removed. */
export function openTimers(timers: Timers, provider: VersionedMemoryProvider): TimerService {
  /** Returns how many other schedules the user has. */
  async function otherSchedules({ userId, conversationId, timerId }: Owned & TimerName): Promise<number> {
    const found = await timers.find({ userId, limit: MOST_TIMERS });
    if (!found.success) throw new TurnStoreError(found.error);
    return found.data.filter(
      (other) =>
        (other.conversationId !== conversationId || other.timerId !== timerId) &&
        decodeTimer(other)?.schedule !== undefined,
    ).length;
  }

  async function set(request: TimerRequest): Promise<SetTimerResult> {
    const now = new Date();
    const { identity, conversationId, timerId, agentName, message } = request;
    const schedule = "cron" in request ? scheduleOf(request) : undefined;
    const issue = issueOf(request) ?? (schedule && scheduleIssue(schedule, now));
    if (issue !== undefined) return refused(invalid(`Invalid timer: ${issue}.`));
    const at = "at" in request ? request.at : schedule && nextTime(schedule, now);
    if (!(at instanceof Date)) return refused(invalid("Invalid timer: at: expected a time."));
    const content = { identity, agentName, message, schedule };
    const timer = { conversationId, timerId, userId: identity.userId, at };
    // Requests at the same time can exceed this maximum, but not that of all timers.
    if (schedule !== undefined && (await otherSchedules(timer)) >= MOST_SCHEDULES)
      return refused(invalid(`The user has ${MOST_SCHEDULES} schedules. Remove one first.`));
    const stored = await timers.set({ ...timer, content: encodeTimer(content) });
    if (!stored.success) return refused(storeRefusal(stored.error));
    if (stored.data === "full")
      return refused(invalid("The user has the maximum number of timers. Remove one first."));
    // Its conversation may have been deleted since the caller's check.
    if (!(await ownsConversation(provider, timer))) {
      await remove(timer);
      return refused(refusal("not-found"));
    }
    return { set: true, timer: shownTimer(timer, content) };
  }

  async function remove({ conversationId, timerId }: TimerName): Promise<boolean> {
    const removed = await timers.remove({ conversationId, timerId });
    if (!removed.success) throw new TurnStoreError(removed.error);
    return removed.data;
  }

  return {
    set: (request) =>
      set(request).catch((thrown: unknown) => {
        if (thrown instanceof TurnStoreError) return refused(storeRefusal(thrown.error));
        const cause = thrown instanceof Error ? thrown : undefined;
        const error = createMemoryStorageError("set", "the store of timers threw", {
          retryable: true,
          ...(cause && { cause }),
        });
        return refused(storeRefusal(error));
      }),
    list: async (query) => {
      const found = await timers.find(query);
      if (!found.success) throw new TurnStoreError(found.error);
      return found.data.flatMap((timer) => shown(timer) ?? []);
    },
    remove,
  };
}

interface Owned {
  readonly conversationId: string;
  readonly userId: string;
}

/** Returns whether the conversation exists and is the user's. */
export async function ownsConversation(
  provider: VersionedMemoryProvider,
  { conversationId, userId }: Owned,
): Promise<boolean> {
  const read = await provider.readConversation(conversationId, { messages: "none" });
  if (!read.success) throw new TurnStoreError(read.error);
  return read.data.conversation?.userId === userId;
}

const refused = (why: Extract<SetTimerResult, { set: false }>["refusal"]): SetTimerResult => ({
  ...{ set: false, refusal: why },
});

const scheduleOf = ({ cron, timeZone = "UTC" }: { readonly cron: string; readonly timeZone?: string }) =>
  ({ cron, timeZone }) satisfies Schedule;

function issueOf({ timerId, message }: TimerRequest): string | undefined {
  if (timerId.length > MAX_ID) return `timerId: expected at most ${MAX_ID} characters`;
  return message === "" || message.length > MAX_MESSAGE
    ? `message: expected a text of 1 to ${MAX_MESSAGE} characters`
    : undefined;
}

function shown(timer: Timer): ConversationTimer | undefined {
  const content = decodeTimer(timer);
  return content && shownTimer(timer, content);
}
