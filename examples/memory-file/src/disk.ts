import { constants } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { writeAll } from "./bytes.ts";
import { changedByOthers } from "./faults.ts";

/** The known end of a log, and whether a failed or cut-off write may have left bytes after it. */
export interface LogEnd {
  readonly length: number;
  readonly torn: boolean;
}

/** A folder of flat files. */
export interface Disk {
  readonly folder: string;
  /** Creates the folder if it is missing. */
  readonly prepare: () => Promise<void>;
  readonly list: () => Promise<readonly string[]>;
  readonly read: (name: string) => Promise<Buffer>;
  /** Adds the bytes at `end` in one write and flushes the file. Creates a log of length 0. */
  readonly append: (name: string, bytes: Buffer, end: LogEnd) => Promise<void>;
  /** Atomic: after a crash, the whole old file or the whole new one exists. */
  readonly replace: (name: string, bytes: Buffer) => Promise<void>;
  /** Deletes those of the files that exist, and flushes the folder. */
  readonly remove: (names: readonly string[]) => Promise<void>;
  readonly flushFile: (name: string) => Promise<void>;
  /** Flushes the folder: the names of new and replaced files then survive a power cut. */
  readonly flush: () => Promise<void>;
  /** Creates an empty file; fails if it exists. It needn't survive a power cut. */
  readonly mark: (name: string) => Promise<void>;
  /** Throws if the file doesn't exist. */
  readonly check: (name: string) => Promise<void>;
}

const NEW_SUFFIX = ".new";

/** Whether this is the temporary file of a `replace` that a crash interrupted. */
export const isUnfinished = (name: string): boolean => name.endsWith(NEW_SUFFIX);

async function flushFile(path: string, flags = "r+"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return; // A folder can't be opened there.
  await flushFile(folder, "r");
}

async function prepare(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  // Each new folder is an entry in its parent, which must be flushed.
  const top = dirname(first);
  for (let above = dirname(folder); ; above = dirname(above)) {
    await flushFolder(above);
    if (above === top) return;
  }
}

const CREATE = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
const EXTEND = constants.O_WRONLY | constants.O_APPEND;

async function append(path: string, bytes: Buffer, { length, torn }: LogEnd): Promise<void> {
  const handle = await open(path, length === 0 ? CREATE : EXTEND);
  try {
    const { size } = await handle.stat();
    if (size < length || (size > length && !torn)) throw changedByOthers(basename(path));
    if (size > length) await handle.truncate(length);
    try {
      await writeAll(handle, bytes);
      await handle.sync();
    } catch (thrown) {
      await handle.truncate(length).catch(() => {}); // If it fails, the next write tries again.
      throw thrown;
    }
  } finally {
    await handle.close();
  }
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await unlink(path).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== "ENOENT") throw thrown;
    });
  }
}

export function openDisk(folder: string): Disk {
  const root = resolve(folder);
  const pathOf = (name: string) => join(root, name);
  return {
    folder: root,
    prepare: () => prepare(root),
    list: () => readdir(root),
    read: (name) => readFile(pathOf(name)),
    append: (name, bytes, end) => append(pathOf(name), bytes, end),
    replace: async (name, bytes) => {
      const handle = await open(pathOf(name + NEW_SUFFIX), "w");
      try {
        await writeAll(handle, bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(pathOf(name + NEW_SUFFIX), pathOf(name));
    },
    remove: async (names) => {
      await removeAll(names.map(pathOf));
      await flushFolder(root);
    },
    flushFile: (name) => flushFile(pathOf(name)),
    flush: () => flushFolder(root),
    mark: async (name) => (await open(pathOf(name), "wx")).close(),
    check: (name) => access(pathOf(name)),
  };
}
