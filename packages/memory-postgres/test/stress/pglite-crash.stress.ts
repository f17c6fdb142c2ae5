import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../../src/pglite/index.ts";
import { startChild } from "../support/child.ts";
import { contents, createFolders } from "../support/folders.ts";
import { createProvider } from "../support/provider.ts";

let folders: Awaited<ReturnType<typeof createFolders>>;
beforeAll(async () => {
  folders = await createFolders();
});
afterAll(() => folders.remove());

describe("a killed process", () => {
  it("leaves every acknowledged message, and frees the folder", async () => {
    const folder = folders.copy();
    for (let round = 0; round < 10; round++) {
      const before = (await contents(folder)).length;
      const child = await startChild("append-child.ts", [folder]);
      await child.line("acknowledged 20");
      if (round === 0)
        await expect(openPglite(folder)).rejects.toThrow(`process ${child.process.pid} has it open`);
      await sleep(Math.random() * 50);
      await child.kill();
      const acknowledged = child.lines.length;
      const stored = (await contents(folder)).slice(before);
      // One more message may be stored without its acknowledgement.
      expect([acknowledged, acknowledged + 1]).toContain(stored.length);
      expect(stored).toEqual(stored.map((_, index) => String(index + 1)));
    }
  });

  it("in the middle of creating a database leaves a folder that can be created again", async () => {
    const folder = join(folders.root, "interrupted");
    const child = await startChild("append-child.ts", [folder]);
    await expect.poll(() => existsSync(join(folder, "base")), { timeout: 20_000, interval: 5 }).toBe(true);
    await child.kill();
    expect(child.lines).toEqual([]);
    expect(await contents(folder)).toEqual([]);
  });
});

function mounted(folder: string, megabytes: number): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "jaf-mount-"));
  const can = process.platform === "linux" && mounted(folder, 1);
  if (can) execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return can;
}

describe("a full disk", () => {
  it.runIf(canMount())("is named, and no stored data is lost (needs the right to mount)", async () => {
    const disk = join(folders.root, "disk");
    mounted(disk, 56);
    try {
      const folder = join(disk, "db");
      folders.copy(folder);
      const { client, close } = await openPglite(folder);
      const provider = await createProvider({}, client);
      const content = () => crypto.getRandomValues(Buffer.alloc(30_000)).toString("base64");
      let stored = 1;
      let result = await provider.appendMessages("c", [{ role: "user", content: content() }]);
      for (; result.success; stored++)
        result = await provider.appendMessages("c", [{ role: "user", content: content() }]);
      expect(result.error).toMatchObject({ _tag: "MemoryStorageError", retryable: true });
      expect(result.error.message).toContain("disk of the server is full");
      // Postgres panicked because of its log. Without the guard, PGlite would loop forever here.
      expect(await provider.getStats()).toMatchObject({
        error: { message: expect.stringMatching(/has stopped/) },
      });
      await close();
      await expect(openPglite(folder)).rejects.toMatchObject({ reason: "disk-full" });
      execFileSync("mount", ["-o", "remount,size=300m", disk]);
      expect((await contents(folder)).length).toBe(stored);
    } finally {
      execFileSync("umount", ["--lazy", disk]); // PGlite leaves files open after a crash.
    }
  });
});
