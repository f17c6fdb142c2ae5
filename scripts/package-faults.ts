/** What is wrong with a package as it would be published, beyond what publint and are-the-types-wrong look for. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface PackedManifest {
  readonly name: string;
  readonly version: string;
  readonly homepage?: string;
  readonly bugs?: string | { readonly url?: string };
  readonly repository?: { readonly type?: string; readonly url?: string; readonly directory?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Packed {
  /** Where the tarball was unpacked. */
  readonly folder: string;
  readonly manifest: PackedManifest;
  /** Of its sources in the repository, from the root. */
  readonly directory: string;
}

export interface Project {
  readonly root: string;
  /** As a browser opens it. */
  readonly repository: string;
  /** Of each package of ours, by name. */
  readonly versions: ReadonlyMap<string, string>;
}

function fieldFaults({ manifest, directory }: Packed, { repository }: Project): readonly string[] {
  const expected = {
    homepage: `${repository}/tree/main/${directory}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: "git", url: `git+${repository}.git`, directory },
  };
  return Object.entries(expected).flatMap(([field, value]) => {
    const wanted = JSON.stringify(value);
    return JSON.stringify(Reflect.get(manifest, field)) === wanted
      ? []
      : [`package.json: expected \`${field}\` to be ${wanted}`];
  });
}

/**
 * Whose errors, types or registries pass from one package to another may be there once only. A dependency is installed a second
 * time where two releases are wanted; with a peer the installation fails.
 */
const OF_ITS_OWN = new Set(["@jaf/model-http"]);

function rangeFaults({ manifest }: Packed, { versions }: Project): readonly string[] {
  const { dependencies = {}, peerDependencies = {} } = manifest;
  const ours = (ranges: Readonly<Record<string, string>>) =>
    Object.entries(ranges).filter(([name]) => versions.has(name));
  return [
    ...ours(dependencies)
      .filter(([name]) => !OF_ITS_OWN.has(name))
      .map(([name]) => `package.json: expected ${name} to be a peer`),
    ...[...ours(dependencies), ...ours(peerDependencies)].flatMap(([name, range]) => {
      const expected = `^${versions.get(name)}`;
      return range === expected ? [] : [`package.json: expected ${name} in ${expected}, found ${range}`];
    }),
  ];
}

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

const hasHeading = (markdown: string, anchor: string): boolean =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].some(([, heading = ""]) => slug(heading.trim()) === anchor);

/** Of the link, or `undefined`. A registry shows the text alone, without the files next to it. */
function linkFault(link: string, readme: string, { root, repository }: Project): string | undefined {
  if (link.startsWith("#")) return hasHeading(readme, link.slice(1)) ? undefined : "there is no such heading";
  if (!/^https?:/.test(link)) return "expected a whole URL, since a registry shows no other file";
  if (!link.startsWith(`${repository}/`)) return undefined;
  const [, path = "", anchor] =
    /^\/(?:blob|tree)\/main\/([^#]+)(?:#(.*))?$/.exec(link.slice(repository.length)) ?? [];
  const file = join(root, path);
  if (path === "" || !existsSync(file)) return "there is no such file in the repository";
  const text = statSync(file).isDirectory() ? join(file, "README.md") : file;
  return anchor === undefined || hasHeading(readFileSync(text, "utf8"), anchor)
    ? undefined
    : "there is no such heading";
}

function linkFaults({ folder }: Packed, project: Project): readonly string[] {
  const path = join(folder, "README.md");
  if (!existsSync(path)) return ["there is no README.md"];
  const readme = readFileSync(path, "utf8");
  const links = readme.matchAll(/\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]: (\S+)|(?:href|src)="([^"]+)"/gm);
  return [...links].flatMap(([, inline, reference, html]) => {
    const link = inline ?? reference ?? html ?? "";
    const fault = linkFault(link, readme, project);
    return fault === undefined ? [] : [`README.md: ${link}: ${fault}`];
  });
}

/** In bytes, of the files whose names end so. */
function weigh({ folder }: Packed, ending: RegExp): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => ending.test(file))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

function weightFaults(packed: Packed): readonly string[] {
  const code = weigh(packed, /\.[cm]?js$/);
  const maps = weigh(packed, /\.map$/);
  return maps > code ? [`source maps of ${maps} bytes for ${code} bytes of code`] : [];
}

export const packageFaults = (packed: Packed, project: Project): readonly string[] => [
  ...fieldFaults(packed, project),
  ...rangeFaults(packed, project),
  ...linkFaults(packed, project),
  ...weightFaults(packed),
];
