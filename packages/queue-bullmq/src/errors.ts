import {
  createMemoryConnectionError,
  createMemoryStorageError,
  describeCause,
  type MemoryErrorUnion,
  present,
} from "@jaf/memory/adapter";

export const PROVIDER = "bullmq";

/** What an error of BullMQ, a Redis client or the server means, and what the operator can do. */
interface ErrorRule {
  readonly pattern: RegExp;
  readonly kind: "connection" | "storage";
  readonly retryable: boolean;
  readonly remedy: string;
}

const connection = (pattern: RegExp, remedy: string, retryable = true): ErrorRule => ({
  pattern,
  kind: "connection",
  retryable,
  remedy,
});

const storage = (pattern: RegExp, remedy: string, retryable = false): ErrorRule => ({
  pattern,
  kind: "storage",
  retryable,
  remedy,
});

/** The first rule whose pattern matches `<code> <name>: <message>` applies. */
const rules: readonly ErrorRule[] = [
  connection(/\b(NOAUTH|WRONGPASS)\b/, "Redis refused the login; check username and password", false),
  storage(
    /\bNOPERM\b|can't run this command/,
    "the user of Redis lacks a right; allow all commands of BullMQ",
  ),
  storage(/\bOOM\b/, "the memory of Redis is full; raise maxmemory", true),
  storage(/\bMISCONF\b/, "Redis refuses writes, since it can't save to its disk; free some space", true),
  storage(/\bCROSSSLOT\b/, "the keys are on different servers; use a prefix with a hash tag, e.g. {jaf}"),
  storage(/\bWRONGTYPE\b/, "a key belongs to another application; choose another prefix"),
  connection(/\bREADONLY\b/, "Redis is a read-only replica, perhaps after a failover; connect to the master"),
  connection(/\b(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|UNBLOCKED)\b/, "Redis isn't ready yet; try again"),
  connection(/^ENOTFOUND|^EAI_AGAIN/, "the host name can't be resolved; check it"),
  connection(/CERT|^ERR_TLS|^ERR_SSL/, "TLS failed; check the certificates, and rediss:// for TLS", false),
  connection(
    /could not load the optional/,
    "the package ioredis isn't installed; install it, or pass a client of redis",
    false,
  ),
  connection(
    /^E[A-Z]+ |^(NoAnswer|ConnectionClosedError|MaxRetriesPerRequestError)|[Cc]onnection is closed|[Cc]lient is (closed|offline)|isn't writeable|Socket ?[Cc]losed|[Tt]imed? ?out|DisconnectsClient|[Ss]lots cache|Cluster isn't ready|None of startup nodes/,
    "the connection broke, or Redis doesn't answer; check that it is running and reachable",
  ),
  storage(
    /could not renew lock|Missing lock|Lock mismatch|Missing key for job|is not in the active state/,
    "a worker lost a turn, perhaps to another worker; check that its event loop isn't blocked, and that Redis keeps its data",
    true,
  ),
];

/** Thrown if Redis doesn't answer in time. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** Returns an error with the class name and the code of `thrown`, but without its message, which may contain a key. */
function safeCause(thrown: unknown): Error {
  const { name, code } = describeCause(thrown);
  return Object.assign(new Error(code ?? "not shown"), { name }, present({ code }));
}

/** Converts an error of BullMQ, of a Redis client or of the server into an error of `@jaf/memory`. */
export function toMemoryError(operation: string, thrown: unknown): MemoryErrorUnion {
  const { name, message, code } = describeCause(thrown);
  const text = `${code === undefined ? "" : `${code} `}${name}: ${message}`;
  const rule = rules.find(({ pattern }) => pattern.test(text));
  const { retryable = false, remedy = "the queue failed unexpectedly; see the log of Redis" } = rule ?? {};
  const details = { provider: PROVIDER, operation, retryable, cause: safeCause(thrown) };
  return rule?.kind === "connection"
    ? createMemoryConnectionError(PROVIDER, remedy, details)
    : createMemoryStorageError(operation, `${remedy}.`, details);
}
