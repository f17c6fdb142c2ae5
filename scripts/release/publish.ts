/** `release publish`: publishes the version of this commit, continues a publication that was interrupted, and tags the commit. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackages } from "../pack.ts";
import { requireSection } from "./changelog.ts";
import { ReleaseError } from "./failure.ts";
import { commonVersion, releasedPackages, removeMade } from "./packages.ts";
import { pendingRelease } from "./pending.ts";
import { askPnpm, commitOf, git, requireCleanTree, requirePushed, runPnpm } from "./programs.ts";
import { publishMissing } from "./publish-missing.ts";
import { NPM, requireNoOtherRegistry, requireRegistry } from "./registry.ts";

export interface PublishOptions {
  /** The address of the registry; by default npm's own, whatever pnpm's settings are. */
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
  requirePushed(root);
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

const uploadWith =
  (root: string, registry: string, { tag, otp, provenance }: PublishOptions) =>
  (tarball: string): boolean =>
    runPnpm(
      root,
      ...["publish", tarball, "--registry", registry, "--access", "public", "--no-git-checks"],
      ...["--reporter", "append-only", "--loglevel", "warn"],
      ...(tag === undefined ? [] : ["--tag", tag]),
      ...(otp === undefined ? [] : ["--otp", otp]),
      ...(provenance ? ["--provenance"] : []),
    );

/** The tag isn't signed, since that may fail when everything is uploaded. */
export function tagCommit(root: string, version: string): void {
  const tag = `v${version}`;
  if (commitOf(root, `refs/tags/${tag}`) === undefined) git(root, "-c", "tag.gpgSign=false", "tag", tag);
  console.log(`The commit has the tag ${tag}. Push it with \`git push origin ${tag}\`.`);
}

export async function publish(root: string, options: PublishOptions): Promise<void> {
  const version = await requireReleasable(root);
  const { registry = NPM } = options;
  console.log(`${options.dryRun ? "Rehearses to publish" : "Publishes"} ${version} to ${registry}`);
  requireNoOtherRegistry(root, registry);
  await requireAccess(root, registry, options);
  if (!options.skipChecks && !runPnpm(root, "check"))
    throw new ReleaseError("The checks failed, so nothing is published.");
  removeMade(root);
  if (!runPnpm(root, "build")) throw new ReleaseError("The build failed, so nothing is published.");
  const out = mkdtempSync(join(tmpdir(), "jaf-release-"));
  try {
    const upload = options.dryRun ? undefined : uploadWith(root, registry, options);
    await publishMissing(await packPackages(root, out), registry, upload);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  if (!options.dryRun) tagCommit(root, version);
}
