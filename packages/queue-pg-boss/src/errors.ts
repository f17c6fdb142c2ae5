import {
  createMemoryConnectionError,
  createMemoryStorageError,
  describeCause,
  type MemoryErrorUnion,
  present,
} from "@jaf/memory/adapter";

/** The application's `PgBoss` answers no statements. */
export class UnstartedBoss extends Error {
  override readonly name = "UnstartedBoss";
}

/** Postgres didn't answer in time. */
export class StatementTimeout extends Error {
  override readonly name = "StatementTimeout";
}

const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && "code" in thrown && thrown.code === code;

export const isDeadlock = (thrown: unknown): boolean => hasCode(thrown, "40P01");

/** Whether a unique index refused a row. */
export const isDuplicate = (thrown: unknown): boolean => hasCode(thrown, "23505");

/** What an error of the driver or the server means: its kind, whether a retry can help, and what the operator can do. */
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
const broken = connection("the connection broke; the next call opens a new one");
const slow = connection("it didn't answer in time; check the network, and that Postgres is not overloaded");
const unknownHost = connection("the host name can't be resolved; check the host");
const login = connection("it refused the login; check user name, password and pg_hba.conf", false);
const tls = connection("TLS failed; check the options of TLS and the certificates", false);
const url = connection(
  "`connectionString` is not a valid URL; percent-encode special characters in user name and password",
  false,
);
const closed = connection("the pool was closed; create a new one", false);
const unstarted = connection("`boss` is not started, or was stopped; await its start() first");
const tables = storage(
  "the tables of pg-boss are missing or are those of another version; check `schema`, and that pg-boss may migrate them",
);

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
  "22": storage("the database can't hold every character; create it with ENCODING 'UTF8'"),
  "25006": storage(
    "the server is read-only, perhaps a standby; connect to the primary, or try again after a failover",
    true,
  ),
  "28": login,
  "3D000": connection("there is no such database; create it", false),
  "3F000": tables,
  "40": storage("it conflicted with another transaction; try again", true),
  "42501": storage("this user lacks a right on the tables of pg-boss; grant it"),
  "42P01": tables,
  "42703": tables,
  "42883": tables,
  "53": storage("the server is short of memory, disk space or other resources; try again later", true),
  "53300": connection("it has no connections left; put PgBouncer in front of it"),
  "55000": connection("the database takes no connections at the moment; try again soon"),
  "55P03": storage("a lock was not available in time; try again", true),
  "57": connection("it is shutting down or starting up; try again in a moment"),
  "57014": storage("it was cancelled, or exceeded a timeout of the server; try again", true),
  "57P04": connection("the database was dropped", false),
  "58": storage("the server can't read or write its files; check its disk", true),
};

/** The rules for errors without a `code`, by the message. */
const messageRules: readonly (ErrorRule & { readonly pattern: RegExp })[] = [
  { pattern: /^(timeout exceeded when trying to connect|timeout expired)$/, ...slow },
  { pattern: /^Connection terminated due to connection timeout$/, ...slow },
  { pattern: /^Query read timeout$/, ...slow },
  { pattern: /^Connection terminated/, ...broken },
  { pattern: /^Client has encountered a connection error and is not queryable$/, ...broken },
  { pattern: /^Cannot use a pool after calling end on the pool$/, ...closed },
  { pattern: /^URI malformed$/, ...url },
  { pattern: /^The server does not support SSL connections$/, ...tls },
  { pattern: /^There was an error establishing an SSL connection$/, ...tls },
  { pattern: /^SASL: /, ...login },
];

const unexpected = storage("the database failed unexpectedly; see its log");

function ruleFor(thrown: unknown): ErrorRule {
  if (thrown instanceof UnstartedBoss) return unstarted;
  if (thrown instanceof StatementTimeout) return slow;
  const { code, message } = describeCause(thrown);
  const byCode = code === undefined ? undefined : (codeRules[code] ?? codeRules[code.slice(0, 2)]);
  return byCode ?? messageRules.find(({ pattern }) => pattern.test(message)) ?? unexpected;
}

/** Converts an error of pg-boss, the driver or the Postgres server into an error of `@jaf/memory`. */
export function toMemoryError(operation: string, thrown: unknown): MemoryErrorUnion {
  const rule = ruleFor(thrown);
  const { name, code } = describeCause(thrown);
  // Not the message: it may quote a row, a parameter, or a part of the URL.
  const cause = Object.assign(new Error(code ?? "not shown"), { name }, present({ code }));
  const details = { provider: "pg-boss", operation, retryable: rule.retryable, cause };
  return rule.kind === "connection"
    ? createMemoryConnectionError("pg-boss", rule.remedy, details)
    : createMemoryStorageError(operation, `${rule.remedy}.`, details);
}
