import type { TurnLog } from "@jaf/memory";
import type { NewTurn, TurnWriter } from "@jaf/memory/adapter";
import { createClient, createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { startCutProxy } from "../../../../test/cut-proxy.ts";
import { startFaultProxy } from "../../../../test/fault-proxy.ts";
import { until } from "../../../../test/polling.ts";
import { createRedisTurnLog, type NodeRedisCluster } from "../../src/index.ts";
import { freshPrefix } from "../support/stores.ts";

const turn: NewTurn = {
  ...{ conversationId: "c", userId: "u", turnId: "t", request: "{}" },
  ...{ leaseSeconds: 60, keepSeconds: 600 },
};

async function begin(log: TurnLog, of: NewTurn = turn): Promise<TurnWriter> {
  const begun = await log.begin(of);
  if (!begun.success || !begun.data.begun) return expect.fail("It has not begun.");
  return begun.data.writer;
}

const serverPort = () => Number(new URL(inject("redisUrl")).port);

async function clientAt(port: number) {
  const client = createClient({ socket: { host: "127.0.0.1", port } });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
}

describe("a connection that breaks", () => {
  it("loses nothing if it breaks in an append, and a repeated append stores nothing twice", async () => {
    const keyPrefix = freshPrefix();
    const event = '"only once"';
    let isArmed = true;
    const proxy = await startCutProxy(serverPort(), (request) => {
      const cut = isArmed && request.includes(event);
      if (cut) isArmed = false;
      return cut;
    });
    onTestFinished(proxy.stop);
    const log = createRedisTurnLog({ keyPrefix }, await clientAt(serverPort()));
    const writer = await begin(log);
    // This loads the script into the server, so the next append is a single command.
    await log.append({ writer, first: 0, events: ['"before"'] });
    const broken = createRedisTurnLog({ keyPrefix }, await clientAt(proxy.port));
    const append = { writer, first: 1, events: [event] };
    const first = await broken.append(append);
    expect(proxy.cuts()).toBe(1);
    if (!first.success) expect(first.error._tag).toBe("MemoryConnectionError");
    expect(await log.append(append)).toEqual({ success: true, data: { held: true, stopRequested: false } });
    expect(await log.read({ conversationId: "c" })).toMatchObject({ data: { events: ['"before"', event] } });
  });

  it("returns a MemoryConnectionError after the command's timeout if it breaks silently", async () => {
    const proxy = await startFaultProxy(serverPort());
    onTestFinished(proxy.stop);
    const client = await clientAt(proxy.port);
    const log = createRedisTurnLog({ keyPrefix: freshPrefix(), commandTimeoutMs: 250 }, client);
    const writer = await begin(log);
    proxy.set("hole");
    const results = await Promise.all([
      log.append({ writer, first: 0, events: ["{}"] }),
      log.readAll([{ conversationId: "c" }]),
      log.abandoned(1),
      log.deleteUser("u"),
    ]);
    for (const result of results)
      expect(result).toMatchObject({ success: false, error: { _tag: "MemoryConnectionError" } });
  });
});

describe("leftovers", () => {
  it("of an abandoned turn are only its entry among the running turns", async () => {
    const keyPrefix = freshPrefix();
    const client = await clientAt(serverPort());
    const log = createRedisTurnLog({ keyPrefix }, client);
    const writer = await begin(log, { ...turn, keepSeconds: 1 });
    await log.append({ writer, first: 0, events: ["{}"] });
    await until("its keys have expired", async () => {
      const found: string[] = [];
      for await (const keys of client.scanIterator({ MATCH: `${keyPrefix}*`, COUNT: 1_000 }))
        found.push(...keys);
      return found.length === 1 && found[0] === `${keyPrefix}{turns}:running`;
    });
    expect(await log.turnsOf("c")).toEqual({ success: true, data: [] });
    expect(await log.abandoned(10)).toEqual({ success: true, data: [] });
  });

  it("of a user's entries survive: an append renews them before they expire", async () => {
    const keyPrefix = freshPrefix();
    const client = await clientAt(serverPort());
    const log = createRedisTurnLog({ keyPrefix }, client);
    const writer = await begin(log);
    const hash = `${keyPrefix}turn:{${keyPrefix}c}:t`;
    await client.hSet(hash, "indexed", "0");
    const [index = ""] = await client.keys(`${keyPrefix}user-turns:*`);
    await client.expire(index, 1);
    await log.append({ writer, first: 0, events: ["{}"] });
    expect(Number(await client.hGet(hash, "indexed"))).toBeGreaterThan(0);
    expect(await client.ttl(index)).toBeGreaterThan(turn.keepSeconds);
    expect(await log.deleteUser("u")).toEqual({ success: true, data: 1 });
  });
});

describe("on a Cluster", () => {
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

  it.each([1, 2, 3, 4, 5, 6])(
    "a crash at command %s of a beginning leaves no turn that can't be found",
    async (at) => {
      const keyPrefix = freshPrefix();
      const log = createRedisTurnLog({ keyPrefix }, client);
      // Loads the scripts into the servers.
      await begin(log, { ...turn, conversationId: "other", userId: "other" });
      await createRedisTurnLog({ keyPrefix }, crashAt(at)).begin(turn);
      const turns = await log.turnsOf("c");
      const found = await log.find({ userId: "u", state: "running" });
      expect(found).toEqual(turns);
      const count = turns.success ? turns.data.length : expect.fail(turns.error.message);
      expect(await log.deleteUser("u")).toEqual({ success: true, data: count });
      expect(await log.turnsOf("c")).toEqual({ success: true, data: [] });
      await begin(log);
    },
  );

  it("a resent beginning keeps its turn findable", async () => {
    const keyPrefix = freshPrefix();
    const log = createRedisTurnLog({ keyPrefix }, client);
    const writer = await begin(log);
    expect(await log.begin(turn)).toMatchObject({ data: { begun: false, running: { turnId: "t" } } });
    expect(await log.begin({ ...turn, turnId: "t2" })).toMatchObject({ data: { begun: false } });
    expect(await log.find({ userId: "u", state: "running" })).toMatchObject({ data: [{ turnId: "t" }] });
    await log.release(writer);
    expect(await log.abandoned(10)).toMatchObject({ data: [{ turnId: "t" }] });
    expect(await log.deleteUser("u")).toEqual({ success: true, data: 1 });
  });
});
