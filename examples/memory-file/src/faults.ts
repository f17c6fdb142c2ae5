import type { MemoryErrorUnion } from "@jaf/memory";
import { createMemoryConnectionError, createMemoryStorageError, describeCause } from "@jaf/memory/adapter";

const codes = { damaged: "JAF_LOG_DAMAGED", changed: "JAF_LOG_CHANGED", inUse: "JAF_FOLDER_IN_USE" } as const;

/** `message` must say how to fix the problem, and must not quote the content of a file. */
const fault = (code: string, message: string): Error => Object.assign(new Error(message), { code });

export const damagedLog = (name: string, reason: string): Error =>
  fault(
    codes.damaged,
    `the log ${name} is damaged (${reason}); restore that file from a backup, or move it out of the folder to continue without its conversation.`,
  );

export const changedByOthers = (name: string): Error =>
  fault(
    codes.changed,
    `the log ${name} was changed by another program; nothing was written. Stop the other program, then open the provider again.`,
  );

export const isChangedByOthers = (thrown: unknown): boolean => describeCause(thrown).code === codes.changed;

export const folderInUse = (folder: string, lock: string): Error =>
  fault(
    codes.inUse,
    `another provider uses the folder ${folder}; close it first or choose another folder. If no process uses it, delete the file ${lock} there`,
  );

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOENT:
    "the folder or a file in it is missing; check that the disk is mounted and that no other program deletes files in the folder",
  ENOTDIR: "the path is not a folder; choose another one",
  EEXIST: "the path is not a folder; choose another one",
  EACCES: "no permission; let this user read and write the folder and its files",
  EPERM: "no permission; let this user read and write the folder and its files",
  EROFS: "the file system is read-only; mount it for writing or choose another folder",
  EMFILE: "too many files are open; raise the limit (ulimit -n) or make fewer calls at the same time",
  ENFILE: "too many files are open on this machine; close some",
  EBUSY: "the file is busy; try again",
  EAGAIN: "the file is busy; try again",
};

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const PASSING = new Set(["EMFILE", "ENFILE", "EBUSY", "EAGAIN"]);

/** Turns an error of the file system into a tagged error that says how to fix it. */
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
    ? "the disk is full, or a quota or file size limit is reached; free some space, then try again."
    : "a file could not be read or written; check the disk and the system log.";
  return createMemoryStorageError(operation, reason, details);
}
