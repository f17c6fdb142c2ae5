import { describeInboxConformance } from "@jaf/memory/testing";
import { afterAll } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import { createInboxKeys } from "../../src/inbox/keys.ts";
import { createRedisInbox } from "../../src/index.ts";
import { list, lua } from "../../src/lua.ts";
import { type Opened, openers } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

/** Makes the known keys of an inbox older. */
const ageKeys = lua`
for _, key in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('ZINCRBY', KEYS[1], -ARGV[1], key) end
`;

/** Makes the keys of all inboxes that wait, and of the conversation `c`, older by this number of seconds. */
export async function ageInboxes(
  client: Opened["client"],
  keyPrefix: string,
  seconds: number,
): Promise<void> {
  const port = adaptClient(client);
  const keys = createInboxKeys(keyPrefix);
  const waiting = list(await port.send(["ZRANGE", keys.waiting, "0", "-1"], keys.waiting)).map(String);
  for (const conversationId of new Set(["c", ...waiting])) {
    const [, , known] = keys.of(conversationId);
    await port.send(["EVAL", ageKeys, "1", known, String(seconds * 1_000_000)], known);
  }
}

/** Runs the kit of an inbox on clients of one kind, which are reused by all tests. */
export function describeInboxOn(name: keyof typeof openers): void {
  const opened: Promise<Opened>[] = [];
  afterAll(async () => void (await Promise.all(opened.map(async (one) => (await one).end()))));
  const connection = (index: number): Promise<Opened> => {
    opened[index] ??= openers[name]();
    return opened[index];
  };
  describeInboxConformance({
    name: `redis, ${name}`,
    createInbox: async () => {
      const keyPrefix = freshPrefix();
      let used = 0;
      const connect = async () => createRedisInbox({ keyPrefix }, (await connection(used++)).client);
      const { client } = await connection(0);
      return {
        ...{ inbox: await connect(), connect },
        age: (seconds) => ageInboxes(client, keyPrefix, seconds),
        dispose: async () => {},
      };
    },
  });
}
