import { afterAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/index.ts";
import { conversationTables } from "../../src/migrations/conversations.ts";
import { migrateGroups } from "../../src/migrations/migrator.ts";
import { createProvider } from "../support/provider.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, useClient } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};
afterAll(() => dropSchemas(schemas));

const { functions: _, ...tables } = conversationTables;
/** The tables before conversations could be children of others, without their functions. */
const older = { ...tables, migrations: tables.migrations.slice(0, 1) };

describe.each([
  ["in one piece", {}],
  ["in partitions", { partitions: 2 }],
])("tables %s from before conversations had parents", (_name, layout) => {
  it("get the column with the next migration, and keep their conversations", async () => {
    const [schema, fresh] = [schemaOf(), schemaOf()];
    await useClient(async (client) => {
      await migrateGroups(client, [older], { schema, tableName: "conversations", ...layout });
      await client.query(
        `INSERT INTO "${schema}".conversations (conversation_id, user_id) VALUES ('p', 'u')`,
      );
      const unmigrated = createProvider({ schema, migrate: false }, client);
      await expect(unmigrated).rejects.toThrow(/out of date; run migrate\(\)/);
      const provider = await createProvider({ schema, ...layout }, client);
      const read = await provider.readConversation("p");
      if (!read.success) throw new Error(read.error.message);
      const childOf = { conversationId: "p", incarnation: read.data.incarnation };
      const options = { createIfMissing: true, childOf } as const;
      expect(await provider.appendMessages("c", [], { userId: "u" }, options)).toMatchObject({
        success: true,
      });
      expect(await provider.findConversations({ userId: "u" })).toMatchObject({
        data: [{ conversationId: "p" }],
      });
      expect(await provider.findConversations({ childrenOf: "p" })).toMatchObject({
        data: [{ conversationId: "c", metadata: { childOf: "p" } }],
      });
      await migrate(client, { schema: fresh, ...layout });
    });
    expect(await describeSchema(schema)).toBe(await describeSchema(fresh));
  });
});
