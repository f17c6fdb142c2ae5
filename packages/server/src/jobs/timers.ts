import type { Timer, Timers } from "@jaf/memory";
import { createMemoryStorageError } from "@jaf/memory/internal";
import type {
  ConversationTimer,
  SetTimerResult,
  TimerRequest,
  TimerService,
} from "../turns/timer-service.ts";
import { invalid, storeRefusal, TurnStoreError } from "../turns/turn-errors.ts";
import { decodeTimer, encodeTimer, shownTimer } from "./timer-content.ts";
import { nextTime, type Schedule, scheduleIssue } from "./timer-schedule.ts";

// The inbox's key holds the id and a time, and has at most 255 units.
const MAX_ID = 200;
const MAX_MESSAGE = 10_000;

/** Opens the service with which timers are set, listed and removed. */
export function openTimers(timers: Timers): TimerService {
  async function set(request: TimerRequest): Promise<SetTimerResult> {
    const now = new Date();
    const { identity, conversationId, timerId, agentName, message } = request;
    const schedule = "cron" in request ? scheduleOf(request) : undefined;
    const issue = issueOf(request) ?? (schedule && scheduleIssue(schedule, now));
    if (issue !== undefined) return refused(invalid(`Invalid timer: ${issue}.`));
    const at = "at" in request ? request.at : schedule && nextTime(schedule, now);
    if (!at) return refused(invalid("Invalid timer: at: expected a time."));
    const content = { identity, agentName, message, schedule };
    const timer = { conversationId, timerId, userId: identity.userId, at };
    const stored = await timers.set({ ...timer, content: encodeTimer(content) });
    if (!stored.success) return refused(storeRefusal(stored.error));
    if (stored.data === "full")
      return refused(invalid("The user has the maximum number of timers. Remove one first."));
    return { set: true, timer: shownTimer(timer, content) };
  }

  return {
    set: (request) =>
      set(request).catch((thrown: unknown) => {
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
    remove: async (timer) => {
      const removed = await timers.remove(timer);
      if (!removed.success) throw new TurnStoreError(removed.error);
      return removed.data;
    },
  };
}

const refused = (refusal: Extract<SetTimerResult, { set: false }>["refusal"]): SetTimerResult => ({
  ...{ set: false, refusal },
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
