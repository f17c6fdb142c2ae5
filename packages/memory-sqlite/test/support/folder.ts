import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

// A disk in memory flushes at once. A real one takes milliseconds for each of the kit's many writes.
const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export interface TemporaryFile {
  readonly file: string;
  /** Deletes the file and its folder. */
  readonly remove: () => Promise<void>;
}

/** Returns a path for a new file in a new folder. */
export async function makeFile(): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(parent, "jaf-sqlite-"));
  return { file: join(folder, "memory.db"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Returns a path for a new file that is deleted after the test. */
export async function testFile(): Promise<string> {
  const { file, remove } = await makeFile();
  onTestFinished(remove);
  return file;
}
