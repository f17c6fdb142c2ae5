import { PGlite } from "@electric-sql/pglite";
import { describeMemoryProvider } from "@jaf/memory/testing";
import { createPostgresProvider } from "../../src/index.ts";
import { freshSchema } from "../support/stores.ts";

const idle: string[] = [];
let pglite: PGlite;

describeMemoryProvider({
  name: "PGlite",
  capabilities: { durability: { unsupported: "it is in memory; `test/stress` kills one that has a folder" } },
  setUp: async () => {
    pglite = await PGlite.create();
  },
  tearDown: () => pglite.close(),
  createStore: async () => {
    const schema = idle.pop() ?? freshSchema();
    const connect = () => createPostgresProvider({ schema }, pglite);
    const dispose = async () => {
      await pglite.exec(
        `DELETE FROM "${schema}".conversations; DELETE FROM "${schema}".conversations_tombstones`,
      );
      idle.push(schema);
    };
    return { provider: await connect(), connect, dispose };
  },
});
