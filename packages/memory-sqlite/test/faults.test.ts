import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { defineMemoryProvider } from "@jaf/memory/adapter";
import { expect, it } from "vitest";
import { type DriverHandle, findDriver, isSafeVersion } from "../src/client/driver.ts";
import { createConversationBackend } from "../src/conversations/backend.ts";
import { openDatabase } from "../src/database.ts";
import { createSqliteProvider } from "../src/index.ts";
import { testFile } from "./support/folder.ts";
import { failure, said, say, setupError, UNOWNED } from "./support/open.ts";

/** Opens a file together with its connection, whose settings a test can change. */
async function openWithHandle(file: string) {
  const openHandle = await findDriver("test");
  const handles: DriverHandle[] = [];
  const database = await openDatabase(file, "test", (path) => {
    const handle = openHandle(path);
    handles.push(handle);
    return handle;
  });
  const provider = defineMemoryProvider(createConversationBackend(database, database.close));
  return { provider, change: (sql: string) => handles[0]?.exec(sql) };
}

it("a full disk is a storage error, nothing of the write is stored, and smaller writes go on", async () => {
  const file = await testFile();
  const { provider, change } = await openWithHandle(file);
  await provider.appendMessages("c", [say("1")], {}, UNOWNED);
  change("PRAGMA max_page_count = 100"); // The error of a full disk.
  const big = [say("x".repeat(1_000_000)), say("y")];
  const answers = await Promise.all([
    provider.appendMessages("c", [say("2")]),
    provider.appendMessages("c", big),
    provider.appendMessages("c", [say("3")]),
  ]);
  expect(answers.map(({ success }) => success)).toEqual([true, false, true]);
  expect(answers[1]).toMatchObject({
    error: { _tag: "MemoryStorageError", provider: "sqlite", cause: { code: "SQLITE_FULL" } },
  });
  expect(await said(provider, "c")).toEqual(["1", "2", "3"]);
  await provider.close();
});

it("a file that can't be written is a storage error, and is read", async () => {
  const { provider, change } = await openWithHandle(await testFile());
  await provider.appendMessages("c", [say("1")], {}, UNOWNED);
  change("PRAGMA query_only = ON");
  const error = failure(await provider.appendMessages("c", [say("2")]));
  expect(error).toMatchObject({ _tag: "MemoryStorageError", cause: { code: "SQLITE_READONLY" } });
  expect(error.message).toMatch(/read-only/);
  expect(await said(provider, "c")).toEqual(["1"]);
  await provider.close();
});

it("a damaged file is a storage error that says what to do, without content", async () => {
  const file = await testFile();
  const provider = await createSqliteProvider({ file });
  await provider.appendMessages("c", [say("secret ".repeat(20_000))], {}, UNOWNED);
  await provider.close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(7, bytes.length - 50_000));
  const again = await createSqliteProvider({ file });
  const error = failure(await again.getConversation("c"));
  expect(error).toMatchObject({ _tag: "MemoryStorageError", cause: { code: "SQLITE_CORRUPT" } });
  expect(error.message).toMatch(/restore a backup/);
  expect(JSON.stringify(error)).not.toContain("secret");
  await again.close();
});

it("a file that isn't a database, or that can't be opened, is refused", async () => {
  const file = await testFile();
  await writeFile(file, "not a database".repeat(1_000));
  expect(await setupError(file)).toMatchObject({
    _tag: "MemoryConnectionError",
    cause: { code: "SQLITE_NOTADB" },
    retryable: false,
  });
  expect((await setupError(`${file}/in/a/file`)).message).toMatch(/check `file`/);
  expect((await setupError(`${file}-no/folder`)).message).toMatch(/folder or the file is missing/);
});

it("a file of another application, or of a newer version, is refused and left alone", async () => {
  const openHandle = await findDriver("test");
  const foreign = await testFile();
  const handle = openHandle(foreign);
  handle.exec("CREATE TABLE notes (text)");
  handle.close();
  const before = await readFile(foreign);
  expect((await setupError(foreign)).message).toMatch(/another application/);

  const file = await testFile();
  await (await createSqliteProvider({ file })).close();
  const newer = openHandle(file);
  newer.exec("PRAGMA user_version = 99");
  newer.close();
  expect((await setupError(file)).message).toMatch(/format 99.*newer version/);
  expect(before.includes("notes")).toBe(true);
});

it("writes to a file that was deleted or replaced fail", async () => {
  const file = await testFile();
  const provider = await createSqliteProvider({ file });
  await provider.appendMessages("c", [say("1")], {}, UNOWNED);
  await rename(file, `${file}.moved`);
  expect(failure(await provider.appendMessages("c", [say("2")]))).toMatchObject({
    _tag: "MemoryConnectionError",
    cause: { code: "ENOENT" },
  });
  expect(await provider.healthCheck()).toMatchObject({ data: { healthy: false } });
  await (await open(file, "w")).close();
  expect(failure(await provider.appendMessages("c", [say("2")])).message).toMatch(/replaced/);
  await rm(file);
  await rename(`${file}.moved`, file);
  expect(await provider.appendMessages("c", [say("2")])).toMatchObject({ success: true });
  expect(await said(provider, "c")).toEqual(["1", "2"]);
  await provider.close();
});

it("a write waits for the lock of another program, and a read does not", async () => {
  const file = await testFile();
  const { provider } = await openWithHandle(file);
  const other = (await findDriver("test"))(file);
  other.exec("BEGIN IMMEDIATE");
  const append = provider.appendMessages("c", [say("1")], {}, UNOWNED);
  expect(await said(provider, "c")).toEqual([]); // Readers don't wait.
  other.exec("COMMIT");
  expect(await append).toMatchObject({ success: true });
  other.close();
  await provider.close();
});

it("erased texts aren't left in the file", async () => {
  const file = await testFile();
  const provider = await createSqliteProvider({ file });
  await provider.appendMessages("c", [say("peanut allergy ".repeat(1_000))], {}, UNOWNED);
  await provider.appendMessages("d", [say("other")], {}, UNOWNED);
  await provider.deleteConversation("c");
  await provider.close();
  expect((await readFile(file)).includes("peanut")).toBe(false);
});

it("knows which versions of SQLite lose no write", () => {
  const safe = ["3.44.6", "3.50.7", "3.51.3", "3.53.0", "4.0.0"];
  const unsafe = ["3.44.5", "3.45.1", "3.50.6", "3.51.2"];
  expect([...safe, ...unsafe].filter(isSafeVersion)).toEqual(safe);
});
