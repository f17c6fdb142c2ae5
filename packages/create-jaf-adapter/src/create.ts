import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Names, UsageError, withNames } from "./names.ts";

const own = fileURLToPath(new URL("..", import.meta.url));

/** The version of this package, and of the packages of JAF that the new package needs. */
export const version: string = JSON.parse(readFileSync(join(own, "package.json"), "utf8")).version;

/** npm packs no `.gitignore`, and tools take a nested `package.json` for a package. */
const RENAMED: Readonly<Record<string, string>> = {
  gitignore: ".gitignore",
  "manifest.json": "package.json",
};

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "you have no permission",
  EPERM: "you have no permission",
  ENOTDIR: "it, or a folder above it, is a file",
  EROFS: "the disk can only be read",
  ENOSPC: "the disk is full",
};

/** Does something with the folder, and turns an error of the file system into a `UsageError`. */
function inFolder<T>(folder: string, doing: "read" | "written", action: () => T): T {
  try {
    return action();
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && "syscall" in thrown)) throw thrown;
    throw new UsageError(
      `The folder ${folder} can't be ${doing}: ${REASONS[String(thrown.code)] ?? thrown.message}.`,
    );
  }
}

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name !== ".git") : [];

/** Throws a `UsageError` if the folder has files, or can't be read. */
export function refuseUsedFolder(folder: string): void {
  const files = inFolder(folder, "read", () => filesIn(folder));
  if (files.length > 0) throw new UsageError(`The folder ${folder} isn't empty. Choose another name.`);
}

/** Writes the files of the new package, and returns their paths in the folder. Throws a `UsageError` if it can't. */
export const createFiles = (folder: string, names: Names): readonly string[] =>
  inFolder(folder, "written", () => writeFiles(folder, names));

function writeFiles(folder: string, names: Names): readonly string[] {
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
