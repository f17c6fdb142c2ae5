import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import type { Message, Result } from "@jaf/memory";
import { Cluster } from "ioredis";
import { createClient, createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { redisCommand } from "../../../test/redis-command.ts";
import { requireRedis, startLocalRedis } from "../../../test/redis-server.ts";
import type { RestartableServer } from "../../../test/restartable-server.ts";
import { scripts as blobScripts } from "../src/blobs/scripts.ts";
import { scripts } from "../src/conversations/scripts/index.ts";
import { toMemoryError } from "../src/errors.ts";
import { scripts as inboxScripts } from "../src/inbox/scripts.ts";
import {
  createRedisBlobStore,
  createRedisInbox,
  createRedisLedger,
  createRedisProvider,
  createRedisTimers,
  createRedisTurnLog,
  type RedisClient,
  type RedisProvider,
} from "../src/index.ts";
import { scripts as ledgerScripts } from "../src/ledger/scripts.ts";
import { openConnection } from "../src/open-store.ts";
import { scripts as timerScripts } from "../src/timers/scripts.ts";
import { scripts as turnScripts } from "../src/turn-log/scripts.ts";
import { createRedisUserMemory } from "../src/user-memory/index.ts";
import { scripts as userScripts } from "../src/user-memory/scripts/index.ts";
import { libraries } from "./support/libraries.ts";
import { allowedCommands, type LimitedUser, setUser } from "./support/rights.ts";
import { freshPrefix } from "./support/stores.ts";

const messages: readonly Message[] = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hello!" },
];

let server: RestartableServer;
beforeAll(async () => {
  server = await startLocalRedis(requireRedis());
});
afterAll(() => server.stop());

const place = (user: LimitedUser) => ({
  ...{ host: "127.0.0.1", port: server.port, username: user, password: "password" },
});

/** Calls all methods of the provider's contract, including rare cases of the scripts. */
async function useProvider(provider: RedisProvider): Promise<readonly Result<unknown>[]> {
  const created = { createIfMissing: true } as const;
  const owned = { userId: "u", traceId: "t", topic: "tea" };
  const results: Result<unknown>[] = [
    await provider.appendMessages("c", messages, owned, { ...created, idempotencyKey: "k" }),
    await provider.appendMessages("c", messages, owned, { idempotencyKey: "k" }),
    await provider.appendMessages("c", messages, {}, { messageIds: ["m", null], ttlSeconds: 100 }),
    await provider.appendMessages("c", messages, {}, { dropLast: 1, maxMessages: 2 }),
    await provider.storeMessages("c", messages, owned, { messageIds: ["a", "b"] }),
    await provider.readConversation("c", { messages: { messageId: "a" }, receiptFor: "k" }),
    await provider.readConversation("c", { messages: { after: 0, limit: 1 } }),
    await provider.readConversation("gone", { userId: "u" }),
    await provider.getConversation("c"),
    await provider.getRecentMessages("c", 1),
    await provider.findConversations({ userId: "u" }),
    await provider.findConversations({ traceId: "t", includeMessages: false }),
    await provider.findConversations({}),
    await provider.getStats("u"),
    await provider.getStats(),
    await provider.healthCheck(),
  ];
  const exported = await provider.exportConversation("c");
  results.push(exported, await provider.deleteConversation("c"));
  if (exported.success && exported.data !== null)
    results.push(await provider.importConversation(exported.data));
  results.push(await provider.clearUserConversations("u"));
  return results;
}

const failures = (results: readonly Result<unknown>[]) =>
  results.flatMap((result) => (result.success ? [] : [result.error]));

