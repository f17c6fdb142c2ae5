import type { FactSelection } from "@jaf/user-memory/adapter";
import { expect, it } from "vitest";
import type { SqlClient } from "../../src/client/clients.ts";
import type { Statement } from "../../src/client/statement.ts";
import { createUserMemoryTables } from "../../src/migrations/user-memory.ts";
import { createReads } from "../../src/user-memory/reads.ts";

it("lists of a selection that are undefined select nothing", async () => {
  const sent: Statement[] = [];
  const query = async (statement: Statement) => {
    sent.push(statement);
    return [];
  };
  const sql: SqlClient = { autocommit: true, concurrent: true, query, script: async () => {} };
  const reads = createReads(sql, createUserMemoryTables({ schema: "public", tableName: "user_memory" }));
  const user = { userId: "u", hash: "hash" };
  const absent = { ids: undefined, seqs: undefined, locations: undefined } as unknown as FactSelection;
  const keys = { keys: ["drink"] };
  expect(await reads.read(user, { ...absent, ...keys })).toEqual(await reads.read(user, keys));
  expect(sent[0]).toEqual(sent[1]);
});
