import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStores } from "@jaf/mcp-memory";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { call, connectStdio, statementsIn } from "../../packages/mcp-memory/test/support/clients.ts";
import { createDatabase } from "./support/examples/database.ts";

/** The stores that several processes share. */
const addresses: Readonly<Record<string, () => Promise<string>>> = {
  "a SQLite file": async () => {
    const folder = await mkdtemp(join(tmpdir(), "jaf-mcp-memory-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    return `file:${join(folder, "new", "memory.db")}`;
  },
  Redis: async () => inject("redisUrl"),
  Postgres: async () => (await createDatabase(inject("pgUrl"))).href,
};

describe.each(Object.entries(addresses))("the memory server on %s", (_, addressOf) => {
  it("keeps what two clients remember at once, over a restart, until the user is erased", async () => {
    const store = await addressOf();
    const user = crypto.randomUUID();
    const start = (name = user) =>
      connectStdio({ args: ["--store", store], env: { JAF_USER: name }, elicit: () => "yes" });

    // Two clients, each with a process of its own, remember twenty facts each at once.
    const clients = await Promise.all([start(), start()]);
    const remembered = await Promise.all(
      clients.flatMap((client, writer) =>
        Array.from({ length: 20 }, (_each, number) =>
          call(client, "remember", { fact: `Writer ${writer} likes the number ${number}` }),
        ),
      ),
    );
    expect(remembered.map(({ data }) => data["outcome"])).toEqual(Array(40).fill("remembered"));
    const listed = await call(clients[0], "list", { limit: 200 });
    expect(new Set(statementsIn(listed)).size).toBe(40);
    await Promise.all(clients.map((client) => client.close()));

    // A restart, with a conversation that an agent has stored in the meantime.
    const stores = await openStores(store);
    onTestFinished(stores.close);
    const conversation = crypto.randomUUID();
    const messages = [{ role: "user", content: "The ferry to Bergen leaves at nine." }] as const;
    await stores.provider.storeMessages(conversation, messages, { userId: user });
    const restarted = await start();
    const recalled = await call(restarted, "recall", { query: "Writer 1 and the number 7", limit: 3 });
    expect(statementsIn(recalled)).toContain("Writer 1 likes the number 7");
    const found = await call(restarted, "search", { query: "the ferry to Bergen" });
    expect(found.data["messages"]).toMatchObject([{ conversationId: conversation }]);
    const other = await start(`${user} 2`);
    expect((await call(other, "recall", { query: "Writer 1 and the number 7" })).data).toEqual({ facts: [] });
    await call(other, "remember", { fact: "Likes tea" });

    // The user is erased by the application while clients are connected.
    await stores.memory.forgetAll(user);
    await stores.provider.clearUserConversations(user);
    const late = await start();
    for (const client of [restarted, late]) {
      expect((await call(client, "list")).data).toEqual({ facts: [], hasMore: false });
      expect((await call(client, "search", { query: "the ferry to Bergen" })).data).toEqual({ messages: [] });
    }
    expect(statementsIn(await call(other, "list"))).toEqual(["Likes tea"]);
    await stores.memory.forgetAll(`${user} 2`);
  });
});
