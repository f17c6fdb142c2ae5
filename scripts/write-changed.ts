import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const CACHE = new URL("../node_modules/.cache/", import.meta.url).pathname;

/** Writes a file if it would change. Another process that packs its folder meanwhile finds the old text or the new one. */
export function writeChanged(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  for (const folder of [CACHE, dirname(file)]) mkdirSync(folder, { recursive: true });
  const made = join(CACHE, `written-${process.pid}`);
  writeFileSync(made, text);
  renameSync(made, file);
}
