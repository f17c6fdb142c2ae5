import { PGlite } from "@electric-sql/pglite";
import { describeMemoryProvider } from "@jaf/memory/testing";
import { mediaEverywhere } from "../../../../test/media/everywhere.ts";
import { createPostgresBlobStore, createPostgresProvider } from "../../src/index.ts";
import { connectPool, createSchemas, freshSchema } from "../support/stores.ts";

// The stores of `createSchemas` are emptied with their conversations. Blobs of other tests may stay, but no test sees
// them.
describeMemoryProvider({
  name: "postgres, every message of it in a blob store",
  // A batch of 5,000 messages needs 5,000 writes of blobs first.
  timeoutMs: 60_000,
  ...createSchemas((schema) =>
    connectPool(schema, {}, async (config, pool) =>
      mediaEverywhere(
        await createPostgresProvider(config, pool),
        await createPostgresBlobStore({ schema }, pool),
      ),
    ),
  ),
});

const idle: string[] = [];
let pglite: PGlite;

// The whole kit runs on PGlite without blobs, and on the pool above with blobs.
describeMemoryProvider({
  name: "PGlite, every message of it in a blob store",
  rules: "smoke",
  // Each call does several times as much work, on one connection.
  timeoutMs: 120_000,
  capabilities: { durability: { unsupported: "it is in memory" } },
  setUp: async () => {
    pglite = await PGlite.create();
  },
  tearDown: () => pglite.close(),
  createStore: async () => {
    const schema = idle.pop() ?? freshSchema();
    const connect = async () =>
      mediaEverywhere(
        await createPostgresProvider({ schema }, pglite),
        await createPostgresBlobStore({ schema }, pglite),
      );
    const dispose = async () => {
      const tables = ["conversations", "conversations_tombstones", "conversations_blobs"];
      await pglite.exec(tables.map((table) => `DELETE FROM "${schema}".${table}`).join(";"));
      idle.push(schema);
    };
    return { provider: await connect(), connect, dispose };
  },
});
