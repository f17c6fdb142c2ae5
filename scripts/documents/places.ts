/** Where a file of the repository is found by someone who has only the packages. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { PAGES } from "./pages.ts";

const GITHUB = "https://github.com/jaf-agents/jaf";
const ON_MAIN = /^https:\/\/github\.com\/jaf-agents\/jaf\/(?:blob|tree)\/main\/([^#]*)(#.*)?$/;

type Ranges = Readonly<Record<string, string>>;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly private?: boolean;
  readonly peerDependencies?: Ranges;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Library {
  /** In `packages`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages that an application imports. The `create-…` packages are no libraries. */
export function libraries(root: string): readonly Library[] {
  return readdirSync(join(root, "packages"))
    .sort()
    .filter((folder) => existsSync(join(root, "packages", folder, "package.json")))
    .map((folder): Library => {
      const manifest = readFileSync(join(root, "packages", folder, "package.json"), "utf8");
      return { folder, manifest: JSON.parse(manifest) };
    })
    .filter(({ manifest }) => manifest.private !== true && manifest.name.startsWith("@jaf/"));
}

/** The path in the repository that a link leads to, and its anchor with the `#`. `undefined` for links elsewhere. */
export function targetOf(url: string, from: string): readonly [path: string, anchor: string] | undefined {
  const onMain = ON_MAIN.exec(url);
  if (onMain) return [posix.normalize(onMain[1] ?? ""), onMain[2] ?? ""];
  if (/^[a-z]+:/i.test(url)) return undefined;
  const [path = "", anchor] = url.split("#");
  const target = path === "" ? from : posix.join(posix.dirname(from), path);
  return [target.replace(/\/$/, ""), anchor === undefined ? "" : `#${anchor}`];
}

/**
 * The path below `node_modules/@jaf` of a file that a package carries. Takes the README's for a package's folder.
 * `undefined` if no package carries the file.
 */
export function placeOf(path: string): string | undefined {
  const page = PAGES.find(({ file, home }) => home !== "repository" && path === `docs/${file}`);
  if (page) return `${page.home}/docs/${page.file}`;
  const skill = /^scripts\/documents\/skills\/([^/]+)\.md$/.exec(path);
  if (skill) return `${skill[1]}/SKILL.md`;
  const [, folder, rest] = /^packages\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  if (folder === undefined || folder.startsWith("create-")) return undefined;
  if (rest === undefined || rest === "README.md") return `${folder}/README.md`;
  return rest.startsWith("src/") ? `${folder}/${rest}` : undefined;
}

/** The address on GitHub of a file or folder in a release. */
export function githubUrl(root: string, path: string, version: string): string {
  if (/\.(?:png|svg)$/.test(path)) return `${GITHUB}/raw/v${version}/${path}`;
  return `${GITHUB}/${statSync(join(root, path)).isDirectory() ? "tree" : "blob"}/v${version}/${path}`;
}

/** Rewrites links of a file in the repository for its place in a package. */
export function carriedLinks(root: string, from: string, version: string): (url: string) => string {
  const here = placeOf(from);
  if (here === undefined) throw new Error(`No package carries ${from}.`);
  return (url) => {
    const target = url.startsWith("#") ? undefined : targetOf(url, from);
    if (target === undefined) return url;
    const [path, anchor] = target;
    const there = placeOf(path);
    if (there === undefined) return githubUrl(root, path, version) + anchor;
    return posix.relative(posix.dirname(here), there) + anchor;
  };
}
