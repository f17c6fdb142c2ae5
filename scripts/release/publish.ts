/** `release publish`: publishes the version of this commit, continues a publication that was interrupted, and tags the commit. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PackedPackage, packPackages } from "../pack.ts";
import { requireSection } from "./changelog.ts";
import { ReleaseError } from "./failure.ts";
import { commonVersion, releasedPackages } from "./packages.ts";
import { pendingRelease } from "./pending.ts";
import { askPnpm, commitOf, git, requireCleanTree, runPnpm } from "./programs.ts";
import { presenceOf, requireRegistry } from "./registry.ts";

export interface PublishOptions {
  /** The address of the registry; by default that of pnpm's settings. */
  readonly registry?: string | undefined;
  /** The dist-tag, by default `latest`. */
  readonly tag?: string | undefined;
  /** A one-time password. */
  readonly otp?: string | undefined;
  readonly dryRun: boolean;
  readonly provenance: boolean;
  readonly skipChecks: boolean;
}

/** Refuses what can't be a release, and returns the version. */
export async function requireReleasable(root: string): Promise<string> {
  requireCleanTree(root);
  const { changes: pending } = await pendingRelease(root);
  if (pending.length > 0)
    throw new ReleaseError(
      `${pending.length} changesets wait for a version, e.g. ${pending[0]?.file}. Run \`release prepare\` and commit first.`,
    );
  const version = commonVersion(root);
  requireSection(root, version);
  const tagged = commitOf(root, `refs/tags/v${version}`);
  if (tagged !== undefined && tagged !== commitOf(root, "HEAD"))
    throw new ReleaseError(
      `The tag v${version} is on another commit (${tagged.slice(0, 8)}), so ${version} is released from there.`,
    );
  return version;
}

/** Finds what would fail only after the checks, which take minutes. */
async function requireAccess(root: string, registry: string, options: PublishOptions): Promise<void> {
  const [first] = releasedPackages(root);
  if (first !== undefined) await requireRegistry(registry, first.name);
  // A workflow proves with a token of GitHub who it is, and has no user.
  const { ACTIONS_ID_TOKEN_REQUEST_URL: workflow } = process.env;
  if (workflow !== undefined || options.dryRun) return;
  if (options.provenance)
    throw new ReleaseError("--provenance needs a workflow on GitHub with the permission `id-token: write`.");
  // Some registries take packages without a user, and answer this with another error.
  const { stderr } = askPnpm(root, "whoami", "--registry", registry);
  if (stderr.includes("ERR_PNPM_WHOAMI_UNAUTHORIZED"))
    throw new ReleaseError(`You aren't logged in. Run \`npm login --registry ${registry}\` first.`);
}

/** Publishes the packages that the registry doesn't have, those that others depend on first. */
async function publishMissing(
  root: string,
  registry: string,
  packed: readonly PackedPackage[],
  options: PublishOptions,
): Promise<void> {
  const presences = await Promise.all(packed.map((each) => presenceOf(registry, each)));
  const different = packed.filter((_, index) => presences[index] === "different");
  if (different.length > 0)
    throw new ReleaseError(
      `The registry has ${different.map(({ name, version }) => `${name}@${version}`).join(", ")} with other ` +
        "content. A published version can't be changed: prepare a new one.",
    );
  const say = (index: number, text: string) => console.log(`${index + 1}/${packed.length} ${text}`);
  for (const [index, { name, version, tarball }] of packed.entries()) {
    const title = `${name}@${version}`;
    if (presences[index] === "same") say(index, `${title} is on the registry: skipped`);
    else if (options.dryRun) say(index, `${title} would be published (${sizeOf(tarball)})`);
    else {
      if (!upload(root, registry, tarball, options))
        throw new ReleaseError(
          `pnpm couldn't publish ${title}, for the reason above. Run the same command again to continue.`,
        );
      say(index, `${title} is published (${sizeOf(tarball)})`);
    }
  }
}

const sizeOf = (tarball: string): string => `${Math.ceil(statSync(tarball).size / 1024)} KiB`;

const upload = (root: string, registry: string, tarball: string, options: PublishOptions): boolean =>
  runPnpm(
    root,
    ...["publish", tarball, "--registry", registry, "--access", "public", "--no-git-checks"],
    ...["--reporter", "append-only", "--loglevel", "warn"],
    ...(options.tag === undefined ? [] : ["--tag", options.tag]),
    ...(options.otp === undefined ? [] : ["--otp", options.otp]),
    ...(options.provenance ? ["--provenance"] : []),
  );

function tagCommit(root: string, version: string): void {
  const tag = `v${version}`;
  if (commitOf(root, `refs/tags/${tag}`) === undefined) git(root, "tag", tag);
  console.log(`The commit has the tag ${tag}. Push it with \`git push origin ${tag}\`.`);
}

export async function publish(root: string, options: PublishOptions): Promise<void> {
  const version = await requireReleasable(root);
  const registry = options.registry ?? askPnpm(root, "config", "get", "registry").stdout;
  await requireAccess(root, registry, options);
  if (!options.skipChecks && !runPnpm(root, "check"))
    throw new ReleaseError("The checks failed, so nothing is published.");
  if (!runPnpm(root, "build")) throw new ReleaseError("The build failed, so nothing is published.");
  const out = mkdtempSync(join(tmpdir(), "jaf-release-"));
  try {
    await publishMissing(root, registry, await packPackages(root, out), options);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  if (!options.dryRun) tagCommit(root, version);
}
