import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Failure } from "../failure.ts";

const NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/;

/** The name of the project in a folder. Throws a {@link Failure} if a package can't have it. */
export function nameOf(folder: string): string {
  if (folder === "") throw new Failure("The folder's name is empty: give one, e.g. my-agent.");
  const name = basename(resolve(folder));
  if (NAME.test(name) && name !== "node_modules") return name;
  throw new Failure(
    `${JSON.stringify(name)} can't be the name of a package: use lower-case letters, digits and hyphens, e.g. my-agent.`,
  );
}

/** Files that a folder may have before. */
const HARMLESS: ReadonlySet<string> = new Set([".git", ".DS_Store"]);

/** Throws a {@link Failure} if a folder has files, or can't be read. A folder that doesn't exist is empty. */
export function requireEmpty(folder: string): void {
  const entries = entriesOf(folder).filter((name) => !HARMLESS.has(name));
  if (entries.length === 0) return;
  throw new Failure(`The folder ${folder} isn't empty: choose another one. Nothing was changed.`);
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(resolve(folder));
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new Failure(`${folder} can't be used as a folder (${code}): choose another one.`);
  }
}

/** Writes the files of a project. Never overwrites one. */
export function writeProject(folder: string, files: Readonly<Record<string, string>>): void {
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { flag: "wx", mode: path === ".env" ? 0o600 : 0o666 });
    }
  } catch (thrown) {
    const { code = "", path = folder } = thrown as NodeJS.ErrnoException;
    throw new Failure(`${path} can't be written (${code}): choose a folder that you may write to.`);
  }
}
