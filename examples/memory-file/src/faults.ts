import type { MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConnectionError, createMemoryStorageError, describeCause } from "@jaf/memory/adapter";

const codes = { damaged: "JAF_LOG_DAMAGED", changed: "JAF_LOG_CHANGED", inUse: "JAF_FOLDER_IN_USE" } as const;

/** Its message says what helps, and quotes nothing of what a file holds. */
const fault = (code: string, message: string): Error => Object.assign(new Error(message), { code });

export const damagedLog = (name: string, reason: string): Error =>
  fault(
    codes.damaged,
    `the log ${name} is damaged (${reason}); put back a copy of that file, or move it out of the folder to go on without its conversation.`,
  );

export const changedByOthers = (name: string): Error =>
  fault(
    codes.changed,
    `the log ${name} was changed by somebody else; nothing was written. Stop whoever else writes to the folder, then open the provider anew.`,
  );

export const isChangedByOthers = (thrown: unknown): boolean => describeCause(thrown).code === codes.changed;

export const folderInUse = (folder: string, lock: string): Error =>
  fault(
    codes.inUse,
    `another provider uses the folder ${folder}; close it first or choose another folder. If no process uses it, delete the file ${lock} there`,
  );

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOENT:
    "the folder or a file in it is missing; check that the disk is mounted and nobody tidies the folder",
  ENOTDIR: "the path is not a folder; choose another one",
  EEXIST: "the path is not a folder; choose another one",
  EACCES: "no permission; let this user read and write the folder and its files",
  EPERM: "no permission; let this user read and write the folder and its files",
  EROFS: "the file system is read-only; mount it for writing or choose another folder",
  EMFILE: "too many files are open; raise the limit (ulimit -n) or do less at once",
  ENFILE: "too many files are open on this machine; close some",
  EBUSY: "the file is busy; try again",
  EAGAIN: "the file is busy; try again",
};

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const PASSING = new Set(["EMFILE", "ENFILE", "EBUSY", "EAGAIN"]);

/** What a file system throws, as a tagged error with what helps. */
export function toMemoryError(operation: string, thrown: unknown): MemoryErrorUnion {
  const { code = "", message } = describeCause(thrown);
  const details = { provider: "file", operation, retryable: PASSING.has(code), cause: thrown };
  if (code === codes.inUse) {
    return createMemoryConnectionError("file", message, { ...details, retryable: true });
  }
  if (code === codes.damaged || code === codes.changed) {
    return createMemoryStorageError(operation, message, details);
  }
  const hint = UNREACHABLE[code];
  if (hint !== undefined) return createMemoryConnectionError("file", hint, details);
  const reason = FULL.has(code)
    ? "the disk, the quota or the file size limit is full; free some space, then try again."
    : "a file could not be read or written; check the disk and the system's log.";
  return createMemoryStorageError(operation, reason, details);
}
