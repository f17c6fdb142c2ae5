import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../../src/pglite/index.ts";
import { contents, createFolders } from "../support/folders.ts";

let folders: Awaited<ReturnType<typeof createFolders>>;
beforeAll(async () => {
  folders = await createFolders();
});
afterAll(() => folders.remove());

describe("a folder with a database", () => {
  it("returns the stored data", async () => {
    expect(await contents(folders.original)).toEqual(["kept"]);
  });

  it("allows one opener at a time, and closes once", async () => {
    const folder = folders.copy();
    const { close } = await openPglite(folder);
    await expect(openPglite(folder)).rejects.toMatchObject({ reason: "in-use" });
    await Promise.all([close(), close()]);
    expect(await contents(folder)).toEqual(["kept"]);
  });
});

describe("a folder without a usable database", () => {
  it("is refused and unchanged if it has other files", async () => {
    const folder = join(folders.root, "documents");
    mkdirSync(folder);
    writeFileSync(join(folder, "letter.txt"), "dear");
    await expect(openPglite(folder)).rejects.toMatchObject({ reason: "not-a-database" });
    expect(readdirSync(folder)).toEqual(["letter.txt"]);
    await expect(openPglite(join(folder, "letter.txt"))).rejects.toMatchObject({ reason: "not-a-database" });
  });

  it.runIf(existsSync("/proc/self"))("is refused immediately if it can't be created (on Linux)", async () => {
    await expect(openPglite("/proc/jaf/db")).rejects.toMatchObject({ reason: "not-writable" });
  });

  it.each([
    ["a symbolic link to nowhere", "link", "nowhere/deep", /symbolic link .* nowhere/],
    ["below a symbolic link to nowhere", "link/below", "nowhere/deep", /symbolic link .* nowhere/],
    ["a symbolic link to itself", "link", "link", /circle/],
    ["longer than a name may be", "n".repeat(300), "unused", /too long/],
  ])("that is %s is refused with a remedy", async (_name, path, target, remedy) => {
    const parent = mkdtempSync(join(folders.root, "links-"));
    symlinkSync(target, join(parent, "link"));
    await expect(openPglite(join(parent, path))).rejects.toMatchObject({
      name: "PgliteFolderError",
      reason: "not-writable",
      message: expect.stringMatching(remedy),
    });
  });
});
