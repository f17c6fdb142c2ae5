import type { DriverHandle, SqliteRow, SqliteValue } from "./driver.ts";

/** A connection to a SQLite file. Each call runs at once, and blocks this process meanwhile. */
export interface SqliteClient {
  /** Runs a statement and returns its rows. */
  readonly all: (sql: string, ...values: readonly SqliteValue[]) => readonly SqliteRow[];
  /** Runs a statement and returns its first row. */
  readonly first: (sql: string, ...values: readonly SqliteValue[]) => SqliteRow | undefined;
  /** Runs a statement and returns the number of rows that it changed. */
  readonly run: (sql: string, ...values: readonly SqliteValue[]) => number;
  /** Runs statements without values. */
  readonly exec: (sql: string) => void;
  readonly close: () => void;
}

/** An error of SQLite. `code` is the name of its result code (e.g. `SQLITE_BUSY`). */
export class SqliteError extends Error {
  override readonly name = "SqliteError";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether the error means that another process holds a lock. */
export const isBusy = (thrown: unknown): boolean =>
  thrown instanceof SqliteError && (thrown.code === "SQLITE_BUSY" || thrown.code === "SQLITE_PROTOCOL");

const CODES: Readonly<Record<number, string>> = {
  1: "SQLITE_ERROR",
  3: "SQLITE_PERM",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  17: "SQLITE_SCHEMA",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  21: "SQLITE_MISUSE",
  26: "SQLITE_NOTADB",
};

/** SQLite's texts of some codes, for errors without a number: `@photostructure/sqlite` leaves it out in `all`. */
const TEXTS: Readonly<Record<string, number>> = {
  "database is locked": 5,
  "attempt to write a readonly database": 8,
  "disk I/O error": 10,
  "database disk image is malformed": 11,
  "database or disk is full": 13,
  "file is not a database": 26,
};

/** Converts an error of the driver. */
function toSqliteError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const number = "errcode" in thrown ? thrown.errcode : TEXTS[thrown.message];
  if (typeof number === "number") {
    // The upper bits are a more precise code, e.g. that of a recovery.
    const base = number & 0xff;
    return new SqliteError(CODES[base] ?? `SQLITE_${base}`, thrown.message);
  }
  const isClosed = "code" in thrown && thrown.code === "ERR_INVALID_STATE";
  return isClosed ? new SqliteError("CLOSED", "the database is closed") : thrown;
}

function guard<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw toSqliteError(thrown);
  }
}

/** Opens a connection. Each statement is prepared once, so its text must not contain values. */
export function openClient(open: () => DriverHandle): SqliteClient {
  const handle = guard(open);
  const prepared = new Map<string, ReturnType<DriverHandle["prepare"]>>();

  function prepare(sql: string) {
    const statement = prepared.get(sql) ?? handle.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  }

  // The driver returns plain rows with the columns that the statement names.
  const all: SqliteClient["all"] = (sql, ...values) =>
    guard(() => prepare(sql).all(...values) as readonly SqliteRow[]);

  return {
    all,
    first: (sql, ...values) => all(sql, ...values)[0],
    run: (sql, ...values) => guard(() => Number(prepare(sql).run(...values).changes)),
    exec: (sql) => guard(() => handle.exec(sql)),
    close: () => {
      prepared.clear();
      guard(() => handle.close());
    },
  };
}
