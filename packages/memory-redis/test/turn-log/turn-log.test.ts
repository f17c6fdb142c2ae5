import { canBegin } from "@jaf/memory/internal";
import { createClient } from "redis";
import { expect, inject, it, onTestFinished } from "vitest";
import { createRedisProvider, createRedisTurnLog } from "../../src/index.ts";
import { openers } from "../support/clients.ts";
import { freshPrefix } from "../support/stores.ts";
import { describeTurnLogOn } from "../support/turn-log.ts";

describeTurnLogOn("node-redis");

const turn = { conversationId: "a{b}%", userId: "user:{x}", turnId: "t}1", request: "{}" };
const times = { leaseSeconds: 60, keepSeconds: 600 };

async function keysUnder(prefix: string): Promise<readonly string[]> {
  const client = createClient({ url: inject("redisUrl") });
  await client.connect();
  const keys: string[] = [];
  for await (const found of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) keys.push(...found);
  await client.close();
  return keys.map((key) => key.slice(prefix.length)).sort();
}

it("leaves no key after a turn is erased, and all keys expire until then", async () => {
  const keyPrefix = freshPrefix();
  const { client, end } = await openers["node-redis"]();
  onTestFinished(async () => void (await end()));
  const log = createRedisTurnLog({ keyPrefix }, client);
  const begun = await log.begin({ ...turn, ...times });
  if (!begun.success || !begun.data.begun) throw new Error("It has not begun.");
  const { writer } = begun.data;
  await log.append({ writer, first: 0, events: ["{}", "{}"] });
  const keys = await keysUnder(keyPrefix);
  expect(keys).toHaveLength(6);
  const raw = createClient({ url: inject("redisUrl") });
  await raw.connect();
  for (const key of keys) {
    if (key !== "{turns}:running") expect(await raw.ttl(`${keyPrefix}${key}`)).toBeGreaterThan(0);
  }
  await raw.close();
  expect(await log.deleteUser(turn.userId)).toEqual({ success: true, data: 1 });
  expect(await keysUnder(keyPrefix)).toEqual([]);
});

it("lets a write begin its turns on a Cluster if all keys are in one slot", async () => {
  const { client, end } = await openers["node-redis cluster"]();
  onTestFinished(async () => void (await end()));
  const prefix = freshPrefix();
  const beginning = (keyPrefix: string) =>
    createRedisTurnLog({ keyPrefix }, client).beginning?.({ ...turn, ...times });
  const accepts = async (provided: string, logged: string): Promise<boolean> => {
    const provider = await createRedisProvider({ keyPrefix: provided }, client);
    const prepared = beginning(logged);
    if (prepared?.success !== true) throw new Error("The log prepares no turn.");
    return canBegin(provider, prepared.data);
  };
  expect(beginning(prefix)).toBeUndefined();
  expect(await accepts(`{${prefix}}`, `{${prefix}}log:`)).toBe(true);
  expect(await accepts(`{${prefix}}`, `{${prefix}log}`)).toBe(false);
  expect(await accepts(prefix, `{${prefix}}`)).toBe(false);
});

it("refuses anything but a client", () => {
  expect(() => createRedisTurnLog({}, {} as never)).toThrow(TypeError);
});
