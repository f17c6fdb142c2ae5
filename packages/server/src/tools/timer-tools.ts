import { createTool, type Tool } from "@jaf/core";
import { sha256 } from "@jaf/memory/internal";
import * as z from "zod";
import type { ConversationTimer, TimerTime } from "../turns/timer-service.ts";
import { type OwnTimers, ownTimersIn, TIMER_TOOLS } from "./own-timers.ts";

const MINUTE_MS = 60_000;
const MINUTES_OF_A_YEAR = 525_600;
const ID_LENGTH = 12;

const setSchema = z.strictObject({
  message: z.string().min(1).max(2_000).describe("What you will be told when the timer is due."),
  at: z
    .string()
    .optional()
    .describe('When, once: a date and time with its offset, e.g. "2027-01-31T09:00:00+01:00".'),
  inMinutes: z
    .number()
    .min(1)
    .max(MINUTES_OF_A_YEAR)
    .optional()
    .describe("When, once: in this many minutes."),
  cron: z
    .string()
    .optional()
    .describe(
      'When, again and again: minute, hour, day of month, month and weekday, e.g. "0 9 * * 1-5" for 9:00 on workdays.',
    ),
  timeZone: z.string().optional().describe('The time zone of cron, e.g. "Europe/Paris". Default "UTC".'),
});

type SetArguments = z.output<typeof setSchema>;

/**
 * Returns tools with which an agent sets, lists and cancels reminders and schedules. They act in the conversation and for
 * the user of the turn in which they are called. An agent can set a timer while its conversation has fewer than 20.
 *
 * They need the server option `timers`. Without it, or outside of a server, each call has an error as its result.
 *
 * @example
 * ```ts
 * import type { Agent } from "@jaf/core";
 * import { timerTools } from "@jaf/server";
 *
 * export const assistant: Agent<unknown, string> = {
 *   name: "assistant",
 *   instructions: "Help the user. Set a timer if the user wants to be reminded.",
 *   tools: timerTools(),
 * };
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: the tools differ in their arguments, and accept any context
export function timerTools<Ctx = any>(): readonly Tool<any, Ctx>[] {
  return [
    createTool({
      name: TIMER_TOOLS.set,
      description:
        "Sets a timer in this conversation: a reminder (at or inMinutes) or a schedule (cron). When it is due, you get its message, and can act on it or tell the user.",
      parameters: setSchema,
      execute: async (args, _context: Readonly<Ctx>, call) => {
        const timers = timersOf(args);
        const now = Date.now();
        const time = timeOf(args, now);
        if (typeof time === "string") return `Not set: ${time} ${clock(now)}`;
        // The same for a call that is repeated after a crash, so it sets no second timer.
        const timerId = idOf(call?.idempotencyKey ?? crypto.randomUUID());
        const result = await timers.set({ ...time, timerId, message: args.message });
        if (result.set) return `Set: ${lineOf(result.timer)}`;
        if (result.refusal.reason === "invalid") return `Not set: ${result.refusal.message} ${clock(now)}`;
        throw new Error(result.refusal.message, { cause: result.refusal.cause });
      },
    }),
    createTool({
      name: TIMER_TOOLS.list,
      description: "Lists the timers of this conversation, and tells the current time.",
      parameters: z.strictObject({}),
      execute: async (args) => {
        const found = await timersOf(args).list();
        const lines = found.length === 0 ? ["There are no timers."] : found.map(lineOf);
        return [clock(Date.now()), ...lines].join("\n");
      },
    }),
    createTool({
      name: TIMER_TOOLS.cancel,
      description: "Cancels a timer of this conversation.",
      parameters: z.strictObject({ timerId: z.string().min(1).max(255) }),
      execute: async (args) =>
        (await timersOf(args).remove(args.timerId)) ? "Cancelled." : "There is no timer with this id.",
    }),
  ];
}

function timersOf(args: object): OwnTimers {
  const timers = ownTimersIn(args);
  if (timers !== undefined) return timers;
  throw new Error("Timers need a server of @jaf/server with the option timers.");
}

/** Returns when the timer is due, or a text for the model that says what is wrong. */
function timeOf({ at, inMinutes, cron, timeZone }: SetArguments, now: number): TimerTime | string {
  if ([at, inMinutes, cron].filter((given) => given !== undefined).length !== 1)
    return "give exactly one of at, inMinutes and cron.";
  if (timeZone !== undefined && cron === undefined) return "timeZone only belongs to cron.";
  if (cron !== undefined) return { cron, ...(timeZone === undefined ? {} : { timeZone }) };
  if (inMinutes !== undefined) return { at: new Date(now + Math.round(inMinutes * MINUTE_MS)) };
  const parsed = z.iso.datetime({ offset: true }).safeParse(at);
  if (!parsed.success)
    return 'at: expected a date and time with its offset, e.g. "2027-01-31T09:00:00+01:00".';
  const time = new Date(parsed.data);
  return time.getTime() > now ? { at: time } : "at: the time is in the past.";
}

const clock = (now: number): string => `It is now ${new Date(now).toISOString()}.`;

const idOf = (key: string): string => sha256(key, "hex").slice(0, ID_LENGTH);

function lineOf({ timerId, at, cron, timeZone, message }: ConversationTimer): string {
  const again = cron === undefined ? "once" : `${JSON.stringify(cron)}, ${timeZone}`;
  return `- timer ${JSON.stringify(timerId)}, due at ${at.toISOString()} (${again}): ${JSON.stringify(message)}`;
}
