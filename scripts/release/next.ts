/** `release next`: what has to be done with the current commit. */
import { commonVersion } from "./packages.ts";
import { pendingRelease } from "./pending.ts";
import { commitOf } from "./programs.ts";

export type Step = "prepare" | "publish" | "nothing";

/** A version is released as soon as its tag is there, because `publish` tags last. */
export async function nextStep(root: string): Promise<Step> {
  if ((await pendingRelease(root)).changes.length > 0) return "prepare";
  return commitOf(root, `refs/tags/v${commonVersion(root)}`) === undefined ? "publish" : "nothing";
}
