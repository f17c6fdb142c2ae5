import { expect, it } from "vitest";
import { findDriver } from "../src/client/driver.ts";
import { toFindStatement } from "../src/conversations/listing.ts";
import { createSqliteProvider } from "../src/index.ts";
import { testFile } from "./support/folder.ts";

const PAGE = { offset: 0, limit: 20, includeMessages: false };
const cursor = { lastActivity: new Date(0), conversationId: "c" };

it.each([
  [
    "a user",
    { userId: "u" },
    /SEARCH conversations USING INDEX conversations_by_user \(user_id=\? AND parent_id=\?/,
  ],
  [
    "a user from a cursor",
    { userId: "u", cursor },
    /conversations_by_user \(user_id=\? AND parent_id=\? AND/,
  ],
  ["all users", {}, /USING INDEX conversations_by_activity/],
  ["a parent", { childrenOf: "p" }, /USING INDEX conversations_by_parent \(parent_id=\?\)/],
  ["an id", { conversationId: "c" }, /USING INDEX sqlite_autoindex_conversations_1/],
  ["a trace", { traceId: "t" }, /USING COVERING INDEX traces_by_id \(trace_id=\?\)/],
] as const)("a list of %s is read from an index", async (_, query, expected) => {
  const file = await testFile();
  await (await createSqliteProvider({ file })).close();
  const handle = (await findDriver("test"))(file);
  const [sql, values] = toFindStatement({ ...PAGE, ...query }, Date.now());
  const rows = handle.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { readonly detail: string }[];
  handle.close();
  const plan = rows.map(({ detail }) => detail).join("\n");
  expect(plan).toMatch(expected);
  expect(plan).not.toMatch(/SCAN conversations$/m);
  // The conversations of a trace are few, and are sorted.
  if (!("traceId" in query)) expect(plan).not.toMatch(/TEMP B-TREE/);
});
