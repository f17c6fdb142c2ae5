import { spawnSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFileProvider } from "../src/index.ts";
import { thisProcess } from "../src/owner.ts";
import { startChild } from "./support/child.ts";
import { said } from "./support/messages.ts";
import { setupError, testFolder, using } from "./support/open.ts";

const locks = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith("lock-"));

test("a second provider on the folder is refused with an error that says what to do, and the first still works", async () => {
  const folder = await testFolder();
  await using({ folder }, async (provider) => {
    const [lock = ""] = await locks(folder);
    const error = await setupError({ folder });
    expect(error).toMatchObject({ _tag: "MemoryConnectionError", retryable: true });
    expect(error.message).toContain(`delete the file ${lock}`);
    expect(await provider.healthCheck()).toMatchObject({ data: { healthy: true } });
  });
  expect(await locks(folder)).toEqual([]);
  await using({ folder }, (provider) => said(provider, "c"));
});

test("a folder that another process uses is refused until that process has ended", async () => {
  const folder = await testFolder();
  const child = startChild("writer-child.ts", [folder]);
  await new Promise((done) => child.stdout.once("data", done));
  const closed = new Promise((done) => child.once("close", done));
  try {
    expect((await setupError({ folder })).message).toContain("another provider uses the folder");
  } finally {
    child.kill("SIGKILL");
  }
  await closed;
  expect(await locks(folder)).toHaveLength(1);
  expect(await using({ folder }, (provider) => said(provider, "all"))).toContain("1");
  expect(await locks(folder)).toEqual([]);
});

test("at most one of several providers that open a folder at the same time gets it", async () => {
  const folder = await testFolder();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const { host } = await thisProcess();
  await writeFile(join(folder, `lock-${host}-${pid}-1-00000000`), "");
  const opened = await Promise.allSettled(Array.from({ length: 6 }, () => createFileProvider({ folder })));
  const providers = opened.filter((result) => result.status === "fulfilled").map(({ value }) => value);
  expect(providers.length).toBeLessThanOrEqual(1);
  for (const provider of providers) await provider.close();
  expect(await locks(folder)).toEqual([]);
});

test("a lock of another machine holds, because this machine can't tell whether its process runs", async () => {
  const folder = await testFolder();
  await writeFile(join(folder, "lock-00000000-1-1-00000000"), "");
  expect((await setupError({ folder })).message).toContain("delete the file lock-00000000-1-1-00000000");
});

test.runIf(process.platform === "linux")(
  "a lock is stale if its pid now belongs to another process",
  async () => {
    const folder = await testFolder();
    const { host, pid, start } = await thisProcess();
    await writeFile(join(folder, `lock-${host}-${pid}-${start - 1}-00000000`), "");
    await using({ folder }, (provider) => said(provider, "c"));
  },
);
