import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Within a project, the files with the longest recorded times come first. Otherwise all workers could wait for one long file
 * that begins last. vitest knows times only after an earlier run, else it sorts by size, and the kits' files are the smallest.
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
