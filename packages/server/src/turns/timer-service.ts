import type { Identity } from "./identity.ts";
import type { TurnRefusal } from "./refusal.ts";

/** When a timer is due: once, or again and again. */
export type TimerTime =
  /** Once at this time. A time in the past is due at once. */
  | { readonly at: Date }
  /**
   * At the times of a cron pattern of five fields (minute, hour, day, month, weekday), e.g. `"0 9 * * 1-5"`, or of
   * `"@yearly"`, `"@monthly"`, `"@weekly"`, `"@daily"` or `"@hourly"`. Fields have numbers, `*`, `,`, `-`, `/` and names,
   * e.g. `mon-fri`. `timeZone`: an IANA name, e.g. `"Europe/Paris"`. Default `"UTC"`.
   */
  | { readonly cron: string; readonly timeZone?: string };

/** A timer to set. */
export type TimerRequest = TimerTime & {
  /** The user who owns the conversation, and for whom the timer's turns run. */
  readonly identity: Identity;
  /**
   * The id of a conversation of the user. The caller must check that the user owns it: `set` only notices afterwards that
   * the conversation is gone, and then removes the timer.
   */
  readonly conversationId: string;
  /** Unique in the conversation: 1 to 200 UTF-16 units. A timer with the same id is replaced. */
  readonly timerId: string;
  /** Name of the agent that begins a turn with the message, if none is running. */
  readonly agentName: string;
  /** What the timer says to the agent. 1 to 10,000 UTF-16 units. */
  readonly message: string;
};

/** A timer of a conversation. */
export interface ConversationTimer {
  readonly conversationId: string;
  readonly timerId: string;
  /** When the timer is next due. */
  readonly at: Date;
  /** The cron pattern. Absent: the timer is due once. */
  readonly cron?: string;
  /** The time zone of `cron`. */
  readonly timeZone?: string;
  readonly message: string;
  readonly agentName: string;
}

/** The result of setting a timer. `set`: whether the timer is stored. If not, `refusal` says why. */
export type SetTimerResult =
  | { readonly set: true; readonly timer: ConversationTimer }
  | { readonly set: false; readonly refusal: TurnRefusal };

/**
 * Reminders and schedules of conversations. When a timer is due, its message is put into the conversation's inbox: the
 * running turn takes it, or it begins a turn. `list` and `remove` reject with an `Error` if the store fails.
 */
export interface TimerService {
  /** Refuses more than 1,000 timers of a user, and more than about 100 schedules among them. */
  readonly set: (request: TimerRequest) => Promise<SetTimerResult>;
  /** Returns the user's timers, or only those of a conversation; the one that is due first comes first. */
  readonly list: (query: {
    readonly userId: string;
    readonly conversationId?: string;
    /** The maximum number of timers to return. Default 100. */
    readonly limit?: number;
  }) => Promise<readonly ConversationTimer[]>;
  /**
   * Removes a timer. Resolves with whether there was one. The caller must check that the user owns the conversation:
   * `remove` doesn't.
   */
  readonly remove: (timer: { readonly conversationId: string; readonly timerId: string }) => Promise<boolean>;
}
