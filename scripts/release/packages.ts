/** The published packages and their common version. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
