import { runInbox } from "@jaf/core";
import { createInMemoryInbox, createInMemoryTimers, type Inbox, type Timers } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type { TimerRequest } from "../../src/turns/timer-service.ts";
import {
  ask,
  begin,
  createScriptedModel,
  createTestService,
  createWorld,
  messagesOf,
  type ServiceOptions,
  type World,
} from "./turn-fixtures.ts";

export const HOUR_MS = 3_600_000;
export const identity = { userId: "ada" };

interface Stores {
  readonly world?: World;
  readonly inbox?: Inbox;
  readonly timers?: Timers;
}

/** A service whose timers are due by a clock that the test moves. */
export async function startWithTimers(
  replies: readonly string[],
  stores: Stores = {},
  more: ServiceOptions = {},
) {
  const clock = { now: Date.now() };
  const world = stores.world ?? createWorld();
  const inbox = stores.inbox ?? createInMemoryInbox();
  const timers = stores.timers ?? createInMemoryTimers({ now: () => clock.now });
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const startService = (said: readonly string[]) => {
    const modelProvider = createScriptedModel<unknown>(said);
    const memory = { provider: world.provider, autoStore: true, inbox: runInbox(inbox) };
    const config = { modelProvider, memory, ...more.config };
    return createTestService(world, modelProvider, { timers, recoverMs: 20, onError, ...more, config });
  };
  const service = startService(replies);
  const { conversationId, ended } = await begin(service, ask("Hi."));
  await ended;
  const set = async (timer: Partial<TimerRequest> & object) => {
    const common = { identity, conversationId, timerId: "t", agentName: "clerk", message: "Drink!" };
    const result = await service.timers?.set({ ...common, ...timer } as TimerRequest);
    if (result?.set !== true) throw new Error(JSON.stringify(result));
    return result.timer;
  };
  const list = () => service.timers?.list(identity);
  const said = async () => (await messagesOf(world, conversationId)).map(messageText);
  return {
    ...{ clock, world, inbox, timers, errors, service, startService },
    conversationId,
    set,
    list,
    said,
  };
}
