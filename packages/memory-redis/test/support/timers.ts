import { describeTimersConformance } from "@jaf/memory/testing";
import { afterAll } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import { createRedisTimers } from "../../src/index.ts";
import { list, text } from "../../src/lua.ts";
import { type Opened, openers } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

/** Returns all keys and values of timers as one text. */
async function contentsOf(client: Opened["client"], keyPrefix: string): Promise<string> {
  const port = adaptClient(client);
  const slot = `${keyPrefix}{timers}:due`;
  const keys = list(await port.send(["KEYS", `${keyPrefix}*`], slot)).map(text);
  const values = keys.map((key) =>
    port.send(key.includes(":conversation:") ? ["HGETALL", key] : ["ZRANGE", key, "0", "-1"], key),
  );
  return JSON.stringify([keys, await Promise.all(values)]);
}

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
      const connect = async () => createRedisTimers({ keyPrefix }, (await connection(used++)).client);
      const contents = async () => contentsOf((await connection(0)).client, keyPrefix);
      return { timers: await connect(), connect, contents, dispose: async () => {} };
    },
  });
}
