import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PackedPackage } from "../../../../scripts/pack.ts";

const run = promisify(execFile);

type Ranges = Readonly<Record<string, string>>;

/**
 * Makes the tarballs of a later release from packed packages: the same code with another version, which stands in the
 * manifest, in the ranges of our other packages, and in the code. Writes them into `out`.
 */
export async function releaseAs(
  version: string,
  packages: readonly PackedPackage[],
  out: string,
): Promise<readonly PackedPackage[]> {
  await mkdir(out, { recursive: true });
  return Promise.all(packages.map((each) => repack(each, { version, packages, out })));
}

interface Release {
  readonly version: string;
  readonly packages: readonly PackedPackage[];
  readonly out: string;
}

async function repack(packed: PackedPackage, { version, packages, out }: Release): Promise<PackedPackage> {
  const { name } = packed;
  const unpacked = join(out, name.replace("/", "-"));
  const tarball = `${unpacked}-${version}.tgz`;
  await mkdir(unpacked);
  await run("tar", ["-xzf", packed.tarball, "-C", unpacked]);
  const folder = join(unpacked, "package");
  await rewrite(join(folder, "package.json"), (text) => {
    const manifest = JSON.parse(text);
    const ours = new Set(packages.map((each) => each.name));
    const updated = (ranges: Ranges = {}) =>
      Object.fromEntries(
        Object.entries(ranges).map(([other, range]) => [
          other,
          ours.has(other) && range === `^${packed.version}` ? `^${version}` : range,
        ]),
      );
    const { dependencies, peerDependencies } = manifest;
    return JSON.stringify({
      ...manifest,
      version,
      dependencies: updated(dependencies),
      peerDependencies: updated(peerDependencies),
      devDependencies: undefined,
    });
  });
  for (const file of await readdir(join(folder, "dist"), { recursive: true })) {
    if (!/\.c?js$/.test(file)) continue;
    const release = (of: string) => `"${name} ${of}"`;
    await rewrite(join(folder, "dist", file), (code) =>
      code.replaceAll(release(packed.version), release(version)),
    );
  }
  await run("tar", ["-czf", tarball, "-C", unpacked, "package"]);
  await rm(unpacked, { recursive: true });
  return { name, version, tarball };
}

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, "utf8")));
}
