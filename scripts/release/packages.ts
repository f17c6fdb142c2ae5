/** The published packages and their common version. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ReleaseError } from "./failure.ts";

export interface ReleasedPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

export function releasedPackages(root: string): readonly ReleasedPackage[] {
  return readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .flatMap((folder) => {
      const {
        name,
        version,
        private: isPrivate,
      } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return isPrivate === true ? [] : [{ name, version, folder }];
    });
}

/** Deletes what the build and the documents' script write: a package would carry a file that only an older build had. */
export function removeMade(root: string): void {
  for (const { folder } of releasedPackages(root))
    for (const made of ["dist", "docs", "skills"])
      rmSync(join(folder, made), { recursive: true, force: true });
}

/** All packages are released together, so they have one version. */
export function commonVersion(root: string): string {
  const packages = releasedPackages(root);
  const [first] = packages;
  if (first === undefined) throw new ReleaseError("The folder packages holds no package to release.");
  const other = packages.find(({ version }) => version !== first.version);
  if (other === undefined) return first.version;
  throw new ReleaseError(
    `All packages need one version, but ${first.name} has ${first.version} and ${other.name} has ${other.version}.`,
  );
}
