import type { ErrorCause, MemoryErrorUnion } from "@jaf/memory";
import {
  createMemoryConnectionError,
  createMemoryStorageError,
  describeCause,
  MemorySetupError,
  present,
} from "@jaf/memory/adapter";
import { UnconnectedClient } from "./client/adapt-client.ts";

/**
 * What an error of the driver or the server means: its kind, whether a retry can help, and what the operator can do.
 */
interface ErrorRule {
  readonly kind: "connection" | "storage";
  readonly retryable: boolean;
  readonly remedy: string;
}

const connection = (remedy: string, retryable = true): ErrorRule => ({
  kind: "connection",
  retryable,
  remedy,
});
const storage = (remedy: string, retryable = false): ErrorRule => ({ kind: "storage", retryable, remedy });

const refused = connection("no server listens there; check host and port, and that Postgres is running");
const broken = connection("the connection broke; the next call opens a new one if the client is a pool");
const slow = connection("it didn't answer in time; check the network, and that Postgres is not overloaded");
const unknownHost = connection("the host name can't be resolved; check `host`");
const login = connection("it refused the login; check username, password and pg_hba.conf", false);
const tls = connection("TLS failed; check `ssl` and the certificates", false);
const terminated = connection(
  "an administrator terminated the connection, or the server is shutting down; try again in a moment",
);
// PgBouncer uses this code for all errors of its own.
const behindPooler = connection(
  "PgBouncer could not reach it, or had no free connection in time; try again, and see the logs of PgBouncer and the server",
);
const url = connection(
  "`connectionString` is not a valid URL; percent-encode special characters in username and password",
  false,
);
const starting = connection("it is starting up or shutting down; try again in a moment");
const crowded = connection(
  "it has no connections left; lower `maxConnections`, or put PgBouncer in front of it",
);
const closed = connection("the client was closed; create a new one", false);
const crashed = connection(
  "the embedded database has stopped, probably because its disk is full; free some space, close it, and open the folder again",
  false,
);
const schema = storage(
  "the tables are missing or out of date; run migrate(), or the script of printMigrations(), and check `tableName` and `schema`",
);
const collision = storage(
  "a table, index or function of that name exists already and is not ours; choose another `tableName` or `schema`",
);
const raced = storage("it conflicted with another transaction; try again", true);
const cancelled = storage("it was cancelled, or exceeded a timeout of the server; try again", true);
const locked = storage("a lock was not available in time; try again", true);
const full = storage("the disk of the server is full and nothing was written; free some space", true);
const locks = storage(
  "the server has no memory left for locks, and each partition and each of its indexes needs one; raise max_locks_per_transaction, or use fewer partitions",
);
const resources = storage("the server is short of memory or other resources; try again later", true);
const encoding = storage("the database can't hold every character; create it with ENCODING 'UTF8'");
const corrupt = storage("the server reports damaged or unreadable files; see its log, and restore a backup");

/**
 * The rules for errors with a `code`: an SQLSTATE, or an `errno` name, e.g. `ECONNRESET`. Two characters stand for all
 * SQLSTATEs that begin with them.
 */
const codeRules: Readonly<Record<string, ErrorRule>> = {
  ECONNREFUSED: refused,
  ENOENT: refused,
  ECONNRESET: broken,
  EPIPE: broken,
  ECONNABORTED: broken,
  ETIMEDOUT: slow,
  EHOSTUNREACH: slow,
  ENETUNREACH: slow,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  DEPTH_ZERO_SELF_SIGNED_CERT: tls,
  SELF_SIGNED_CERT_IN_CHAIN: tls,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: tls,
  CERT_HAS_EXPIRED: tls,
  ERR_INVALID_URL: url,
  ERR_TLS_CERT_ALTNAME_INVALID: tls,
  "08": broken,
  "08P01": behindPooler,
  "22021": encoding,
  "22P05": encoding,
  // Retryable, because this error also occurs while a standby is being promoted, and with some cloud services if the
  // disk is nearly full.
  "25006": storage(
    "the server is read-only, perhaps a standby; connect to the primary, or try again after a failover",
    true,
  ),
  "25P02": storage("the client's transaction has failed; roll it back"),
  "28": login,
  "3D000": connection("there is no such database; create it, e.g. with `createdb jaf_memory`", false),
  "3F000": storage("there is no schema to create the tables in; set `schema`"),
  "40": raced,
  "42501": storage(
    "this user lacks a right, or a policy of row-level security hides rows even from their owner; grant the right, or let an administrator run the script of printMigrations() and set `migrate: false`",
  ),
  "42939": storage("the schema's name is reserved for Postgres; choose another `schema`"),
  "42P01": schema,
  "42883": schema,
  "42703": schema,
  "42P07": collision,
  "42710": collision,
  "42723": collision,
  "53": resources,
  "53100": full,
  "53200": locks,
  "53300": crowded,
  "54": storage("the conversation is too large for the server; keep fewer messages with `maxMessages`"),
  "55000": connection("the database takes no connections at the moment; try again soon"),
  "55P03": locked,
  "57014": cancelled,
  "57P01": terminated,
  "57P02": starting,
  "57P03": starting,
  "57P04": connection("the database was dropped", false),
  "57P05": broken,
  "58": corrupt,
  "58030": storage("the server can't read or write its files; check its disk", true),
  // Raised by our write function and migrations.
  JF001: storage(
    "a conversation of that id is not visible to this role; a policy of row-level security hides it. Choose another id, or change the policy",
  ),
  JF002: storage(
    "the tables exist and were created with another number of partitions; set `partitions` to that number or omit it, or choose another `tableName` or `schema` for new tables",
  ),
  JF003: storage(
    "the schema was renamed after its tables were made; run migrate(), or the script of printMigrations()",
  ),
  JF004: storage(
    "some of the tables are gone; restore them from a backup, or drop the remaining ones, including the table of migrations, to start again",
  ),
  XX001: corrupt,
  XX002: corrupt,
};

