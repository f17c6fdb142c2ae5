import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Names, UsageError, withNames } from "./names.ts";

const own = fileURLToPath(new URL("..", import.meta.url));

/** The version of this package, and of the packages of JAF that the new package needs. */
export const version: string = JSON.parse(readFileSync(join(own, "package.json"), "utf8")).version;

/** npm packs no file of this name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };

/** Throws a `UsageError` if the folder has files. */
export function refuseUsedFolder(folder: string): void {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name !== ".git") : [];
  if (files.length > 0) throw new UsageError(`The folder ${folder} isn't empty. Choose another name.`);
}

/** Writes the files of the new package, and returns their paths in the folder. */
export function createFiles(folder: string, names: Names): readonly string[] {
  const template = join(own, "template");
  const files = readdirSync(template, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(template.length + 1))
    // The repository's tools may leave a cache there.
    .filter((file) => !file.startsWith("node_modules"));
  return files.map((file) => {
    const target = RENAMED[file] ?? file;
    const text = readFileSync(join(template, file), "utf8")
      .replaceAll("JAF_VERSION", version)
      .replaceAll("THIS_YEAR", String(new Date().getFullYear()));
    mkdirSync(dirname(join(folder, target)), { recursive: true });
    writeFileSync(join(folder, target), withNames(text, names));
    return target;
  });
}
