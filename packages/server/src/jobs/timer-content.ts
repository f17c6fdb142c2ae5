import type { Timer } from "@jaf/memory";
import * as z from "zod";
import type { ConversationTimer } from "../turns/timer-service.ts";
import type { Identity } from "../turns/turn-service.ts";
import type { Schedule } from "./timer-schedule.ts";

/** The format of a timer's content: the field `format`. */
const FORMAT = 1;

const schema = z.object({
  format: z.literal(FORMAT),
  identity: z.looseObject({ userId: z.string() }),
  agentName: z.string(),
  message: z.string(),
  schedule: z.object({ cron: z.string(), timeZone: z.string() }).optional(),
});

/** What the server stores with a timer, so that any process can begin a turn with its message. */
export interface TimerContent {
  readonly identity: Identity;
  readonly agentName: string;
  readonly message: string;
  /** Absent: the timer is due once. */
  readonly schedule?: Schedule | undefined;
}

export const encodeTimer = (content: TimerContent): string => JSON.stringify({ format: FORMAT, ...content });

/** Decodes the content of a timer. Returns `undefined` if this release can't read it. */
export function decodeTimer({ content }: Pick<Timer, "content">): TimerContent | undefined {
  try {
    return schema.safeParse(JSON.parse(content)).data;
  } catch {
    return undefined;
  }
}

/** Returns a timer as users see it: without the identity. */
export const shownTimer = (
  { conversationId, timerId, at }: Omit<Timer, "content">,
  { message, agentName, schedule }: TimerContent,
): ConversationTimer => ({ conversationId, timerId, at, ...schedule, message, agentName });
