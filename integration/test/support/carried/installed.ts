import { execFile } from "node:child_process";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { releasedPackages } from "../../../../test/released.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const run = promisify(execFile);

/** What programs of the carried documents import besides our packages. */
const OTHERS = ["@electric-sql/pglite", "@opentelemetry/api", "typescript", "zod"];

export interface Installed {
  /** The folder of an application that has our packages. */
  readonly folder: string;
  readonly names: readonly string[];
  readonly remove: () => Promise<void>;
}

/** The exact versions in our lockfile, which the tests know to work. */
async function versionsOf(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const versions = names.map(async (name) => {
    const manifest = join(root, "integration/node_modules", name, "package.json");
    const { version }: { readonly version: string } = JSON.parse(await readFile(manifest, "utf8"));
    return [name, version] as const;
  });
  return Object.fromEntries(await Promise.all(versions));
}

/** Installs our packed packages with npm in an empty folder. */
export async function installPacked(): Promise<Installed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "jaf-carried-")));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const ours = (await releasedPackages()).filter(({ name }) => name.startsWith("@jaf/"));
    const dependencies = {
      ...Object.fromEntries(ours.map(({ name, tarball }) => [name, `file:${tarball}`])),
      ...(await versionsOf(OTHERS)),
    };
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies }));
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder });
    return { folder, names: ours.map(({ name }) => name), remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}
