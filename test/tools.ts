import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CACHE = fileURLToPath(new URL("../node_modules/.cache/tools", import.meta.url));

export interface ToolOptions {
  /** The versions of packages that it depends on, in npm's form. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/**
 * Installs a program from the npm registry that few tests need, such as another package manager, in an exact version, and
 * returns the folder `node_modules` that it is in. Scripts of packages don't run. Later calls find it installed, also
 * from other processes.
 */
export async function installTool(
  name: string,
  version: string,
  { overrides = {} }: ToolOptions = {},
): Promise<string> {
  const folder = join(CACHE, `${name.replace("/", "+")}@${version}`);
  if (!existsSync(folder)) await install(folder, { dependencies: { [name]: version }, overrides });
  return join(folder, "node_modules");
}

/** Installs beside the folder and moves the result there, so that a folder that exists is whole. */
async function install(folder: string, manifest: object): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const made = await mkdtemp(`${folder}-`);
  try {
    await writeFile(join(made, "package.json"), JSON.stringify({ private: true, ...manifest }));
    await promisify(execFile)(
      "npm",
      ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"],
      { cwd: made },
    );
    await rename(made, folder);
  } catch (thrown) {
    await rm(made, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw thrown;
  }
}
