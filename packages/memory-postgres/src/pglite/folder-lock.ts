import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { errorCode, PgliteFolderError } from "./folder-error.ts";

/** The name of a lock file, `jaf-lock.<n>`. The file with the highest number says who holds the lock. */
// Each process that takes the lock creates a new file with the next higher number. If several processes find that the
// holder has died, all try to create the same file, and only one succeeds. If a process is killed at any point, no
// manual repair is needed.
const LOCK_FILE = /^jaf-lock\.([0-9]{1,15})$/;
const ATTEMPTS = 100;

/** The content of a lock file, as JSON. When the lock is released, `state` is overwritten in place. */
interface LockRecord extends ProcessIdentity {
  readonly state: "held" | "free";
}

const STATE_OFFSET = '{"state":"'.length;

export interface FolderLock {
  readonly release: () => void;
}

export const isLockFile = (name: string): boolean => name.startsWith("jaf-lock.");

const generations = (folder: string): number[] =>
  readdirSync(folder).flatMap((name) => {
    const generation = LOCK_FILE.exec(name)?.[1];
    return generation === undefined ? [] : [Number(generation)];
  });

const latest = (folder: string): number => Math.max(0, ...generations(folder));

const pathOf = (folder: string, generation: number): string => join(folder, `jaf-lock.${generation}`);

function readRecord(path: string): Partial<LockRecord> | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Partial<LockRecord>;
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return undefined;
    return {}; // Not one of our files, or truncated: the holder is unknown.
  }
}

/** Throws a {@link PgliteFolderError} if the holder of the lock may still be running. */
function refuseIfHeld(folder: string, path: string, { pid, host, start, state }: Partial<LockRecord>): void {
  if (state === "free") return;
  const inUse = (remedy: string) => new PgliteFolderError("in-use", folder, remedy);
  if (typeof pid !== "number" || typeof host !== "string") {
    throw inUse(`the lock file ${path} can't be read. Delete it if no process uses the folder.`);
  }
  if (host !== hostname()) {
    throw inUse(
      `process ${pid} on the machine ${host} has it open. If you are sure that it has ended, delete ${path}.`,
    );
  }
  if (!isRunning({ pid, host, ...(start === undefined ? {} : { start }) })) return;
  throw inUse(
    pid === process.pid
      ? "this process has it open already. Share that client, or close it first."
      : `process ${pid} has it open. Close it first; only one process at a time can use a folder.`,
  );
}

const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** Creates a file with its whole content atomically. Throws an error with the code `EEXIST` if the file exists. */
function linkContent(path: string, draft: string, content: string): void {
  try {
    writeFileSync(draft, content);
    linkSync(draft, path);
  } catch (thrown) {
    if (!NO_LINKS.has(errorCode(thrown) ?? "")) throw thrown;
    writeFileSync(path, content, { flag: "wx" }); // Not in one step, but only one process can do it.
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Creates a lock file. Returns false if another process has created it already. */
function createExclusively(folder: string, path: string, content: string): boolean {
  try {
    linkContent(path, join(folder, `jaf-lock.draft-${crypto.randomUUID()}`), content);
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

function removeOlder(folder: string, than: number): void {
  for (const generation of generations(folder)) {
    if (generation < than) rmSync(pathOf(folder, generation), { force: true });
  }
}

function hold(folder: string, generation: number): FolderLock {
  // The previous file stays: a concurrent listing may miss files that are created or removed meanwhile, but never this
  // one.
  removeOlder(folder, generation - 1);
  return { release: () => release(pathOf(folder, generation)) };
}

// Marks the lock file as free. It isn't deleted, because numbers must not start over while a slow process continues
// from an old number. Overwriting in place also works on a full disk.
function release(path: string): void {
  try {
    const file = openSync(path, "r+");
    writeSync(file, "free" satisfies LockRecord["state"], STATE_OFFSET);
    closeSync(file);
  } catch {
    // The file is gone or can't be written. The end of this process frees it.
  }
}

/**
 * Locks a folder. Throws a {@link PgliteFolderError} with the reason `"in-use"` if another process, or another call in
 * this process, has the lock.
 */
export function lockFolder(folder: string): FolderLock {
  const content = JSON.stringify({ state: "held", ...ownIdentity() } satisfies LockRecord);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = latest(folder);
    if (before > 0) {
      const path = pathOf(folder, before);
      const record = readRecord(path);
      if (record === undefined) continue; // A later file has replaced it.
      refuseIfHeld(folder, path, record);
    }
    const own = before + 1;
    if (!createExclusively(folder, pathOf(folder, own), content)) continue;
    // If the highest number isn't this process's own, it continued from an outdated number, and another process is
    // ahead.
    if (latest(folder) === own) return hold(folder, own);
    rmSync(pathOf(folder, own), { force: true });
  }
  throw new PgliteFolderError("in-use", folder, "other processes keep locking it. Try again.");
}

/** Identifies a process, even if the system reuses its id. */
interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The id of the system's last boot, and the start time of the process. Absent: the system doesn't expose them. */
  readonly start?: string;
}

const START_FIELD = 22;

/** The state code of a zombie: a process that has ended, but whose parent hasn't read its exit code yet. */
const ENDED = "Z";

function lookUp(pid: number): { readonly state: string | undefined; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses. It may contain anything, including spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return { state: fields[0], start: `${boot} ${fields[START_FIELD - 3]}` };
  } catch {
    return undefined;
  }
}

export function ownIdentity(): ProcessIdentity {
  const start = lookUp(process.pid)?.start;
  return { pid: process.pid, host: hostname(), ...(start === undefined ? {} : { start }) };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // The process of another user exists, but can't be signalled.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}

/** Returns whether a process of this machine is running. */
function isRunning({ pid, start }: ProcessIdentity): boolean {
  if (!exists(pid)) return false;
  const now = lookUp(pid);
  if (now === undefined) return true;
  return now.state !== ENDED && (start === undefined || now.start === start);
}
