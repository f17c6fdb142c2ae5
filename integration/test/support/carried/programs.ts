import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";

export interface CarriedProgram {
  readonly code: string;
  /** What it says that it prints: the comments behind its `console.log`s. */
  readonly prints: readonly string[];
}

/** The programs in a carried document that say what they print. */
export async function programsIn(document: string): Promise<readonly CarriedProgram[]> {
  const text = await readFile(document, "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)]
    .map(([, code = ""]) => {
      const prints = [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line = ""]) => line);
      return { code, prints };
    })
    .filter(({ prints }) => prints.length > 0);
}

/** Runs the program in the folder, with Node alone, and returns the lines that it prints. */
export async function printedBy(
  { code }: CarriedProgram,
  folder: string,
  name: string,
): Promise<readonly string[]> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    },
  });
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, outputText);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, timeout: 60_000 });
  return stdout.trim().split("\n");
}
