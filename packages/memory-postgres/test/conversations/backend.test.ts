import { defineMemoryProvider, messageHash } from "@jaf/memory/adapter";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createPostgresBackend } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";
import { transformed } from "../support/transformed.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};
afterAll(() => dropSchemas(schemas));

const hello = [{ role: "user", content: "hello" }] as const;

const encrypt = (body: string): string => Buffer.from(body).toString("base64");
const decrypt = (body: string): string => Buffer.from(body, "base64").toString();

const wrappers: readonly (readonly [string, (body: string) => string, (body: string) => string])[] = [
  ["encrypted", encrypt, decrypt],
  ["empty", () => "", () => JSON.stringify(hello[0])],
  ["similar to JSON", (body) => `{${body}`, (body) => body.slice(1)],
];

describe("a wrapped backend", () => {
  it.each(wrappers)("stores a text that is %s, and the view shows it", (_name, to, from) =>
    useClient(async (client) => {
      const schema = schemaOf();
      const provider = defineMemoryProvider(
        transformed(await createPostgresBackend({ schema }, client), to, from),
      );
      await provider.storeMessages("c", [...hello, ...hello], { userId: "u" });
      await provider.appendMessages("c", hello);
      const all = [...hello, ...hello, ...hello];
      expect(await provider.getConversation("c")).toMatchObject({ data: { messages: all } });
      expect(await provider.getRecentMessages("c", 2)).toMatchObject({ data: [...hello, ...hello] });
      expect(await provider.findConversations({ userId: "u" })).toMatchObject({ data: [{ messages: all }] });
      const range = await provider.readConversation("c", { messages: { after: 0, limit: 1 } });
      expect(range).toMatchObject({ data: { conversation: { messages: hello }, firstPosition: 1 } });
      const { rows } = await runSql(`SELECT messages FROM "${schema}".conversations_with_messages`);
      expect(rows).toEqual([{ messages: all.map((message) => to(JSON.stringify(message))) }]);
    }),
  );
});

describe("the raw backend", () => {
  it("closes only what it opened", async () => {
    const own = await createPostgresBackend({ connectionString: inject("pgUrl"), schema: schemaOf() });
    await own.ping();
    await own.close();
    await expect(own.ping()).rejects.toThrow();
    const pool = new pg.Pool({ connectionString: inject("pgUrl") });
    await (await createPostgresBackend({ schema: schemaOf() }, pool)).close();
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it("refuses the same input as the provider, and names itself", async () => {
    await expect(createPostgresBackend({ tableName: "no name" })).rejects.toThrow(TypeError);
    const unreachable = createPostgresBackend({ host: "127.0.0.1", port: 1 });
    await expect(unreachable).rejects.toMatchObject({ error: { operation: "createPostgresBackend" } });
  });
});

it("a hash that doesn't match its message is detected, however it was stored", async () => {
  const schema = schemaOf();
  await useClient(async (client) => {
    const provider = await createProvider({ schema }, client);
    for (const content of ["first", "second", "third"])
      await provider.appendMessages("c", [{ role: "user", content }]);
    const bodies = ["one", "two", "three"].map((content) => JSON.stringify({ role: "user", content }));
    for (const length of [1, 2, 3]) {
      const batch = bodies.slice(0, length);
      const hashes = batch.map((body, at) => messageHash(at === length - 1 ? "another text" : body));
      const { rows } = await client.query(
        `SELECT "${schema}".conversations_write('c', false, $1::text[], $2::text[], $3::boolean[], 0, NULL, NULL, '{}', '{}',
          NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS outcome`,
        [batch, hashes, batch.map(() => false)],
      );
      expect(rows[0]?.outcome).toMatch(/^written /);
      expect(await provider.verifyConversation("c")).toMatchObject({
        data: { intact: false, position: 2 + length, found: "changed" },
      });
      await provider.appendMessages("c", [], {}, { dropLast: length });
      expect(await provider.verifyConversation("c")).toMatchObject({ data: { intact: true, messages: 3 } });
    }
  });
});
