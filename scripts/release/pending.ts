/** The changes that wait for a release, as the files in .changeset describe them. */
import getReleasePlan from "@changesets/get-release-plan";
import type { Change, ChangeType } from "./changelog.ts";

export interface PendingChange extends Change {
  /** The path of its file in the repository. */
  readonly file: string;
}

const LARGEST_FIRST = ["major", "minor", "patch"] as const satisfies readonly ChangeType[];

/** A changeset that names no package makes no release, so it isn't among them. */
export async function pendingChanges(root: string): Promise<readonly PendingChange[]> {
  const { changesets } = await getReleasePlan(root);
  return changesets.flatMap(({ id, releases, summary }) => {
    const type = LARGEST_FIRST.find((each) => releases.some((release) => release.type === each));
    const packages = releases.map(({ name }) => name).sort();
    return type === undefined ? [] : [{ file: `.changeset/${id}.md`, type, packages, summary }];
  });
}
