import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const DEMO = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = join(DEMO, "page");
/** The workspace's sources that the page includes. */
const INCLUDED = ["server/src/client", "server/src/turns", "core/src/partial-output"].map((folder) =>
  fileURLToPath(new URL(`../../../../packages/${folder}`, import.meta.url)),
);
const SENDER = join(DEMO, "src/assistant/sender.ts");
const BUILT = join(DEMO, "node_modules/.cache/page");

/** Returns the folder of the built page. Builds it if its sources changed, which takes about a second. */
export async function buildPage(): Promise<string> {
  const folder = join(BUILT, await hashOfSources());
  if (existsSync(join(folder, "index.html"))) return folder;
  const { build } = await import("vite");
  // Built in another folder, so no half-built page is served and two processes can build at the same time.
  const aside = `${folder}.${process.pid}`;
  await build({
    root: PAGE,
    configFile: false,
    logLevel: "error",
    base: "./",
    resolve: { conditions: ["@jaf/source", "module", "browser", "production"] },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: aside,
      emptyOutDir: true,
      target: "es2023",
      // The page's content security policy forbids both.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  });
  try {
    await removeOthers(folder, aside);
    await rename(aside, folder);
  } catch (thrown) {
    if (!existsSync(join(folder, "index.html"))) throw thrown; // Otherwise another process was faster.
    await rm(aside, { recursive: true, force: true });
  }
  return folder;
}

/** Removes older builds, but not those that other processes are writing. */
async function removeOthers(folder: string, aside: string): Promise<void> {
  for (const name of await readdir(BUILT)) {
    const other = join(BUILT, name);
    if (other !== folder && other !== aside && !name.includes("."))
      await rm(other, { recursive: true, force: true });
  }
}

async function hashOfSources(): Promise<string> {
  const hash = createHash("sha256");
  const sources = await Promise.all([PAGE, ...INCLUDED].map(filesIn));
  const files = [...sources.flat(), SENDER, join(DEMO, "package.json")];
  for (const file of files)
    hash
      .update(`${relative(DEMO, file)}\0`)
      .update(await readFile(file))
      .update("\0");
  hash.update(await readFile(fileURLToPath(import.meta.url)));
  return hash.digest("hex").slice(0, 20);
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
