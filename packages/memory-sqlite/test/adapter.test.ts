import { createMemoryProviderFromEnv, registerMemoryAdapter } from "@jaf/memory";
import { expect, it } from "vitest";
import { adapter, createSqliteProvider, createSqliteTurnLog, openSqlite } from "../src/index.ts";
import { createSqliteUserMemory } from "../src/user-memory/index.ts";
import { testFile } from "./support/folder.ts";
import { said, say, UNOWNED } from "./support/open.ts";

it("JAF_MEMORY_TYPE=sqlite and JAF_SQLITE_FILE create a provider", async () => {
  const file = await testFile();
  registerMemoryAdapter(adapter);
  const provider = await createMemoryProviderFromEnv(
    {},
    { JAF_MEMORY_TYPE: "sqlite", JAF_SQLITE_FILE: file },
  );
  expect(await provider.appendMessages("c", [say("1")], {}, UNOWNED)).toMatchObject({ success: true });
  await provider.close();
  const again = await createSqliteProvider({ file });
  expect(await said(again, "c")).toEqual(["1"]);
  await again.close();
});

it("several stores share an open database, which closing them leaves open", async () => {
  const database = await openSqlite(await testFile());
  const provider = await createSqliteProvider({}, database);
  const facts = await createSqliteUserMemory({}, database);
  const log = await createSqliteTurnLog({}, database);
  await facts.remember("u", "Is allergic to peanuts");
  await provider.close();
  await log.close();
  expect((await facts.recall("u", "peanuts")).map(({ fact }) => fact)).toEqual(["Is allergic to peanuts"]);
  await facts.close();
  const another = await createSqliteProvider({}, database);
  expect(await said(another, "c")).toEqual([]);
  await database.close();
  await database.close();
  expect(await another.getConversation("c")).toMatchObject({
    error: { _tag: "MemoryConnectionError", retryable: false },
  });
});

it("a store without a file or a database, and a misspelt field, are refused", async () => {
  await expect(createSqliteProvider({})).rejects.toThrow(/expected the path of a file in `file`/);
  await expect(createSqliteUserMemory({})).rejects.toThrow(TypeError);
  await expect(openSqlite("")).rejects.toThrow(TypeError);
  // @ts-expect-error A misspelt field.
  await expect(createSqliteProvider({ path: "memory.db" })).rejects.toThrow(TypeError);
  // @ts-expect-error Not a database.
  await expect(createSqliteProvider({}, { file: "memory.db" })).rejects.toThrow(/openSqlite/);
});
