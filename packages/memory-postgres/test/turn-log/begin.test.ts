import { defineTurnLog } from "@jaf/memory/adapter";
import { expect, it } from "vitest";
import type { SqlClient } from "../../src/client/clients.ts";
import { createTurnLogBackend } from "../../src/turn-log/turn-log.ts";
import { newTurn } from "../support/turn-log.ts";

it("a turn fails with a retryable error, without a code of the server, if others are always in the way", async () => {
  let asked = 0;
  const query = async () => {
    asked += 1;
    return []; // A turn began to wait after the statement had looked for one.
  };
  const sql: SqlClient = { autocommit: true, concurrent: true, query, script: async () => {} };
  const names = { schema: "public", tableName: "conversations" };
  const log = defineTurnLog(createTurnLogBackend({ sql, names }));
  const answer = await log.begin(newTurn({ conversationId: "c" }));
  expect(answer).toMatchObject({
    error: { _tag: "MemoryStorageError", operation: "begin", retryable: true, provider: "postgres" },
  });
  if (answer.success) return expect.fail("it has begun");
  expect(answer.error.message).toMatch(/others begin and end turns of the conversation/);
  expect(answer.error.cause).not.toHaveProperty("code");
  expect(asked).toBe(5);
});
