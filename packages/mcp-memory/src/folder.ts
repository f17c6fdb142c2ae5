import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "./failure.ts";

/** Creates the folder of a file for its owner only, unless it exists. The folder above it must exist. */
export async function createFolderOf(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    // One level only: below /proc, Node.js tries to create several for ever.
    await mkdir(folder, { mode: 0o700 });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== "EEXIST")
      throw new Failure(`The folder ${folder} can't be created (${code}). Check the path and the rights.`);
  }
}
