import { PGlite } from "@electric-sql/pglite";
import type { Message, VersionedMemoryProvider } from "@jaf/memory";
import { createMessageSearch, type MessageSearch } from "@jaf/user-memory";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createPostgresProvider } from "../../src/index.ts";
import { createPostgresMessageIndex } from "../../src/user-memory/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 6 });
const schemas: string[] = [];
afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

interface Store {
  readonly schema: string;
  readonly provider: VersionedMemoryProvider;
  readonly search: MessageSearch;
  /** A search as another process has it: nothing of it is shared but the database. */
  readonly another: () => Promise<MessageSearch>;
}

async function openStore(tables: { readonly partitions?: number } = {}): Promise<Store> {
  const schema = freshSchema();
  schemas.push(schema);
  const provider = await createPostgresProvider({ schema, ...tables }, pool);
  const another = async () =>
    createMessageSearch(provider, { index: await createPostgresMessageIndex({ schema }, pool) });
  return { schema, provider, search: await another(), another };
}

const said = (...texts: readonly string[]): readonly Message[] =>
  texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }));

async function placesOf(search: MessageSearch, query: string, userId = "u", conversationId?: string) {
  const found = await search.search(userId, query, { conversationId });
  if (!found.success) throw new Error(found.error.message);
  return found.data.map(({ conversationId: id, position }) => `${id} ${position}`);
}

/** The stored entries: how many passages each conversation has. */
async function entries(schema: string): Promise<Record<string, number>> {
  const { rows } = await runSql(`SELECT conversation_id, count(passage.number)::int AS passages
    FROM "${schema}".conversations_indexed AS head
    LEFT JOIN "${schema}".conversations_passages AS passage ON passage.indexed_id = head.id GROUP BY 1`);
  return Object.fromEntries(rows.map(({ conversation_id: id, passages }) => [id, passages]));
}

const passagesIn = async (schema: string): Promise<number> =>
  (await runSql(`SELECT count(*)::int AS n FROM "${schema}".conversations_passages`)).rows[0].n;

