import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../src/pglite/index.ts";
import { contents, createFolders } from "./support/folders.ts";

let folders: Awaited<ReturnType<typeof createFolders>>;
beforeAll(async () => {
  folders = await createFolders();
});
afterAll(() => folders.remove());

function hashes(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => !path.includes("jaf-lock."))
      .map((path) => [path, createHash("sha256").update(readFileSync(path)).digest("hex")]),
  );
}

describe("a folder with a database", () => {
  it("gives back what was stored", async () => {
    expect(await contents(folders.original)).toEqual(["kept"]);
  });

  it("serves one opener at a time, and closes once", async () => {
    const folder = folders.copy();
    const { close } = await openPglite(folder);
    await expect(openPglite(folder)).rejects.toMatchObject({ reason: "in-use" });
    await Promise.all([close(), close()]);
    expect(await contents(folder)).toEqual(["kept"]);
  });
});

const damages: readonly (readonly [string, string, (folder: string) => void])[] = [
  ["no PG_VERSION", "damaged", (folder) => rmSync(join(folder, "PG_VERSION"))],
  ["another PG_VERSION", "damaged", (folder) => writeFileSync(join(folder, "PG_VERSION"), "9\n")],
  [
    "garbage in pg_control",
    "damaged",
    (folder) => writeFileSync(join(folder, "global/pg_control"), "x".repeat(8192)),
  ],
  ["an empty pg_control", "damaged", (folder) => writeFileSync(join(folder, "global/pg_control"), "")],
  ["no write-ahead log", "damaged", (folder) => rmSync(join(folder, "pg_wal"), { recursive: true })],
  ["no data", "damaged", (folder) => rmSync(join(folder, "base"), { recursive: true })],
];

describe("a folder that holds no good database", () => {
  it.each(damages)("but %s is %s, and stays as it is", async (_name, reason, damage) => {
    const folder = folders.copy();
    damage(folder);
    const before = hashes(folder);
    await expect(openPglite(folder)).rejects.toMatchObject({ name: "PgliteFolderError", reason });
    expect(hashes(folder)).toEqual(before);
  });

  it("but other files is refused, and stays as it is", async () => {
    const folder = join(folders.root, "documents");
    mkdirSync(folder);
    writeFileSync(join(folder, "letter.txt"), "dear");
    await expect(openPglite(folder)).rejects.toMatchObject({ reason: "not-a-database" });
    expect(readdirSync(folder)).toEqual(["letter.txt"]);
    await expect(openPglite(join(folder, "letter.txt"))).rejects.toMatchObject({ reason: "not-a-database" });
  });

  it.runIf(existsSync("/proc/self"))("that can't be made is refused at once (on Linux)", async () => {
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
