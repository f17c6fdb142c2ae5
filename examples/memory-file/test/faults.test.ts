import { existsSync } from "node:fs";
import { appendFile, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toMemoryError } from "../src/faults.ts";
import { createFileProvider, type FileConfig } from "../src/index.ts";
import { logName } from "../src/logs.ts";
import { finish, startCramped } from "./support/child.ts";
import { said, say, UNOWNED } from "./support/messages.ts";
import { failure, onlyLog, setupError, testFolder, using } from "./support/open.ts";

test("an invalid configuration throws a TypeError that names the field", async () => {
  const misspelt: object = { folder: "x", foldr: "y" };
  await expect(createFileProvider(misspelt as FileConfig)).rejects.toThrow(/foldr/);
  await expect(createFileProvider({ folder: "" })).rejects.toThrow(TypeError);
  await expect(createFileProvider({ folder: "x", compactAfterLines: 0.5 })).rejects.toThrow(
    /compactAfterLines/,
  );
});

test("a folder that is a file throws a MemorySetupError that says what to do", async () => {
  const file = join(await testFolder(), "file");
  await writeFile(file, "");
  for (const folder of [file, join(file, "below")]) {
    const error = await setupError({ folder });
    expect(error).toMatchObject({ _tag: "MemoryConnectionError", operation: "createFileProvider" });
    expect(error.message).toContain("not a folder; choose another one");
  }
});

test("missing folders are created", async () => {
  const folder = join(await testFolder(), "a", "b");
  await using({ folder }, (provider) => provider.appendMessages("c", [say("one")], {}, UNOWNED));
  expect(await using({ folder }, (provider) => said(provider, "c"))).toEqual(["one"]);
});

test.runIf(existsSync("/dev/full"))(
  "a full disk fails the write, changes nothing, and later writes succeed",
  async () => {
    const folder = await testFolder();
    await using({ folder }, async (provider) => {
      const log = join(folder, logName("c"));
      await symlink("/dev/full", log);
      const error = failure(await provider.appendMessages("c", [say("lost")], {}, UNOWNED));
      expect(error).toMatchObject({
        _tag: "MemoryStorageError",
        operation: "appendMessages",
        provider: "file",
      });
      expect(error.cause?.code).toBe("ENOSPC");
      expect(error.message).toContain("free some space");
      expect(await said(provider, "c")).toEqual([]);
      await rm(log);
      await provider.appendMessages("c", [say("kept")], {}, UNOWNED);
    });
    expect(await using({ folder }, (provider) => said(provider, "c"))).toEqual(["kept"]);
  },
);

test.skipIf(process.platform === "win32")(
  "a partial write leaves nothing behind, and a smaller write succeeds",
  async () => {
    const folder = await testFolder();
    const output = await finish(startCramped("cramped-child.ts", [folder], 4_096));
    const { written, error } = JSON.parse(output);
    expect(error).toMatchObject({ _tag: "MemoryStorageError", cause: { code: "EFBIG" } });
    expect(written).toBeGreaterThan(2);
    expect((await readFile(await onlyLog(folder))).at(-1)).toBe("\n".charCodeAt(0));
    const lengths = await using({ folder }, (provider) => said(provider, "c"));
    expect(lengths.map((text) => String(text).length)).toEqual([...Array(written).fill(300_000), 5]);
  },
);

test("a log that another program changed or deleted is not written to", async () => {
  const folder = await testFolder();
  await using({ folder }, async (provider) => {
    await provider.appendMessages("c", [say("one")], {}, UNOWNED);
    const log = await onlyLog(folder);
    await appendFile(log, "something else\n");
    const before = await readFile(log, "utf8");
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const error = failure(await provider.appendMessages("c", [say("two")], {}, UNOWNED));
      expect(error).toMatchObject({ _tag: "MemoryStorageError", retryable: false });
      expect(error.message).toContain("changed by another program");
      expect(await readFile(log, "utf8")).toBe(before);
    }
    await rm(log);
    expect(failure(await provider.appendMessages("c", [say("two")], {}, UNOWNED)).message).toContain(
      "missing",
    );
  });
});

test("a deleted folder is unhealthy, and writes to it fail", async () => {
  const folder = await testFolder();
  const provider = await createFileProvider({ folder });
  await rm(folder, { recursive: true });
  expect(await provider.healthCheck()).toMatchObject({ success: true, data: { healthy: false } });
  expect(failure(await provider.appendMessages("c", [say("one")], {}, UNOWNED))).toMatchObject({
    _tag: "MemoryConnectionError",
  });
});

test.each([
  ["ENOSPC", "MemoryStorageError", "free some space", false],
  ["EDQUOT", "MemoryStorageError", "free some space", false],
  ["EIO", "MemoryStorageError", "check the disk", false],
  ["EACCES", "MemoryConnectionError", "let this user read and write", false],
  ["EROFS", "MemoryConnectionError", "read-only", false],
  ["EMFILE", "MemoryConnectionError", "too many files", true],
])("%s becomes a %s that says: %s", (code, tag, remedy, retryable) => {
  const error = toMemoryError("appendMessages", Object.assign(new Error("driver"), { code }));
  expect(error).toMatchObject({ _tag: tag, retryable, operation: "appendMessages", cause: { code } });
  expect(error.message).toContain(remedy);
});
