import type { MemoryErrorUnion } from "@jaf/memory";
import {
  createMemoryConnectionError,
  createMemoryStorageError,
  describeCause,
  MemorySetupError,
} from "@jaf/memory/adapter";

/** What an error means: its kind, whether a retry can help, and what the operator can do. */
interface ErrorRule {
  readonly kind: "connection" | "storage";
  readonly retryable: boolean;
  readonly remedy: string;
}

const connection = (remedy: string, retryable = false): ErrorRule => ({
  kind: "connection",
  retryable,
  remedy,
});
const storage = (remedy: string, retryable = false): ErrorRule => ({ kind: "storage", retryable, remedy });

const missing = connection("the folder or the file is missing; check `file`, and that its disk is mounted");
const forbidden = connection(
  "no permission; let this user read and write the file and its folder, in which SQLite keeps two more files",
);
const unopened = connection(
  "the file can't be opened; check that `file` is a file in an existing folder, and that this user may write both",
);
const readOnly = storage(
  "the file or its disk is read-only, or the file was moved; let this user write the file and its folder, then open it again",
);
const locked = storage("another process holds the file's lock for long; try again", true);
const corrupt = storage(
  "the file is damaged; stop all processes that use it, and restore a backup or run SQLite's `.recover`",
);
const full = storage("the disk is full and nothing was written; free some space, then try again");

/** The rules by the code of SQLite, of the file system, or of this package. */
const rules: Readonly<Record<string, ErrorRule>> = {
  SQLITE_BUSY: locked,
  SQLITE_LOCKED: locked,
  SQLITE_PROTOCOL: locked,
  SQLITE_FULL: full,
  ENOSPC: full,
  EDQUOT: full,
  SQLITE_CORRUPT: corrupt,
  SQLITE_NOTADB: connection("the file isn't a SQLite database; choose another `file`"),
  SQLITE_READONLY: readOnly,
  EROFS: readOnly,
  SQLITE_IOERR: storage("the file can't be read or written; check the disk and the system log"),
  SQLITE_NOMEM: storage("SQLite has too little memory; try again later", true),
  SQLITE_TOOBIG: storage("a message or metadata exceeds SQLite's limit of 1 GB; store less at once"),
  SQLITE_CANTOPEN: unopened,
  SQLITE_PERM: forbidden,
  EACCES: forbidden,
  EPERM: forbidden,
  ENOENT: missing,
  ENOTDIR: missing,
  EISDIR: connection("the path is a folder; choose a file"),
  EMFILE: connection("too many files are open; raise the limit (ulimit -n)", true),
  ENFILE: connection("too many files are open on this machine; close some", true),
  CLOSED: connection("the database was closed; open it again"),
};

/** A fault that this package finds itself. The message says what helps. */
export class FileFault extends Error {
  override readonly name = "FileFault";
}

const unexpected = storage("SQLite failed unexpectedly");

function ruleFor(thrown: unknown, code: string): ErrorRule {
  if (thrown instanceof FileFault) return connection(thrown.message);
  return rules[code] ?? unexpected;
}

/** Converts an error of SQLite or of the file system into an error of `@jaf/memory`. */
export function toMemoryError(operation: string, thrown: unknown): MemoryErrorUnion {
  const { name, code = "", message } = describeCause(thrown);
  const { kind, remedy, retryable } = ruleFor(thrown, code);
  // Messages of SQLite name tables and columns, but no values. Others may quote a value.
  const shown = code in rules || code.startsWith("SQLITE_") ? message : "not shown";
  const cause = Object.assign(new Error(shown), { name }, code === "" ? {} : { code });
  const details = { provider: "sqlite", operation, retryable, cause };
  return kind === "connection"
    ? createMemoryConnectionError("sqlite", remedy, details)
    : createMemoryStorageError(operation, `${remedy}.`, details);
}

export const toSetupError = (operation: string, thrown: unknown): MemorySetupError =>
  thrown instanceof MemorySetupError ? thrown : new MemorySetupError(toMemoryError(operation, thrown));