const QUOTED = /["']([A-Z]{3,})["']/g;

/** Returns the words of scripts and sources that are commands of the server. */
async function commandsIn(texts: readonly string[]): Promise<readonly string[]> {
  const known = await redisCommand(server.port, "COMMAND", "LIST");
  const commands = new Set(Array.isArray(known) ? known.map((name) => String(name).toUpperCase()) : []);
  const words = texts.flatMap((text) => [...text.matchAll(QUOTED)].map(([, word = ""]) => word));
  return [...new Set(words)].filter((word) => commands.has(word)).sort();
}

async function sourcesIn(...folders: readonly string[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const folder of folders) {
    const url = new URL(`../src/${folder}/`, import.meta.url);
    const files = (await readdir(url)).filter((name) => name.endsWith(".ts"));
    texts.push(...files.map((name) => readFileSync(new URL(name, url), "utf8")));
  }
  return texts;
}

describe("the rights in the README", () => {
  it("are exactly those of all used commands", async () => {
    const ours = await sourcesIn("conversations", "client", "connection");
    const runner = readFileSync(new URL("../src/lua.ts", import.meta.url), "utf8");
    // Runs only with a turn log on the same client, which has the rights of both.
    const { writeAndBegin, ...ownScripts } = scripts;
    const conversations = await commandsIn([...Object.values(ownScripts), ...ours, runner]);
    // A transaction is one call of the client.
    const used = new Set([...conversations, "MULTI", "EXEC"]);
    used.delete("WAIT");
    expect(allowedCommands("conversations").toSorted()).toEqual([...used].sort());
    const facts = await commandsIn([
      ...Object.values(userScripts),
      ...(await sourcesIn("user-memory", "connection")),
      runner,
    ]);
    expect(allowedCommands("facts").toSorted()).toEqual(facts.filter((command) => command !== "WAIT"));
    const blobs = [...Object.values(blobScripts), ...(await sourcesIn("blobs", "connection")), runner];
    const media = await commandsIn(blobs);
    expect(allowedCommands("media").toSorted()).toEqual(media.filter((command) => command !== "WAIT"));
    const turns = await commandsIn([...Object.values(turnScripts), ...(await sourcesIn("turn-log")), runner]);
    expect(allowedCommands("turns").toSorted()).toEqual(turns.filter((command) => command !== "WAIT"));
    const sums = [...Object.values(ledgerScripts), ...(await sourcesIn("ledger", "connection")), runner];
    const ledger = await commandsIn(sums);
    expect(allowedCommands("ledger").toSorted()).toEqual(ledger.filter((command) => command !== "WAIT"));
    const boxes = await commandsIn([...Object.values(inboxScripts), ...(await sourcesIn("inbox")), runner]);
    expect(allowedCommands("inboxes").toSorted()).toEqual(boxes.filter((command) => command !== "WAIT"));
    const timers = await commandsIn([...Object.values(timerScripts), ...(await sourcesIn("timers")), runner]);
    expect(allowedCommands("timers").toSorted()).toEqual(timers.filter((command) => command !== "WAIT"));
    expect([...used, ...turns]).toEqual(expect.arrayContaining([...(await commandsIn([writeAndBegin]))]));
  });

  it("suffice for conversations, on the provider's own connection", async () => {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "conversations", { keyPrefix });
    const provider = await createRedisProvider({ ...place("conversations"), keyPrefix });
    expect(failures(await useProvider(provider))).toEqual([]);
    await provider.close();
  });

  it("suffice for user memory, on its own connection", async () => {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "facts", { keyPrefix });
    const embed = async (texts: readonly string[]) => texts.map((text) => [text.length, 1]);
    const memory = await createRedisUserMemory({ ...place("facts"), keyPrefix, embed });
    const { id } = await memory.remember("u", "Likes tea");
    await memory.remember("u", "Lives in Oslo");
    await memory.update("u", id, { fact: "Likes green tea" });
    expect(await memory.recall("u", "tea")).toMatchObject([{ fact: "Likes green tea" }, {}]);
    expect(await memory.list("u")).toHaveLength(2);
    expect(await memory.verifyAudit("u")).toMatchObject({ ok: true });
    expect(await memory.forget("u", id)).toMatchObject({ facts: 1 });
    expect(await memory.forgetAll("u")).toMatchObject({ facts: 1 });
    await memory.close();
  });

  it("suffice for media, on its own connection", async () => {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "media", { keyPrefix });
    const store = await createRedisBlobStore({ ...place("media"), keyPrefix });
    const hold = { id: "h", seconds: 60 };
    const data = new Uint8Array([1]);
    const put = await store.put("c", data, hold);
    const sha256 = put.success ? put.data.sha256 : "";
    const results: Result<unknown>[] = [
      put,
      await store.keep("c", [sha256], hold),
      await store.get("c", sha256),
    ];
    results.push(await store.release("c", [sha256], "h"), await store.due(1, 0));
    const listed = await store.list("c");
    results.push(listed, await store.remove("c", listed.success ? listed.data : []));
    expect(failures(results)).toEqual([]);
    await store.close();
  });

  it("suffice for the ledger, on its own connection", async () => {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "ledger", { keyPrefix });
    const ledger = await createRedisLedger({ ...place("ledger"), keyPrefix });
    const entry = { userId: "u", agentName: "agent", model: "model", calls: 1 };
    const results: Result<unknown>[] = [
      await ledger.record([entry]),
      await ledger.record([entry, { ...entry, tenantId: "t" }]),
      await ledger.amounts([{ of: "user", id: "u", period: "day" }]),
      await ledger.report({ by: ["user"] }),
      await ledger.eraseUser("u"),
    ];
    expect(failures(results)).toEqual([]);
    await ledger.close();
  });

  it("suffice for the turn log", async () => {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "turns", { keyPrefix });
    const { host, port, username, password } = place("turns");
    const client = createClient({ socket: { host, port }, username, password });
    await client.connect();
    const log = createRedisTurnLog({ keyPrefix }, client);
    const turn = { conversationId: "c", userId: "u", turnId: "t", request: "{}" };
    const begun = await log.begin({ ...turn, leaseSeconds: 60, keepSeconds: 60 });
    if (!begun.success || !begun.data.begun) return expect.fail("It has not begun.");
    const { writer } = begun.data;
    const ending = { record: "{}", eventSeconds: 60, recordSeconds: 60 };
    const results: Result<unknown>[] = [
      await log.append({ writer, first: 0, events: ["{}"] }),
      await log.renew(writer),
      await log.read({ conversationId: "c" }),
      await log.turnsOf("c"),
      await log.find({ userId: "u", state: "running" }),
      await log.requestStop(writer),
      await log.release(writer),
      await log.abandoned(10),
    ];
    const taken = await log.takeOver(writer);
    if (!taken.success || taken.data === null) return expect.fail("It was not taken over.");
    const end = { ...ending, state: "ended" } as const;
    results.push(await log.append({ writer: taken.data.writer, first: 1, events: [], end }));
    results.push(await log.deleteConversation("c"), await log.deleteUser("u"));
    expect(failures(results)).toEqual([]);
    await client.close();
  });

  it("suffice for inboxes", async () => {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "inboxes", { keyPrefix });
    const { host, port, username, password } = place("inboxes");
    const client = createClient({ socket: { host, port }, username, password });
    await client.connect();
    const inbox = createRedisInbox({ keyPrefix }, client);
    const entry = { conversationId: "c", userId: "u", content: "x" };
    const put = await inbox.put({ ...entry, key: "1" });
    const results: Result<unknown>[] = [put, await inbox.put({ ...entry, key: "2" })];
    for (const upTo of [put.success ? put.data.cursor : "", "none"])
      results.push(await inbox.remove({ conversationId: "c", upTo }));
    results.push(await inbox.read({ conversationId: "c" }), await inbox.waiting());
    results.push(await inbox.deleteConversation("c"), await inbox.deleteUser("u"));
    expect(failures(results)).toEqual([]);
    await client.close();
  });

  it("suffice for timers", async () => {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "timers", { keyPrefix });
    const { host, port, username, password } = place("timers");
    const client = createClient({ socket: { host, port }, username, password });
    await client.connect();
    const timers = createRedisTimers({ keyPrefix }, client);
    const name = { conversationId: "c", timerId: "t" };
    const [from, to] = [new Date(1), new Date(2)];
    const timer = { ...name, at: from, content: "x" };
    const results: Result<unknown>[] = [
      await timers.set({ ...timer, userId: "u" }),
      await timers.set({ ...timer, userId: "v" }),
      await timers.advance({ ...name, from, to }),
      await timers.due(),
      await timers.find({ userId: "v" }),
      await timers.remove(name),
      await timers.set({ ...timer, userId: "u" }),
      await timers.deleteConversation("c"),
      await timers.set({ ...timer, userId: "u" }),
      await timers.deleteUser("u"),
    ];
    expect(failures(results)).toEqual([]);
    await client.close();
  });

  const clusterPorts = () => inject("redisClusterUrls").map((url) => Number(new URL(url).port));
  const credentials = { username: "conversations", password: "password" };
  const clusters: Readonly<Record<string, () => Promise<{ client: RedisClient; end: () => void }>>> = {
    "+cluster|slots +asking": async () => {
      const rootNodes = inject("redisClusterUrls").map((url) => ({ url }));
      const client = await createCluster({ rootNodes, defaults: credentials }).connect();
      return { client, end: () => client.destroy() };
    },
    "+cluster|slots +cluster|info +asking +info": async () => {
      const nodes = clusterPorts().map((port) => ({ host: "127.0.0.1", port }));
      const client = new Cluster(nodes, { redisOptions: credentials });
      return { client, end: () => client.disconnect() };
    },
  };

  it.each(Object.entries(clusters))(
    "suffice for conversations on a Cluster, with %s",
    async (rights, open) => {
      const keyPrefix = freshPrefix();
      for (const port of clusterPorts())
        await setUser(port, "conversations", { keyPrefix, rights: rights.split(" ") });
      const { client, end } = await open();
      const provider = await createRedisProvider({ keyPrefix }, client);
      expect(failures(await useProvider(provider))).toEqual([]);
      end();
    },
  );
});

