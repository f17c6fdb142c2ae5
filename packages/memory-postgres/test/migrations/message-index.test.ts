import { MemorySetupError } from "@jaf/memory";
import { afterAll, describe, expect, it } from "vitest";
import { createPostgresProvider, migrate, printMigrations } from "../../src/index.ts";
import { createPostgresMessageIndex } from "../../src/user-memory/index.ts";
import { describeSchema } from "../support/schema.ts";
import { dropSchemas, freshSchema, runSql, useClient, useSchemaNamed } from "../support/stores.ts";

const groups = ["conversations", "message-index"] as const;
const schemas: string[] = [];
const schemaOf = (): string => {
  const name = freshSchema();
  schemas.push(name);
  return name;
};

afterAll(() => dropSchemas(schemas));

const ownLines = (described: string): string =>
  described
    .split("\n")
    .filter((line) => !line.startsWith(" ") || /_indexed|_passages|index_migrations/.test(line))
    .join("\n");

describe("the migrations of the group message-index", () => {
  it("create the reviewed tables", async () => {
    const schema = schemaOf();
    await useClient((client) => migrate(client, { schema, groups }));
    await expect(ownLines(await describeSchema(schema))).toMatchFileSnapshot("./message-index.schema.txt");
  });

  it("print a script with the same effect, any number of times", async () => {
    const [migrated, printed] = [schemaOf(), schemaOf()];
    await useClient((client) => migrate(client, { schema: migrated, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    await runSql(printMigrations({ schema: printed, groups }));
    expect(await describeSchema(printed)).toBe(await describeSchema(migrated));
  });

  it("run once if 8 indexes are created at the same time, and make the tables of conversations, too", async () => {
    const schema = schemaOf();
    const create = () =>
      useClient(async (client) => void (await createPostgresMessageIndex({ schema }, client)));
    await Promise.all(Array.from({ length: 8 }, create));
    const { rows } = await runSql(`SELECT id FROM "${schema}".conversations_index_migrations ORDER BY id`);
    expect(rows).toEqual([{ id: 0 }]);
    await useClient((client) => createPostgresProvider({ schema, migrate: false }, client));
  });

  it("are required by the error if the index must not run them, and a missing table is reported", async () => {
    const schema = schemaOf();
    await useClient(async (client) => {
      await migrate(client, { schema });
      const created = createPostgresMessageIndex({ schema, migrate: false }, client);
      await expect(created).rejects.toThrow(MemorySetupError);
      await expect(created).rejects.toThrow(/run migrate\(\).*"message-index"/);
      await migrate(client, { schema, groups });
      await createPostgresMessageIndex({ schema, migrate: false }, client);
      await client.query(`DROP TABLE "${schema}".conversations_passages`);
      await expect(createPostgresMessageIndex({ schema }, client)).rejects.toThrow(
        /some of the tables are gone/,
      );
    });
  });

  it.each(["te\"na'nt $jaf$ $jaf_migration$; --", '"public".', "%I %s"])(
    "support a schema named %s",
    (schema) =>
      useSchemaNamed(schema, async (client) => {
        const provider = await createPostgresProvider({ schema }, client);
        const index = await createPostgresMessageIndex({ schema }, client);
        await provider.storeMessages("c", [{ role: "user", content: "hi" }], { userId: "u" });
        expect(await index.changed("u", 10)).toEqual([{ conversationId: "c", indexedTo: 0 }]);
      }),
  );
});
