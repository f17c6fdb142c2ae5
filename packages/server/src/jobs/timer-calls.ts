import type { WrapToolCall } from "@jaf/core";
import { type OwnTimer, type OwnTimers, withOwnTimers } from "../tools/own-timers.ts";
import type { SetTimerResult, TimerService } from "../turns/timer-service.ts";
import { invalid } from "../turns/turn-errors.ts";
import type { JobOptions, JobParts } from "./job.ts";

/** How many timers a conversation may have when an agent sets one. */
const MOST_TIMERS = 20;

/**
 * Returns the hook that gives the timer tools the timers of the turn's conversation. So no argument of a tool can name
 * another conversation or user. Returns `undefined` if the server has no timers.
 */
export function timerCalls<Ctx>({ options }: JobParts<Ctx>): WrapToolCall<Ctx> | undefined {
  const { timers } = options.scope;
  if (timers === undefined) return undefined;
  const own = ownTimers(timers, options);
  return ({ args, toolName }, next) => next({ args: withOwnTimers(args, toolName, own) });
}

type Turn = Pick<JobOptions<never>, "request" | "conversationId">;

function ownTimers(service: TimerService, { request, conversationId }: Turn): OwnTimers {
  const { identity, agentName } = request;
  const { userId } = identity;
  const list = () => service.list({ userId, conversationId });

  async function set(timer: OwnTimer): Promise<SetTimerResult> {
    const others = (await list()).filter(({ timerId }) => timerId !== timer.timerId);
    if (others.length < MOST_TIMERS) return service.set({ ...timer, identity, conversationId, agentName });
    const refusal = invalid(`The conversation has ${MOST_TIMERS} timers. Cancel one first.`);
    return { set: false, refusal };
  }

  let last: Promise<unknown> = Promise.resolve();
  return {
    // One after another, so parallel calls can't exceed the maximum.
    set: (timer) => {
      const setting = last.then(() => set(timer));
      last = setting.catch(() => undefined);
      return setting;
    },
    list,
    remove: (timerId) => service.remove({ conversationId, timerId }),
  };
}
