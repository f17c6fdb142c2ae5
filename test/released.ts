import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type PackedPackage, packPackages } from "../scripts/pack.ts";
import { type Registry, startRegistry } from "./registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export interface ReleasedRegistry extends Registry {
  /** Our packages, which the registry has. */
  readonly packages: readonly PackedPackage[];
}

/** Builds and packs our packages, starts a registry, and publishes them there. */
export async function startReleasedRegistry(): Promise<ReleasedRegistry> {
  const out = await mkdtemp(join(tmpdir(), "jaf-packed-"));
  const remove = () => rm(out, { recursive: true, force: true });
  try {
    const packages = await packRepository(out);
    const registry = await startRegistry();
    const stop = async (): Promise<void> => {
      await registry.stop();
      await remove();
    };
    try {
      await registry.publish(packages.map(({ tarball }) => tarball));
    } catch (thrown) {
      await stop();
      throw thrown;
    }
    return { ...registry, packages, stop };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

async function packRepository(out: string): Promise<readonly PackedPackage[]> {
  await promisify(execFile)("npx", ["--yes", "pnpm@12.21.0", "build"], { cwd: root });
  return packPackages(root, out);
}
