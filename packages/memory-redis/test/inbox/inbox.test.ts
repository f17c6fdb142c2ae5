import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createInboxKeys } from "../../src/inbox/keys.ts";
import { createRedisInbox } from "../../src/index.ts";
import { ageInboxes, describeInboxOn } from "../support/inbox.ts";
import { freshPrefix } from "../support/stores.ts";

describeInboxOn("node-redis");

const entry = { conversationId: "a{b}%", userId: "user:{x}", key: "k", content: "x" };
const DAY_S = 86_400;

describe("the keys of an inbox", () => {
  const client = createClient({ url: inject("redisUrl") });
  beforeAll(async () => void (await client.connect()));
  afterAll(() => client.close());

  function open() {
    const keyPrefix = freshPrefix();
    const keys = async () => (await client.keys(`${keyPrefix}*`)).map((key) => key.slice(keyPrefix.length));
    return {
      inbox: createRedisInbox({ keyPrefix }, client),
      keyPrefix,
      keys,
      named: createInboxKeys(keyPrefix),
    };
  }

  it("are all gone after an erasure", async () => {
    const { inbox, keys } = open();
    await inbox.put(entry);
    await inbox.put({ ...entry, conversationId: "c2" });
    expect(await keys()).toHaveLength(8);
    expect(await inbox.deleteConversation("c2")).toEqual({ success: true, data: 1 });
    expect(await keys()).toHaveLength(5);
    expect(await inbox.deleteUser(entry.userId)).toEqual({ success: true, data: 1 });
    expect(await keys()).toEqual([]);
  });

  it("are those of the last user who put", async () => {
    const { inbox, keys, named, keyPrefix } = open();
    await inbox.put(entry);
    const before = await keys();
    await inbox.put({ ...entry, userId: "v" });
    const [ofUser, ofV] = [entry.userId, "v"].map((id) => named.ofUser(id).slice(keyPrefix.length));
    expect((await keys()).toSorted()).toEqual(
      before.map((key) => (key === ofUser ? (ofV ?? "") : key)).toSorted(),
    );
  });

  it("expire 24 hours after the inbox became empty, and not before", async () => {
    const { inbox, keys, keyPrefix, named } = open();
    const put = await inbox.put(entry);
    const [hash, entries, known] = named.of(entry.conversationId);
    const ofUser = named.ofUser(entry.userId);
    for (const key of [hash, entries, ofUser, named.waiting]) expect(await client.ttl(key)).toBe(-1);
    expect(await client.ttl(known)).toBeGreaterThan(DAY_S - 60);
    if (!put.success) return;
    await inbox.remove({ conversationId: entry.conversationId, upTo: put.data.cursor });
    expect(await keys()).toHaveLength(3);
    for (const key of await keys()) {
      const seconds = await client.ttl(`${keyPrefix}${key}`);
      expect(seconds).toBeGreaterThan(DAY_S - 60);
      expect(seconds).toBeLessThanOrEqual(DAY_S);
    }
    await inbox.put({ ...entry, key: "k2" });
    for (const key of [hash, ofUser]) expect(await client.ttl(key)).toBe(-1);
  });

  it("have no keys of entries that are older than 24 hours", async () => {
    const { inbox, keyPrefix, named } = open();
    const [, , known] = named.of("c");
    for (const key of ["1", "2", "3"]) await inbox.put({ ...entry, conversationId: "c", key });
    await ageInboxes(client, keyPrefix, DAY_S);
    await inbox.put({ ...entry, conversationId: "c", key: "4" });
    expect(await client.zRange(known, 0, -1)).toEqual(["4"]);
  });

  it("keep the order of entries if the server's clock was set back", async () => {
    const { inbox, named } = open();
    const [hash] = named.of("c");
    const first = await inbox.put({ ...entry, conversationId: "c", key: "1" });
    await client.hSet(hash, "last", String((Date.now() + DAY_S * 1_000) * 1_000));
    await inbox.put({ ...entry, conversationId: "c", key: "2" });
    await inbox.put({ ...entry, conversationId: "c", key: "3" });
    const after = first.success ? first.data.cursor : "";
    expect(await inbox.read({ conversationId: "c", after })).toMatchObject({
      data: [{ key: "2" }, { key: "3" }],
    });
  });
});

it("refuses anything but a client", () => {
  expect(() => createRedisInbox({}, {} as never)).toThrow(TypeError);
});