describe("a missing right", () => {
  async function withRights(rights: readonly string[]) {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "conversations", { keyPrefix, rights });
    await redisCommand(server.port, "SCRIPT", "FLUSH");
    const { host, port, username, password } = place("conversations");
    const client = createClient({ socket: { host, port }, username, password });
    await client.connect();
    const provider = await createRedisProvider({ keyPrefix }, client);
    const errors = failures(await useProvider(provider));
    const health = await provider.healthCheck();
    client.destroy();
    return { errors, health: health.success ? (health.data.error ?? "") : "" };
  }

  /** On one server, only run if there are leftovers. */
  const rare = ["ZRANDMEMBER", "ZREVRANGEBYSCORE", "ZSCORE"];

  it.each(allowedCommands("conversations").filter((command) => !rare.includes(command)))(
    "is named: %s",
    async (command) => {
      const { errors, health } = await withRights([`-${command.toLowerCase()}`]);
      const [first] = errors; // Later failures may be consequences.
      if (first !== undefined) expect(first).toMatchObject({ _tag: "MemoryStorageError", retryable: false });
      expect(first?.message ?? health).toContain(`it can't run ${command};`);
    },
  );

  it.each([
    ["NOPERM User u has no permissions to run the 'zadd' command", "run ZADD;"],
    ["ERR ACL failure in script: User u has no permissions to run the 'zadd' command", "run ZADD;"],
    ["NOPERM No permissions to access a key", "use the keys"],
    ["ERR ACL failure in script: No permissions to access the 'jaf:memory:secret' key", "use the keys"],
  ])("is named with the texts of later servers, too: %s", (message, named) => {
    const error = toMemoryError("appendMessages", new Error(message));
    expect(error.message).toContain(`lacks a right: it can't ${named}`);
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  it("prevents a connection if it is the right to select the database", async () => {
    const keyPrefix = freshPrefix();
    await setUser(server.port, "conversations", { keyPrefix, rights: ["+info"] });
    const settings = { ...place("conversations"), db: 1, commandTimeoutMs: 5_000 };
    for (const library of Object.values(libraries)) {
      const opened = openConnection({ settings, operation: "test", libraries: [library] });
      await expect(opened).rejects.toThrow(/'select'/);
    }
  });

  it("is named if it is the right to the keys", async () => {
    const { errors } = await withRights(["resetkeys", "~other:*"]);
    for (const { message } of errors) expect(message).toMatch(/can't use the keys/);
    expect(errors.length).toBeGreaterThan(10);
  });
});
