import type { ConversationTimer as ServerTimer } from "../turns/timer-service.ts";
import type { CallOptions, Http, Serialized } from "./http.ts";

/** A timer of a conversation, with times as ISO 8601 strings. */
export interface ConversationTimer extends Serialized<ServerTimer> {}

/** What a timer says, and when: either `at`, or `cron` with or without `timeZone`. */
export interface SetTimerRequest {
  /** What the timer says to the agent. 1 to 10,000 characters. */
  readonly message: string;
  /** When the timer is due, once: a date, or a time in ISO 8601 with its offset. A time in the past is due at once. */
  readonly at?: Date | string;
  /** When it is due again and again: a cron pattern of five fields, e.g. `"0 9 * * 1-5"`. */
  readonly cron?: string;
  /** The time zone of `cron`, e.g. `"Europe/Paris"`. Default `"UTC"`. */
  readonly timeZone?: string;
  /** The agent that begins a turn with the message, if none is running. Default: the server's default agent. */
  readonly agentName?: string;
}

/**
 * Sets, lists and removes reminders and schedules. When a timer is due, its message is put into the conversation's
 * inbox. All methods reject with code `"not-configured"` if the server has no timers.
 */
export interface TimerMethods {
  /**
   * Sets a timer of a conversation. Replaces the timer that has this id. `timerId`: 1 to 200 characters, unique in the
   * conversation.
   */
  readonly set: (
    conversationId: string,
    timerId: string,
    request: SetTimerRequest,
  ) => Promise<{ readonly timer: ConversationTimer }>;
  /**
   * Returns the timers of the user, or only those of a conversation; the one that is due first comes first. `limit`: 1
   * to 1,000 timers, default 100.
   */
  readonly list: (
    query?: { readonly conversationId?: string; readonly limit?: number },
    options?: CallOptions,
  ) => Promise<{ readonly timers: readonly ConversationTimer[] }>;
  /** Removes a timer. Returns whether there was one. */
  readonly remove: (conversationId: string, timerId: string) => Promise<{ readonly removed: boolean }>;
}

export function timerMethods(http: Http): TimerMethods {
  const timersOf = (conversationId: string) => `/conversations/${encodeURIComponent(conversationId)}/timers`;
  const pathOf = (conversationId: string, timerId: string) =>
    `${timersOf(conversationId)}/${encodeURIComponent(timerId)}`;
  return {
    set: (conversationId, timerId, body) =>
      http.call(pathOf(conversationId, timerId), { method: "PUT", body }),
    list: ({ conversationId, limit } = {}, options) =>
      http.call(conversationId === undefined ? "/timers/pending" : timersOf(conversationId), {
        query: { limit },
        ...options,
      }),
    remove: (conversationId, timerId) => http.call(pathOf(conversationId, timerId), { method: "DELETE" }),
  };
}