describe("a message index in Postgres", () => {
  it("finds what the index of the process finds, in the same order, with the same scores", async () => {
    const { provider, search } = await openStore();
    for (let chat = 0; chat < 12; chat++) {
      const texts = Array.from(
        { length: 30 },
        (_, at) =>
          `We spoke about topic${(chat * 7 + at) % 40} and the boat. Did you paint plan${at % 9} on 3 May 2023?`,
      );
      await provider.storeMessages(`c${chat}`, said(...texts), { userId: "u" });
    }
    const inProcess = createMessageSearch(provider);
    for (const query of [
      "topic3",
      "the boat",
      "When did we paint plan4 and topic12?",
      "3 May 2023",
      "Could you help me with the topic1, topic2, topic3, topic4, topic5, plan7, plan8 and the boat that we painted?",
      "and the",
      "nothing of it",
    ]) {
      const [one, other] = await Promise.all([search.search("u", query), inProcess.search("u", query)]);
      expect(one).toEqual(other);
    }
    expect(await search.search("u", "topic3", { conversationId: "c1" })).toEqual(
      await inProcess.search("u", "topic3", { conversationId: "c1" }),
    );
  });

  it("finds rare words, and common words that occur together, among more passages than it reads", {
    timeout: 60_000,
  }, async () => {
    const { provider, search } = await openStore();
    const common = ["boat", "garden", "winter", "letter"];
    for (let chat = 0; chat < 60; chat++) {
      const texts = Array.from({ length: 100 }, (_, at) => `${common[at % 4]} ${common[(at + 1) % 4]} note`);
      await provider.storeMessages(`c${chat}`, said(...texts), { userId: "u" });
    }
    await provider.storeMessages("rare", said("A herring in the boat"), { userId: "u" });
    await provider.storeMessages("both", said("The boat in winter"), { userId: "u" });
    expect(await search.refresh("u")).toMatchObject({ data: { read: 6_002, isComplete: true } });
    expect((await placesOf(search, "herring boat note"))[0]).toBe("rare 0");
    expect((await placesOf(search, "boat winter"))[0]).toBe("both 0");
    expect(await placesOf(search, "note")).toHaveLength(10);
    expect((await placesOf(search, "garden letter", "u", "c3")).every((place) => /^c3 /.test(place))).toBe(
      true,
    );
    expect(await placesOf(search, "nothing")).toEqual([]);
  });

  it("is used by another process, which indexes only what is new", async () => {
    const { schema, provider, search, another } = await openStore();
    await provider.storeMessages("c", said("I sail to Oslo", "Have fun"), { userId: "u" });
    expect((await placesOf(search, "Oslo"))[0]).toBe("c 0");
    const restarted = await another();
    expect(await restarted.refresh("u")).toEqual({ success: true, data: { read: 0, isComplete: true } });
    await provider.appendMessages("c", said("Oslo was cold"));
    expect(await restarted.refresh("u")).toEqual({ success: true, data: { read: 1, isComplete: true } });
    expect(await placesOf(await another(), "cold")).toContain("c 2");
    expect(await entries(schema)).toEqual({ c: 3 });
  });

  it("forgets a deleted conversation and a deleted user in the same transaction, also those deleted by hand", async () => {
    const { schema, provider, search, another } = await openStore();
    for (const id of ["a", "b", "c"]) await provider.storeMessages(id, said(`Oslo ${id}`), { userId: "u" });
    await provider.storeMessages("other", said("Oslo"), { userId: "v" });
    expect(await placesOf(search, "Oslo")).toHaveLength(3);
    expect(await placesOf(search, "Oslo", "v")).toEqual(["other 0"]);
    await provider.deleteConversation("a");
    expect(await entries(schema)).toEqual({ b: 1, c: 1, other: 1 });
    await runSql(`DELETE FROM "${schema}".conversations WHERE conversation_id = 'b'`);
    expect(await entries(schema)).toEqual({ c: 1, other: 1 });
    expect(await placesOf(await another(), "Oslo")).toEqual(["c 0"]);
    await provider.clearUserConversations("u");
    expect(await entries(schema)).toEqual({ other: 1 });
    expect(await passagesIn(schema)).toBe(1);
    expect(await placesOf(search, "Oslo")).toEqual([]);
  });

  it("doesn't find a conversation whose id belongs to another user now", async () => {
    const { provider, search } = await openStore();
    await provider.storeMessages("c", said("My secret is Oslo"), { userId: "u" });
    expect(await placesOf(search, "Oslo")).toEqual(["c 0"]);
    await provider.deleteConversation("c");
    await provider.storeMessages("c", said("I live in Oslo"), { userId: "v" });
    expect(await placesOf(search, "Oslo")).toEqual([]);
    expect(await placesOf(search, "secret", "v")).toEqual([]);
    expect(await placesOf(search, "Oslo", "v")).toEqual(["c 0"]);
  });

  it("follows replaced messages, and removes their old entries with the next search", async () => {
    const { schema, provider, search } = await openStore();
    await provider.storeMessages("c", said("I like herring", "Noted", "And rye bread"), { userId: "u" });
    expect(await placesOf(search, "herring")).toContain("c 0");
    await provider.storeMessages("c", said("I like salmon", "Noted", "And rye bread"), { userId: "u" });
    expect(await placesOf(search, "herring")).toEqual([]);
    expect(await placesOf(search, "salmon")).toContain("c 3");
    expect(await entries(schema)).toEqual({ c: 3 });
  });

  it("follows trimmed messages without reading the others again", async () => {
    const { schema, provider, search } = await openStore();
    const texts = Array.from({ length: 150 }, (_, at) => `Message ${at} about apple${at}`);
    await provider.storeMessages("c", said(...texts), { userId: "u" });
    expect(await placesOf(search, "apple5")).toContain("c 5");
    await provider.appendMessages("c", said("pear"), undefined, { maxMessages: 20 });
    expect(await search.refresh("u")).toEqual({ success: true, data: { read: 1, isComplete: true } });
    expect(await entries(schema)).toEqual({ c: 20 });
    expect(await placesOf(search, "apple5")).toEqual([]);
    expect(await placesOf(search, "apple149")).toContain("c 149");
    await provider.appendMessages("c", said(...texts), undefined, { maxMessages: 10 });
    expect(await placesOf(search, "apple140")).toContain("c 291");
    expect(await entries(schema)).toEqual({ c: 10 });
  });

  it("indexes a long history in steps, from the latest conversation on, in two processes at once", async () => {
    const { schema, provider, search, another } = await openStore();
    for (let chat = 0; chat < 8; chat++) {
      const texts = Array.from({ length: 320 }, (_, at) => `Chat${chat} message${at}`);
      await provider.storeMessages(`c${chat}`, said(...texts), { userId: "u" });
    }
    const first = await search.refresh("u", { maxMessages: 150 });
    expect(first).toMatchObject({ success: true, data: { read: 200, isComplete: false } });
    expect(await entries(schema)).toEqual({ c7: 200 });
    const others = await Promise.all([another(), another(), another()]);
    await Promise.all([search, ...others].map((one) => one.refresh("u")));
    expect((await search.refresh("u")).success).toBe(true);
    expect(Object.values(await entries(schema))).toEqual(Array.from({ length: 8 }, () => 320));
    expect(await placesOf(search, "message77", "u", "c3")).toContain("c3 77");
  });

  it("finds what is stored while other processes index and append", { timeout: 60_000 }, async () => {
    const { schema, provider, another } = await openStore();
    await provider.storeMessages("c", said("start"), { userId: "u" });
    const searches = await Promise.all([another(), another(), another()]);
    for (let round = 0; round < 15; round++) {
      await Promise.all([
        provider.appendMessages("c", said(`word${round}`)),
        ...searches.map((search) => placesOf(search, "start")),
      ]);
    }
    for (let round = 0; round < 15; round++)
      expect(await placesOf(searches[0] as MessageSearch, `word${round}`)).toContain(`c ${round + 1}`);
    expect(await entries(schema)).toEqual({ c: 16 });
  });

  it("leaves no entries of a conversation that is deleted while it is indexed", {
    timeout: 60_000,
  }, async () => {
    const { schema, provider, another } = await openStore();
    const [one, other] = await Promise.all([another(), another()]);
    const texts = Array.from({ length: 40 }, (_, at) => `Message ${at}`);
    for (let round = 0; round < 15; round++) {
      await provider.storeMessages("c", said(...texts), { userId: "u" });
      const results = await Promise.all([
        one.refresh("u"),
        other.search("u", "message"),
        provider.deleteConversation("c"),
      ]);
      expect(results.map(({ success }) => success)).toEqual([true, true, true]);
    }
    expect(await entries(schema)).toEqual({});
    expect(await passagesIn(schema)).toBe(0);
  });

  it.each(["*", "%", "a:b", "{}", "__proto__", '’ " \\', "日本語😀", "x".repeat(255)])(
    "supports the id %s of users and conversations",
    async (id) => {
      const { provider, search } = await openStore();
      await provider.storeMessages(id, said("Herring in Oslo", "ok"), { userId: id });
      expect((await placesOf(search, "herring", id))[0]).toBe(`${id} 0`);
      expect(await placesOf(search, "herring", `${id}`.slice(1) || "v")).toEqual([]);
    },
  );

  it("searches huge messages, empty ones and tool results", async () => {
    const { provider, search } = await openStore();
    const huge = `${"Lorem ipsum dolor. ".repeat(20_000)}The herring is here.`;
    await provider.storeMessages(
      "c",
      [
        ...said(huge, ""),
        { role: "tool", content: "herring", tool_call_id: "x" } as Message,
        { role: "user", content: "\0 zander \ud83d" },
      ],
      { userId: "u" },
    );
    expect(await placesOf(search, "herring")).toEqual(["c 0"]);
    expect(await placesOf(search, "zander")).toEqual(["c 3"]);
    expect(await placesOf(search, "herring".repeat(2_000))).toEqual([]);
  });

  it("works with partitioned conversations", async () => {
    const { schema, provider, search } = await openStore({ partitions: 4 });
    for (let chat = 0; chat < 8; chat++)
      await provider.storeMessages(`c${chat}`, said("herring"), { userId: "u" });
    expect(await placesOf(search, "herring")).toHaveLength(8);
    await provider.clearUserConversations("u");
    expect(await passagesIn(schema)).toBe(0);
  });

  it("is part of the transaction of a Client", async () => {
    const schema = freshSchema();
    schemas.push(schema);
    await useClient(async (client) => {
      const provider = await createPostgresProvider({ schema }, client);
      const search = createMessageSearch(provider, {
        index: await createPostgresMessageIndex({ schema }, client),
      });
      await client.query("BEGIN");
      await provider.storeMessages("c", said("herring"), { userId: "u" });
      expect(await placesOf(search, "herring")).toEqual(["c 0"]);
      await client.query("ROLLBACK");
      expect(await placesOf(search, "herring")).toEqual([]);
      expect(await entries(schema)).toEqual({});
    });
  });

  it("works on PGlite", { timeout: 60_000 }, async () => {
    const pglite = await PGlite.create();
    try {
      const provider = await createPostgresProvider({}, pglite);
      const search = createMessageSearch(provider, { index: await createPostgresMessageIndex({}, pglite) });
      await provider.storeMessages("\ufeffc", said("herring in Oslo", "ok"), { userId: "u" });
      expect((await placesOf(search, "herring"))[0]).toBe("\ufeffc 0");
      await provider.deleteConversation("\ufeffc");
      const { rows } = await pglite.query("SELECT FROM conversations_passages");
      expect(rows).toEqual([]);
    } finally {
      await pglite.close();
    }
  });

  it("reports a database that is gone as a failure", async () => {
    const { schema, provider } = await openStore();
    const ended = new pg.Pool({ connectionString: inject("pgUrl"), max: 1 });
    const search = createMessageSearch(provider, {
      index: await createPostgresMessageIndex({ schema }, ended),
    });
    await ended.end();
    expect(await search.search("u", "herring")).toMatchObject({ success: false });
    expect(await search.refresh("u")).toMatchObject({ success: false });
    expect(await search.search("", "herring")).toMatchObject({ success: false });
  });
});
