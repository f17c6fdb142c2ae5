/** The changes that wait for a release, as the files in .changeset describe them. */
import getReleasePlan from "@changesets/get-release-plan";
import type { Change, ChangeType } from "./changelog.ts";

export interface PendingChange extends Change {
  /** The path of its file in the repository. */
  readonly file: string;
}

export interface PendingRelease {
  readonly changes: readonly PendingChange[];
  /** The first package whose next version is major, if there is one. */
  readonly major: string | undefined;
}

const LARGEST_FIRST = ["major", "minor", "patch"] as const satisfies readonly ChangeType[];

/** A changeset that names no package makes no release, so it isn't among the changes. */
export async function pendingRelease(root: string): Promise<PendingRelease> {
  const { changesets, releases } = await getReleasePlan(root);
  const changes = changesets.flatMap(({ id, releases, summary }) => {
    const type = LARGEST_FIRST.find((each) => releases.some((release) => release.type === each));
    const packages = releases.map(({ name }) => name).sort();
    return type === undefined ? [] : [{ file: `.changeset/${id}.md`, type, packages, summary }];
  });
  return { changes, major: releases.find(({ type }) => type === "major")?.name };
}
