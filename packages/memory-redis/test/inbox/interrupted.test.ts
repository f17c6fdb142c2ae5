import { createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createRedisInbox, type NodeRedisCluster } from "../../src/index.ts";
import { freshPrefix } from "../support/stores.ts";

const entry = { conversationId: "c", userId: "u", key: "k", content: "x" };

describe("an inbox on a Cluster", () => {
  const connect = () => createCluster({ rootNodes: inject("redisClusterUrls").map((url) => ({ url })) });
  let client: ReturnType<typeof connect>;
  beforeAll(async () => {
    client = connect();
    await client.connect();
  });
  afterAll(() => client.close());

  /** The same connection, which breaks before the command with this number. */
  function crashAt(last: number): NodeRedisCluster {
    let count = 0;
    return {
      ...{ isOpen: true, slots: [], multi: (key) => client.multi(key) },
      sendCommand: async (key, isReadonly, args) => {
        if (count++ >= last) throw new Error("Connection is closed.");
        return client.sendCommand(key, isReadonly, args);
      },
    };
  }

  it.each([1, 2, 3, 4, 5, 6, 7])(
    "has no entry that can't be found after a crash at command %s of a put",
    async (at) => {
      const keyPrefix = freshPrefix();
      const inbox = createRedisInbox({ keyPrefix }, client);
      await inbox.put({ ...entry, conversationId: "other", userId: "other" });
      await createRedisInbox({ keyPrefix }, crashAt(at)).put(entry);
      const entries = await inbox.read({ conversationId: "c" });
      const count = entries.success ? entries.data.length : expect.fail(entries.error.message);
      const listed = count === 0 ? [] : [{ conversationId: "c", entries: count }];
      expect(await inbox.waiting({ userId: "u" })).toMatchObject({ data: listed });
      expect(await inbox.deleteUser("u")).toEqual({ success: true, data: count });
      expect(await inbox.waiting()).toMatchObject({ data: [{ conversationId: "other" }] });
    },
  );

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    "has one user's entries only, and all of these can be found, after a crash at command %s of another user's put",
    async (at) => {
      const keyPrefix = freshPrefix();
      const inbox = createRedisInbox({ keyPrefix }, client);
      await inbox.put(entry);
      await createRedisInbox({ keyPrefix }, crashAt(at)).put({ ...entry, userId: "v" });
      const entries = await inbox.read({ conversationId: "c" });
      const userId = entries.success ? entries.data[0]?.userId : expect.fail(entries.error.message);
      const [owner = "", former = ""] = userId === "u" ? ["u", "v"] : ["v", "u"];
      const listed = { data: [{ conversationId: "c", userId: owner, entries: 1 }] };
      expect(entries).toMatchObject({ data: [{ userId: owner }] });
      expect(await inbox.waiting({ userId: owner })).toMatchObject(listed);
      expect(await inbox.waiting({ userId: former })).toEqual({ success: true, data: [] });
      expect(await inbox.deleteUser(former)).toEqual({ success: true, data: 0 });
      expect(await inbox.waiting()).toMatchObject(listed);
      expect(await inbox.deleteUser(owner)).toEqual({ success: true, data: 1 });
    },
  );
});
