import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const folder = new URL("../peers/", import.meta.url).pathname;

/** Installs the peers on first use. Nothing else in the repository needs them. */
function install(): void {
  if (existsSync(join(folder, "node_modules/@xynehq/jaf/package.json"))) return;
  process.stderr.write("Installing the engines to compare with (first run only) …\n");
  const { status } = spawnSync(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  if (status !== 0)
    throw new Error("The peers could not be installed: the benchmark needs the npm registry once.");
}

/**
 * The engine of `@xynehq/jaf`, with the zod it was built on. Its published files import each other without
 * extensions, which Node refuses, so it is bundled first.
 */
export async function loadXynehq(): Promise<{ readonly run: unknown; readonly z: unknown }> {
  install();
  const outfile = join(folder, "node_modules/.cache/xynehq-jaf.mjs");
  await build({
    stdin: {
      contents: `export { run } from "./node_modules/@xynehq/jaf/dist/core/engine.js"; export { z } from "zod";`,
      resolveDir: folder,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
    // Bundled CommonJS dependencies look for `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return import(pathToFileURL(outfile).href) as Promise<{ run: unknown; z: unknown }>;
}
