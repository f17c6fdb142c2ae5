import { describeTimersConformance } from "@jaf/memory/testing";
import { afterAll } from "vitest";
import { createRedisTimers } from "../../src/index.ts";
import { type Opened, openers } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

/** Runs the kit of timers on clients of one kind, which are reused by all tests. */
export function describeTimersOn(name: keyof typeof openers): void {
  const opened: Promise<Opened>[] = [];
  afterAll(async () => void (await Promise.all(opened.map(async (one) => (await one).end()))));
  const connection = (index: number): Promise<Opened> => {
    opened[index] ??= openers[name]();
    return opened[index];
  };
  describeTimersConformance({
    name: `redis, ${name}`,
    createTimers: async () => {
      const keyPrefix = freshPrefix();
      let used = 0;
      const connect = async () => createRedisTimers((await connection(used++)).client, { keyPrefix });
      return { timers: await connect(), connect, dispose: async () => {} };
    },
  });
}
