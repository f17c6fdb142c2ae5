import type { ConversationTimer, SetTimerResult, TimerTime } from "../turns/timer-service.ts";

/** A timer that an agent sets in its own conversation. */
export type OwnTimer = TimerTime & { readonly timerId: string; readonly message: string };

/** The timers of the conversation in which a tool is called, for the user and the agent of the turn. */
export interface OwnTimers {
  readonly set: (timer: OwnTimer) => Promise<SetTimerResult>;
  readonly list: () => Promise<readonly ConversationTimer[]>;
  readonly remove: (timerId: string) => Promise<boolean>;
}

/** The names of the timer tools. */
export const TIMER_TOOLS = { set: "set_timer", list: "list_timers", cancel: "cancel_timer" } as const;

const NAMES: readonly string[] = Object.values(TIMER_TOOLS);

/** The key under which the arguments of a timer tool's call hold the timers. A model can't write it. */
// A process can load both the ES module and the CommonJS module.
const OWN_TIMERS = Symbol.for("@jaf/server/own-timers");

/** Adds the timers to the arguments of a timer tool's call. Returns other arguments unchanged. */
export const withOwnTimers = (args: unknown, toolName: string, timers: OwnTimers): unknown =>
  NAMES.includes(toolName) && typeof args === "object" && args !== null
    ? { ...args, [OWN_TIMERS]: timers }
    : args;

/** Returns the timers that a call's arguments hold; `undefined` if the server added none. */
export const ownTimersIn = (args: object): OwnTimers | undefined =>
  (args as { readonly [OWN_TIMERS]?: OwnTimers })[OWN_TIMERS];
