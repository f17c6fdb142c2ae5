import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Within a project the files that took longest come first, by the recorded times: else a long one that begins last is waited
 * for alone. vitest knows times only where it has run before, and by their size those of the kits are the smallest.
 */
export class LongestFirst extends BaseSequencer {
  readonly #seconds: Readonly<Record<string, number>> = JSON.parse(
    readFileSync(new URL("times/test.json", import.meta.url), "utf8"),
  );

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) =>
      this.#seconds[relative(this.ctx.config.root, moduleId)] ?? 0;
    const byProject = await super.sort(files);
    return byProject.sort((a, b) => (a.project === b.project ? secondsOf(b) - secondsOf(a) : 0));
  }
}
