/** A release from changesets to a registry on loopback, by the commands that a maintainer runs, in a copy of this repository. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packPackages } from "../../../scripts/pack.ts";
import { newestSection, readChangelog } from "../../../scripts/release/changelog.ts";
import { commonVersion, releasedPackages } from "../../../scripts/release/packages.ts";
import { type Registry, startRegistry } from "../../../test/registry.ts";
import { copyRepository, type RepositoryCopy } from "../support/repository-copy.ts";

/** A busy machine has taken five minutes, most of them for two builds. */
const LIMIT_MS = 1_200_000;

let copy: RepositoryCopy;
let registry: Registry;

beforeAll(async () => {
  copy = copyRepository();
  registry = await startRegistry();
}, LIMIT_MS);

afterAll(async () => {
  copy?.remove();
  await registry?.stop();
});

interface Published {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

async function readPublished(name: string, version: string): Promise<Published> {
  const response = await fetch(`${registry.url}/${name.replace("/", "%2f")}`);
  const { versions } = (await response.json()) as { readonly versions: Readonly<Record<string, Published>> };
  return versions[version] ?? expect.fail(`${name}@${version} isn't published`);
}

/** Publishes with the settings of the registry, but the user's store of packages. */
function publish(...options: readonly string[]): string {
  const { npm_config_userconfig } = registry.environment;
  return copy.pnpm(["release", "publish", "--skip-checks", "--registry", registry.url, ...options], {
    npm_config_userconfig,
  });
}

/** Packages that depend on it need its peers in their own release (.pnpmfile.cjs). */
const NEEDS_ANY_RELEASE = "@jaf/model-http";

/** The lines about packages, without their sizes. */
const progressOf = (output: string): readonly string[] =>
  [...output.matchAll(/^\d+\/\d+ (.+?)(?: \(\d+ KiB\))?$/gm)].map(([, line = ""]) => line);

it(
  "prepares a version, and publishes it after an interruption without publishing anything twice",
  async () => {
    const [major = 0, minor = 0] = commonVersion(copy.root).split(".").map(Number);
    const version = `${major}.${minor + 1}.0`;
    writeFileSync(join(copy.root, ".changeset/more.md"), '---\n"@jaf/core": minor\n---\n\nThere is more.\n');
    copy.commit();
    copy.pnpm(["release", "prepare"]);
    copy.commit();
    expect(commonVersion(copy.root)).toBe(version);
    expect(newestSection(readChangelog(copy.root))).toEqual({
      version,
      notes: "### Minor changes\n\n- `@jaf/core`: There is more.",
    });

    const example = readFileSync(join(copy.root, "examples/next/package.json"), "utf8");
    expect(example).toContain(`"@jaf/core": "^${version}"`);

    const rehearsed = progressOf(publish("--dry-run"));
    // Three packages are published when the first attempt ends.
    const packed = await packPackages(copy.root, join(copy.root, "node_modules/.cache/packed"));
    const titles = packed.map(({ name }) => `${name}@${version}`);
    expect(rehearsed).toEqual(titles.map((title) => `${title} would be published`));
    await registry.publish(packed.slice(0, 3).map(({ tarball }) => tarball));
    expect(copy.git("tag")).toBe("");
    expect(progressOf(publish())).toEqual(
      titles.map((title, index) => `${title} is ${index < 3 ? "on the registry: skipped" : "published"}`),
    );
    expect(copy.git("tag", "--points-at", "HEAD")).toBe(`v${version}`);

    for (const { name } of releasedPackages(copy.root)) {
      const { scripts = {}, peerDependencies = {} } = await readPublished(name, version);
      expect(
        Object.keys(scripts).filter((script) => /install|prepare|pack|publish/.test(script)),
        name,
      ).toEqual([]);
      for (const [other, range] of Object.entries(peerDependencies))
        if (other.startsWith("@jaf/")) {
          expect(range, `${name} needs ${other}`).toBe(name === NEEDS_ANY_RELEASE ? "*" : `^${version}`);
          expect(titles.indexOf(`${other}@${version}`)).toBeLessThan(titles.indexOf(`${name}@${version}`));
        }
    }
  },
  LIMIT_MS,
);
