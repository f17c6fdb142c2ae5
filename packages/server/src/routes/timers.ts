import { present } from "@jaf/memory/internal";
import * as z from "zod";
import { HttpFailure, refusalFailure } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import type { TimerService, TimerTime } from "../turns/timer-service.ts";
import { agentOf } from "./chat.ts";
import { ownConversation } from "./own-conversation.ts";
import { count, id, time } from "./schemas.ts";

const timer = z.object({
  conversationId: z.string(),
  timerId: z.string(),
  at: time.describe("When the timer is next due."),
  cron: z.string().optional().describe("Absent: the timer is due once."),
  timeZone: z.string().optional(),
  message: z.string(),
  agentName: z.string(),
});

const query = z.object({ limit: count(1_000).default(100) });
const answer = z.object({ timers: z.array(timer) });
const failures = ["not-configured"] as const;

const setTimer = operation("put", "/conversations/{conversationId}/timers/{timerId}", {
  summary: "Set a reminder or a schedule, in place of the timer with this id",
  body: z.strictObject({
    message: z.string().min(1).max(10_000).describe("What the timer says to the agent."),
    at: z.iso.datetime({ offset: true }).optional().describe("When the timer is due, once."),
    cron: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('When it is due again and again: a cron pattern of five fields, e.g. "0 9 * * 1-5".'),
    timeZone: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The time zone of cron, e.g. "Europe/Paris". Default "UTC".'),
    agentName: id.optional().describe("The agent that begins a turn with the message, if none is running."),
  }),
  answer: z.object({ timer }),
  failures,
});

const listTimers = operation("get", "/timers/pending", {
  ...{ summary: "List the user's timers, the next one first", query, answer, failures },
});

const listOwnTimers = operation("get", "/conversations/{conversationId}/timers", {
  ...{ summary: "List the timers of a conversation, the next one first", query, answer, failures },
});

const removeTimer = operation("delete", "/conversations/{conversationId}/timers/{timerId}", {
  summary: "Remove a timer",
  answer: z.object({ removed: z.boolean().describe("Whether there was one.") }),
  failures,
});

/** Adds the routes that set, list and remove timers of conversations. */
export function timerRoutes(route: Route, parts: ServerParts): void {
  const { service } = parts;

  function timersOf(): TimerService {
    if (service.timers !== undefined) return service.timers;
    throw new HttpFailure("not-configured", "The server has no timers. Set the server option timers.");
  }

  route(setTimer, async ({ context, userId, conversationId, timerId, body }) => {
    const timers = timersOf();
    const { message, agentName } = body;
    const timer = { conversationId, timerId, message, agentName: agentOf(parts, agentName) };
    const when = timeOf(body);
    await ownConversation(parts, { conversationId, userId });
    const result = await timers.set({ identity: context.get("identity"), ...timer, ...when });
    if (!result.set) throw refusalFailure(result.refusal);
    return { timer: result.timer };
  });

  route(listTimers, async ({ userId, query: { limit } }) => ({
    timers: await timersOf().list({ userId, limit }),
  }));

  route(listOwnTimers, async ({ userId, conversationId, query: { limit } }) => {
    const timers = timersOf();
    await ownConversation(parts, { conversationId, userId });
    return { timers: await timers.list({ userId, conversationId, limit }) };
  });

  route(removeTimer, async ({ userId, conversationId, timerId }) => {
    const timers = timersOf();
    await ownConversation(parts, { conversationId, userId });
    return { removed: await timers.remove({ conversationId, timerId }) };
  });
}

interface GivenTime {
  readonly at?: string | undefined;
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
}

function timeOf({ at, cron, timeZone }: GivenTime): TimerTime {
  if (at !== undefined && cron === undefined && timeZone === undefined) return { at: new Date(at) };
  if (at === undefined && cron !== undefined) return { cron, ...present({ timeZone }) };
  throw new HttpFailure(
    "invalid-request",
    "Invalid body: expected either at, or cron with or without timeZone.",
  );
}
