import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeDocuments } from "./documents/write-documents.ts";

export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
}

/**
 * Packs the published packages of the repository at `root` into the folder `out`, as they are published, with the documents
 * that they carry: a package comes after those that it depends on. They must be built.
 */
export function packPackages(root: string, out: string): Promise<readonly PackedPackage[]> {
  writeDocuments(root);
  return pack(root, out, ["--filter", "./packages/*"]);
}

/** Packs built packages as they are. `options` are pnpm's: they select the packages. */
export async function pack(
  root: string,
  out: string,
  options: readonly string[],
): Promise<readonly PackedPackage[]> {
  mkdirSync(out, { recursive: true });
  const { devEngines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // pnpm resolves catalog:, workspace: and publishConfig; `npm pack` doesn't.
  const { stdout } = await promisify(execFile)(
    "npx",
    [
      ...["--yes", `pnpm@${devEngines.packageManager.version}`, ...options],
      ...["pack", "--pack-destination", out, "--json"],
    ],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  const packed: readonly { readonly name: string; readonly version: string; readonly filename: string }[] =
    JSON.parse(stdout);
  return packed.map(({ name, version, filename }) => ({ name, version, tarball: filename }));
}