/** The rules for errors without a `code`, by the message. */
const messageRules: readonly (ErrorRule & { readonly pattern: RegExp })[] = [
  { pattern: /^(timeout exceeded when trying to connect|timeout expired)$/, ...slow },
  { pattern: /^Connection terminated due to connection timeout$/, ...slow },
  { pattern: /^Query read timeout$/, ...slow },
  { pattern: /^Connection terminated/, ...broken },
  { pattern: /^Client has encountered a connection error and is not queryable$/, ...broken },
  { pattern: /^Client was closed and is not queryable$/, ...closed },
  { pattern: /^Cannot use a pool after calling end on the pool$/, ...closed },
  { pattern: /^PGlite is clos(ed|ing)$/, ...closed },
  { pattern: /^PGlite has crashed$/, ...crashed },
  { pattern: /^URI malformed$/, ...url },
  { pattern: /^The server does not support SSL connections$/, ...tls },
  { pattern: /^There was an error establishing an SSL connection$/, ...tls },
  { pattern: /^SASL: /, ...login },
];

/** The messages of the conversation are too large to be read together. */
// The driver converts them into one string, and JavaScript's strings are limited to 512 MB. Without this error, the
// driver would fail and end the process.
export class ConversationTooLarge extends Error {
  override readonly name = "ConversationTooLarge";
}

/** Each attempt to make a change met a concurrent change. The message says which. */
export class Contention extends Error {
  override readonly name = "Contention";
}

const unexpected: ErrorRule = {
  kind: "storage",
  retryable: false,
  remedy: "the database failed unexpectedly; see its log",
};

const unconnected: ErrorRule = {
  kind: "connection",
  retryable: false,
  remedy: "the client that was passed in is not connected; await its connect() first",
};

const tooLarge: ErrorRule = {
  kind: "storage",
  retryable: false,
  remedy:
    "the conversation is too large to be read as a whole; read its end with getRecentMessages(), and keep fewer messages with `maxMessages`",
};

/** The SQLSTATE classes whose messages may be shown. */
// They quote names of tables and settings, but no rows, parameters or users.
const QUOTABLE_CLASSES = new Set(["08", "25", "3D", "3F", "40", "42", "53", "55", "57", "58"]);

const SQLSTATE = /^[0-9A-Z]{5}$/;

function ruleFor(thrown: unknown, { code, message }: ErrorCause): ErrorRule {
  if (thrown instanceof UnconnectedClient) return unconnected;
  if (thrown instanceof ConversationTooLarge) return tooLarge;
  if (thrown instanceof Contention) return storage(`${thrown.message}; try again`, true);
  const byCode = code === undefined ? undefined : (codeRules[code] ?? codeRules[code.slice(0, 2)]);
  return byCode ?? messageRules.find(({ pattern }) => pattern.test(message)) ?? unexpected;
}

// Returns what may be shown of an error. A driver's message may quote a row or a parameter. If a host name can't be
// resolved, the message may quote a part of a password.
function safeCause(cause: ErrorCause, rule: ErrorRule): ErrorCause {
  const { name, code, message } = cause;
  if (code === undefined) return { name, message: rule === unexpected ? "not shown" : message };
  const quotable = SQLSTATE.test(code) && QUOTABLE_CLASSES.has(code.slice(0, 2));
  return { name, code, message: quotable ? message : code };
}

/** Converts an error of the driver or the Postgres server into an error of `@jaf/memory`. */
export function toMemoryError(operation: string, thrown: unknown): MemoryErrorUnion {
  const described = describeCause(thrown);
  const rule = ruleFor(thrown, described);
  const { name, message, code } = safeCause(described, rule);
  const cause = Object.assign(new Error(message), { name }, present({ code }));
  const details = { provider: "postgres", operation, retryable: rule.retryable, cause };
  return rule.kind === "connection"
    ? createMemoryConnectionError("postgres", rule.remedy, details)
    : createMemoryStorageError(operation, `${rule.remedy}.`, details);
}

export const toSetupError = (operation: string, thrown: unknown): MemorySetupError =>
  thrown instanceof MemorySetupError ? thrown : new MemorySetupError(toMemoryError(operation, thrown));

// In these SQLSTATE classes, the error may be FATAL or a PANIC. After such an error it is unknown whether the statement
// took effect.
const SEVERE_CLASSES = new Set(["53", "58", "XX"]);

/** Returns whether an error proves that a statement had no effect. */
export function isRefusal(thrown: unknown): boolean {
  // The server refused the statement, but kept the connection open.
  const cause = describeCause(thrown);
  // The driver's own errors have no severity. In other languages, the server translates the word ERROR.
  if (!(thrown instanceof Error && "severity" in thrown) || cause.code === undefined) return false;
  const isPlain = thrown.severity === "ERROR" || !SEVERE_CLASSES.has(cause.code.slice(0, 2));
  return isPlain && ruleFor(thrown, cause).kind === "storage";
}
