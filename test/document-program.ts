import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished, vi } from "vitest";

const root = new URL("../", import.meta.url);

/**
 * Runs the first TypeScript program of a document, and resolves with what it prints. `replaced`: texts of the program
 * to replace, e.g. folders.
 */
export async function runDocumentProgram(
  document: string,
  replaced: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly unknown[])[]> {
  const text = readFileSync(new URL(document, root), "utf8");
  let program = /^```ts\n([\s\S]*?)^```/m.exec(text)?.[1] ?? "";
  for (const [found, put] of Object.entries(replaced)) program = program.replace(found, put);
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  // Written to this folder, because the packages can be imported from here.
  const folder = mkdtempSync(join(root.pathname, "integration/test/.program-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "program.ts"), program);
  await import(pathToFileURL(join(folder, "program.ts")).href);
  return printed.mock.calls;
}
