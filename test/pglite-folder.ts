import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { openPglite } from "../packages/memory-postgres/src/pglite/index.ts";

const CACHE = new URL("../node_modules/.cache/pglite", import.meta.url).pathname;

/** The location of the installed version of PGlite, which can't read the databases of some others. */
const installed = createRequire(new URL("../packages/memory-postgres/package.json", import.meta.url)).resolve(
  "@electric-sql/pglite",
);

async function create(folder: string): Promise<void> {
  // Another worker may be creating it, too.
  const own = `${folder}.${process.pid}`;
  mkdirSync(dirname(own), { recursive: true });
  await (await openPglite(own)).close();
  try {
    renameSync(own, folder);
  } catch (thrown) {
    rmSync(own, { recursive: true });
    if (!existsSync(folder)) throw thrown;
  }
}

/**
 * Puts an empty database of PGlite into a folder that doesn't exist yet. PGlite takes 4 s of work to create one, and this
 * function copies one that it created once.
 */
export async function placeDatabase(folder: string): Promise<void> {
  const empty = join(CACHE, createHash("sha256").update(installed).digest("hex").slice(0, 16));
  if (!existsSync(empty)) await create(empty);
  cpSync(empty, folder, { recursive: true });
}
