import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const source = (path: string) => new URL(`../src/${path}`, import.meta.url).href;
const root = fileURLToPath(new URL("../../..", import.meta.url));

const PROGRAM = `
const { quotableOf } = await import(${JSON.stringify(source("evidence/passages.ts"))});
const { questionIn } = await import(${JSON.stringify(source("evidence/user-input.ts"))});
const { tokenize } = await import(${JSON.stringify(source("ranker/tokenizer.ts"))});
const said = "I moved to Oslo; " + "and I like it very much there; ".repeat(12) + "my sister does, too.";
console.log(JSON.stringify([
  Intl.DateTimeFormat().resolvedOptions().locale,
  quotableOf([said], () => false).passages,
  questionIn("I see; so you moved; where to?"),
  tokenize("私は魚を食べません ผมกินปลา"),
]));
`;

async function dividedUnder(language: string): Promise<readonly unknown[]> {
  const args = ["--import", "tsx", "--conditions=@jaf/source", "--input-type=module", "--eval", PROGRAM];
  const env = { ...process.env, LC_ALL: `${language}.UTF-8` };
  const { stdout } = await run(process.execPath, args, { cwd: root, env });
  return JSON.parse(stdout) as readonly unknown[];
}

test("a text is split in the same way on a machine with another language", async () => {
  const [[english, ...here], [greek, ...there]] = await Promise.all([
    dividedUnder("en_US"),
    dividedUnder("el_GR"),
  ]);
  expect([english, greek]).toEqual(["en-US", "el-GR"]);
  expect(there).toEqual(here);
});
