import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { MemorySetupError } from "@jaf/memory";
import type { UserMemoryStore } from "@jaf/user-memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresUserMemory, type PostgresUserMemoryConfig } from "../../src/user-memory/index.ts";
import { dropSchemas, freshSchema, useClient } from "../support/stores.ts";

const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};
afterAll(() => dropSchemas(schemas));

const places: Readonly<Record<string, readonly number[]>> = {
  "Lives in Oslo": [1, 0.1, 0],
  "Lives in Rome": [0, 1, 0.1],
  "Lives in Lima": [0, 0.1, 1],
  norway: [1, 0, 0],
  italy: [0, 1, 0],
  peru: [0, 0, 1],
};

/** Vectors for texts without a common word, which are found only by meaning. */
const embed = async (texts: readonly string[]) => texts.map((text) => places[text] ?? [0.1, 0.1, 0.1]);

let pglite: PGlite;
beforeAll(async () => {
  pglite = await PGlite.create({ extensions: { vector } });
});
afterAll(() => pglite.close());

const first = async (memory: UserMemoryStore, query: string) => (await memory.recall("u", query))[0]?.fact;
const open = (config: PostgresUserMemoryConfig) => createPostgresUserMemory({ embed, ...config }, pglite);
const columns = async (schema: string) =>
  (
    await pglite.query(`SELECT fact, vector IS NOT NULL AS compared_here, packed_vector IS NOT NULL AS packed
      FROM "${schema}".user_memory_facts ORDER BY seq`)
  ).rows;

describe("with embed", () => {
  it("facts are found by meaning, even if pgvector was added or removed after they were remembered", async () => {
    const schema = freshSchema();
    const before = await open({ schema });
    await before.remember("u", "Lives in Oslo");
    expect(await first(before, "norway")).toBe("Lives in Oslo");

    const using = await open({ schema, pgvector: "create" });
    await using.remember("u", "Lives in Rome");
    expect(await first(using, "norway")).toBe("Lives in Oslo");
    expect(await first(using, "italy")).toBe("Lives in Rome");

    const without = await open({ schema, pgvector: "off" });
    await without.remember("u", "Lives in Lima");
    for (const memory of [before, using, without, await open({ schema })]) {
      expect(await first(memory, "norway")).toBe("Lives in Oslo");
      expect(await first(memory, "italy")).toBe("Lives in Rome");
      expect(await first(memory, "peru")).toBe("Lives in Lima");
    }
    expect(await columns(schema)).toEqual([
      { fact: "Lives in Oslo", compared_here: false, packed: true },
      { fact: "Lives in Rome", compared_here: true, packed: false },
      { fact: "Lives in Lima", compared_here: false, packed: true },
    ]);
    expect(await without.forgetAll("u")).toMatchObject({ facts: 3, vectors: 3 });
  });

  it("pgvector works in a schema with any name, outside of the search_path", async () => {
    await pglite.exec(`DROP EXTENSION IF EXISTS vector CASCADE; CREATE SCHEMA "Ex""tensions";
      CREATE EXTENSION vector SCHEMA "Ex""tensions"`);
    const schema = freshSchema();
    const memory = await open({ schema });
    await memory.remember("u", "Lives in Rome");
    expect(await first(memory, "italy")).toBe("Lives in Rome");
    expect(await columns(schema)).toMatchObject([{ compared_here: true }]);
  });

  it("a store that should create pgvector reports that the server doesn't have it", () =>
    useClient(async (client) => {
      const { rows } = await client.query("SELECT FROM pg_available_extensions WHERE name = 'vector'");
      const created = createPostgresUserMemory({ schema: schemaOf(), embed, pgvector: "create" }, client);
      if (rows.length > 0) return void (await created);
      await expect(created).rejects.toThrow(MemorySetupError);
      await expect(created).rejects.toThrow(/pgvector can't be created/);
    }));
});
