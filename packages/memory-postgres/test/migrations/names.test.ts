import { afterAll, describe, expect, it } from "vitest";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient, useSchemaNamed } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const name = freshSchema();
  schemas.push(name);
  return name;
};

afterAll(() => dropSchemas(schemas));

describe("migrations", () => {
  it.each([
    "te\"na'nt $jaf$ $jaf_migration$; --",
    "Müller & Söhne",
    "public",
    "a\\b",
    "$function$; DROP SCHEMA public; --",
    '"public".',
    "select",
    "😀".repeat(15),
    "%I %s",
  ])("support a schema named %s", async (schema) => {
    const tableName = `t${crypto.randomUUID().replaceAll("-", "")}`;
    await useSchemaNamed(schema, async (client) => {
      const provider = await createProvider({ schema, tableName }, client);
      const appended = await provider.appendMessages("c", [{ role: "user", content: "hi" }], {
        userId: "u",
        traceId: "t",
      });
      // `toEqual` makes a failure print the whole error.
      expect(appended).toEqual(expect.objectContaining({ success: true }));
      const found = await provider.findConversations({ userId: "u", traceId: "t" });
      const messages = [expect.objectContaining({ content: "hi" })];
      expect(found).toEqual({ success: true, data: [expect.objectContaining({ messages })] });
    });
  });

  it.each(["select", "user", "__proto__", "constructor", "_", "t".repeat(40), "__p__"])(
    "support tables named %s",
    async (tableName) => {
      const schema = schemaOf();
      const metadata = { userId: "u", traceId: "t" };
      await useClient(async (client) => {
        const provider = await createProvider({ schema, tableName }, client);
        await provider.appendMessages("c", [{ role: "user", content: "hi" }], metadata, { maxMessages: 1 });
        expect(await provider.findConversations(metadata)).toMatchObject({
          data: [{ messages: [{ content: "hi" }] }],
        });
        expect(await provider.clearUserConversations("u")).toEqual({ success: true, data: 1 });
      });
      const { rows } = await runSql(
        `SELECT to_regclass('"${schema}"."${tableName}_messages"') IS NOT NULL AS made`,
      );
      expect(rows).toEqual([{ made: true }]);
    },
  );

  it("support a schema with a backslash if a backslash in a string escapes", async () => {
    const schema = "back\\'slash";
    await useSchemaNamed(schema, async (client) => {
      await client.query("SET standard_conforming_strings = off; SET escape_string_warning = off");
      const provider = await createProvider({ schema }, client);
      await provider.appendMessages("c", [{ role: "user", content: "a\0\\u0000" }], { userId: "u" });
      expect(await createProvider({ schema, migrate: false }, client)).toBeDefined();
      const { rows } = await client.query(`SELECT messages FROM "${schema}".conversations_with_messages`);
      expect(rows).toEqual([{ messages: [{ role: "user", content: "a\ufffd\\u0000" }] }]);
      expect(await provider.clearUserConversations("u")).toEqual({ success: true, data: 1 });
    });
  });

  it("keep providers with tables of different names separate", async () => {
    const schema = schemaOf();
    const longest = "l".repeat(40);
    await useClient(async (client) => {
      const one = await createProvider({ schema }, client);
      const other = await createProvider({ schema, tableName: longest }, client);
      await one.appendMessages("c", [{ role: "user", content: "hi" }]);
      expect(await other.getConversation("c")).toEqual({ success: true, data: null });
      expect(await other.appendMessages("d", [], {}, { maxMessages: 1 })).toMatchObject({ success: true });
    });
  });
});
