import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../../src/pglite/index.ts";
import { createFolders } from "../support/folders.ts";

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

describe("a folder without a usable database", () => {
  it.each(damages)("with %s is refused as %s and unchanged", async (_name, reason, damage) => {
    const folder = folders.copy();
    damage(folder);
    const before = hashes(folder);
    await expect(openPglite(folder)).rejects.toMatchObject({ name: "PgliteFolderError", reason });
    expect(hashes(folder)).toEqual(before);
  });
});
