/** Why a folder with a PGlite database can't be opened or closed. */
export type PgliteFolderReason =
  /** Another process, or another call in this process, has the folder open. */
  | "in-use"
  /** The folder has a database that can't be read. */
  | "damaged"
  /** The folder has other files, or the path names a file. */
  | "not-a-database"
  /** The user can't write to the folder, or the folder can't be created. */
  | "not-writable"
  /** The disk, or the user's quota, is full. */
  | "disk-full"
  /** The package `@electric-sql/pglite` isn't installed. */
  | "not-installed";

/**
 * A folder with a PGlite database can't be opened or closed properly. The message says what to do. No stored data was
 * changed.
 *
 * @example
 * ```ts
 * import { openPglite, PgliteFolderError } from "@jaf/memory-postgres/pglite";
 *
 * const database = await openPglite("./data").catch((thrown: unknown) => {
 *   if (thrown instanceof PgliteFolderError && thrown.reason === "in-use") console.error(thrown.message);
 *   throw thrown;
 * });
 * await database.close();
 * ```
 */
export class PgliteFolderError extends Error {
  override readonly name = "PgliteFolderError";

  constructor(
    /** Why the folder can't be opened or closed. */
    readonly reason: PgliteFolderReason,
    /** The absolute path of the folder. */
    readonly folder: string,
    remedy: string,
  ) {
    super(`Cannot open the database in ${folder}: ${remedy}`);
  }
}

/** Converts WebAssembly's system error numbers into error codes. Errors of PGlite have only the numbers. */
const WASI_CODES: Readonly<Record<number, string>> = {
  2: "EACCES",
  19: "EDQUOT",
  51: "ENOSPC",
  63: "EPERM",
  69: "EROFS",
};

export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  return "errno" in thrown && typeof thrown.errno === "number" ? WASI_CODES[thrown.errno] : undefined;
}

const fullDisk = "the disk is full. Free some space and try again; no stored data is lost.";

const remedies: Readonly<Record<string, readonly [PgliteFolderReason, string]>> = {
  EACCES: ["not-writable", "this user can't write there. Grant the right, or choose another folder."],
  EPERM: ["not-writable", "this user can't write there. Grant the right, or choose another folder."],
  ENOENT: [
    "not-writable",
    "the folder can't be created; a symbolic link in the path may lead nowhere. Repair the link, or choose another folder.",
  ],
  EROFS: ["not-writable", "the file system is read-only. Choose another folder."],
  ELOOP: ["not-writable", "its symbolic links form a circle. Repair them, or choose another folder."],
  ENAMETOOLONG: ["not-writable", "the path is too long for the file system. Choose a shorter one."],
  ENOTDIR: ["not-a-database", "it, or a part of its path, is a file. Choose a folder."],
  EEXIST: ["not-a-database", "it is a file. Choose a folder."],
  ENOSPC: ["disk-full", fullDisk],
  EDQUOT: ["disk-full", fullDisk],
};

export const diskFull = (folder: string): PgliteFolderError =>
  new PgliteFolderError("disk-full", folder, fullDisk);

/** Converts an error of the file system into a {@link PgliteFolderError}. Returns an unknown error unchanged. */
export function toFolderError(folder: string, thrown: unknown): unknown {
  const [reason, remedy] = remedies[errorCode(thrown) ?? ""] ?? [];
  return reason === undefined || remedy === undefined
    ? thrown
    : new PgliteFolderError(reason, folder, remedy);
}
