import { createMemoryConnectionError, MemorySetupError } from "@jaf/memory/adapter";

/** A value that a column can hold. */
export type SqliteValue = string | number | Uint8Array | null;

/** A row by the names of its columns. */
export type SqliteRow = Readonly<Record<string, unknown>>;

/** The part of `DatabaseSync` that we use. `node:sqlite` and `@photostructure/sqlite` have the same interface. */
export interface DriverHandle {
  readonly prepare: (sql: string) => DriverStatement;
  readonly exec: (sql: string) => void;
  readonly close: () => void;
}

interface DriverStatement {
  readonly all: (...values: readonly SqliteValue[]) => readonly unknown[];
  readonly run: (...values: readonly SqliteValue[]) => { readonly changes: number | bigint };
}

/** Opens a file, which is created if it is missing. */
export type OpenHandle = (file: string) => DriverHandle;

interface DriverModule {
  readonly DatabaseSync: new (file: string) => DriverHandle;
}

// SQLite before these versions can lose a committed write if one process checkpoints while another one writes:
// https://sqlite.org/wal.html#walresetbug
const FIXED: readonly (readonly [minor: number, patch: number])[] = [
  [44, 6],
  [50, 7],
  [51, 3],
];

/** Whether this version of SQLite loses no write of several processes. */
export function isSafeVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major !== 3) return major > 3;
  return minor > 51 || FIXED.some(([fixed, from]) => minor === fixed && patch >= from);
}

/** Returns Node's own SQLite, or `undefined` if this Node version has none, or one that can lose writes. */
function builtIn(): DriverModule | undefined {
  const version = process.versions["sqlite"];
  if (version === undefined || !isSafeVersion(version)) return undefined;
  // Not by an import, which bundlers resolve for every Node version.
  return process.getBuiltinModule("node:sqlite") as DriverModule | undefined;
}

const NO_DRIVER =
  "this Node version has no SQLite of version 3.51.3 or newer; install the package `@photostructure/sqlite`, or use Node 24";

/** Returns the driver: Node's own, or else the package `@photostructure/sqlite`. */
export async function findDriver(operation: string): Promise<OpenHandle> {
  const { DatabaseSync } = builtIn() ?? (await importDriver(operation));
  return (file) => new DatabaseSync(file);
}

async function importDriver(operation: string): Promise<DriverModule> {
  try {
    return await import("@photostructure/sqlite");
  } catch (cause) {
    throw new MemorySetupError(
      createMemoryConnectionError("sqlite", NO_DRIVER, { operation, retryable: false, cause }),
    );
  }
}
