import type { MemoryErrorUnion } from "@jaf/memory";
import {
  createMemoryConnectionError,
  createMemoryStorageError,
  describeCause,
  MemorySetupError,
  present,
} from "@jaf/memory/adapter";
import { UnusableClient } from "./client/adapt-client.ts";

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

const refused = connection("no server listens there; check host and port, and that Redis is running");
const broken = connection("the connection broke; the client reconnects automatically");
const slow = connection("it didn't answer in time; check the network, and that Redis is not overloaded");
const unknownHost = connection("the host name can't be resolved; check `host`");
const tls = connection("TLS failed; check the URL, rediss:// for TLS, and the certificates", false);
const closed = connection("the client was closed; create a new one", false);
const login = connection("it refused the login; check username and password", false);
const replica = connection(
  "it is a read-only replica, perhaps after a failover; connect the client to the current master",
);
const cluster = connection("the Cluster currently has no server for this key; try again", true);
/** For an error that a Cluster client throws while keys move from one server to another. */
const movingKeys = connection("the Cluster is moving these keys to another server; try again");
const starting = connection("it is still loading its data; try again in a moment");
const down = connection("there is currently no master; try again after the failover");
const busy = storage("a script blocks the server; try again", true);
const full = storage(
  "its memory is full and nothing was written; raise `maxmemory`, or let conversations expire with `ttl`",
  true,
);
const disk = storage(
  "it refuses writes, since it can't save to its disk; free some space and see its log",
  true,
);
/** Returns the rule for a Redis user who has no right to run `command`, e.g. `ZADD`. */
const lacksCommand = (command: string): ErrorRule =>
  storage(
    `this user lacks a right: it can't run ${command}; allow all commands that the package's README lists`,
  );
const lacksKeys = storage(
  "this user lacks a right: it can't use the keys that begin with `keyPrefix`; allow them, e.g. ~jaf:memory:*",
);
const lacksRight = storage(
  "this user lacks a right; allow the commands that the package's README lists, and the keys of `keyPrefix`",
);
const foreign = storage("a key of that name belongs to another application; choose another `keyPrefix`");

/** The rules for errors of the server, by the first word of the error's text, e.g. `OOM`. */
const replyRules: Readonly<Record<string, ErrorRule>> = {
  MOVED: connection("it is part of a Cluster; pass a Cluster client", false),
  ASK: connection("it is part of a Cluster; pass a Cluster client", false),
  CROSSSLOT: storage(
    "the keys are on different servers; pass a Cluster client, or give `keyPrefix` a hash tag, e.g. {jaf}:",
  ),
  CLUSTERDOWN: cluster,
  TRYAGAIN: movingKeys,
  READONLY: replica,
  UNBLOCKED: replica,
  LOADING: starting,
  MASTERDOWN: down,
  NOREPLICAS: connection("too few replicas are connected for a write; try again"),
  BUSY: busy,
  UNKILLABLE: busy,
  OOM: full,
  MISCONF: disk,
  NOPERM: lacksRight,
  NOAUTH: login,
  WRONGPASS: login,
  WRONGTYPE: foreign,
  EXECABORT: storage("it refused a command of a transaction; try again, and see its log", true),
  NOSCRIPT: storage("it removed a script between two commands; try again", true),
};

/** The rules for errors with a `code`: an `errno` name, e.g. `ECONNRESET`, or the code of a TLS error. */
const codeRules: Readonly<Record<string, ErrorRule>> = {
  ECONNREFUSED: refused,
  ENOENT: refused,
  ECONNRESET: broken,
  EPIPE: broken,
  ECONNABORTED: broken,
  ERR_SOCKET_CLOSED: broken,
  ETIMEDOUT: slow,
  EHOSTUNREACH: slow,
  ENETUNREACH: slow,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  DEPTH_ZERO_SELF_SIGNED_CERT: tls,
  SELF_SIGNED_CERT_IN_CHAIN: tls,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: tls,
  CERT_HAS_EXPIRED: tls,
  ERR_TLS_CERT_ALTNAME_INVALID: tls,
  ERR_SSL_WRONG_VERSION_NUMBER: tls,
  ERR_INVALID_URL: connection("`url` is not a valid URL; percent-encode special characters in it", false),
};

/** The rules for errors of a client library. A pattern is matched against the text `<name of the error>: <message>`. */
const clientRules: readonly (ErrorRule & { readonly pattern: RegExp })[] = [
  { pattern: /^CommandTimeout\b/, ...slow },
  {
    pattern: /^TooFewReplicas\b/,
    ...connection("the write is done, but fewer than `minReplicas` have it yet; try again"),
  },
  {
    pattern: /^DamagedConversation\b/,
    ...storage(
      "the server has evicted a part of the conversation; set `maxmemory-policy noeviction`, and delete the conversation",
    ),
  },
  {
    pattern: /^UnsteadyConversation\b/,
    ...storage("the conversation changed during each attempt to read or write it; try again", true),
  },
  { pattern: /^ConnectionLost\b/, ...broken },
  { pattern: /^ConnectionClosed\b/, ...closed },
  { pattern: /^SocketClosedUnexpectedlyError\b/, ...broken },
  { pattern: /^DisconnectsClientError\b/, ...broken },
  { pattern: /^ClientOfflineError\b/, ...broken },
  { pattern: /^AbortError\b/, ...broken },
  { pattern: /^SlotsMoving\b/, ...movingKeys },
  { pattern: /^ClientClosedError\b/, ...closed },
  { pattern: /^UserMemoryClosed\b/, ...connection("the store was closed; create a new one", false) },
  {
    pattern: /^JobEntryGone\b/,
    ...storage("the job's entry was removed as outdated before the job was written; try again", true),
  },
  { pattern: /^(ConnectionTimeoutError|SocketTimeoutError|TimeoutError)\b/, ...slow },
  { pattern: /^(RootNodesUnavailableError|ClusterAllFailedError|MaxCommandRedirectionsError)\b/, ...cluster },
  { pattern: /^MaxRetriesPerRequestError\b/, ...broken },
  { pattern: /: Connection is closed\.$/, ...broken },
  { pattern: /: Stream isn't writeable and enableOfflineQueue options is false$/, ...broken },
  { pattern: /: Command timed out$/, ...slow },
  { pattern: /: connect ETIMEDOUT$/, ...slow },
  { pattern: /: None of startup nodes is available$/, ...cluster },
  { pattern: /: Failed to refresh slots cache\.$/, ...cluster },
  { pattern: /: Cluster isn't ready/, ...cluster },
  { pattern: /: Too many Cluster redirections/, ...cluster },
  { pattern: /: Cluster is ended\.$/, ...closed },
  { pattern: /: All sentinels are unreachable/, ...down },
  { pattern: /: None of the sentinels are available$/, ...down },
  { pattern: /: The client is closed$/, ...closed },
];

/** Matches the server's messages for a missing right. */
// The messages for a single command and for a command within a script differ.
const DENIAL =
  /(?:^|[\s-])NOPERM\b|ACL failure in script|user executing the script can't (?:run this command|access at least one of the keys)/;

const COMMAND = /no permissions to run the '([\w|-]+)' command/;

const KEY = /access (?:one of the keys|at least one of the keys|a key|the )/;

const SCRIPT_COMMAND = /can't run this command/;

const AT_LINE = /on @user_script:(\d+)/;

const CALLED = /redis\.p?call\('(\w+)'/;

/** The right that a Redis user lacks: to run a command, to use the keys, or an unknown right. */
type Denial = { readonly kind: "command"; readonly command: string } | { readonly kind: "keys" | "unknown" };

/** Returns the missing right that an error message names, or `undefined` if the message isn't about a missing right. */
function denialOf(message: string): Denial | undefined {
  if (!DENIAL.test(message)) return undefined;
  const command = COMMAND.exec(message)?.[1];
  if (command !== undefined) return { kind: "command", command: command.toUpperCase() };
  return { kind: KEY.test(message) ? "keys" : "unknown" };
}

/**
 * Returns an error that names the command which a script wasn't allowed to run. Returns `undefined` if `thrown` isn't
 * about a missing right. `source` is the text of the script.
 */
export function namedDenial(thrown: unknown, source: string): Error | undefined {
  if (!(thrown instanceof Error) || !SCRIPT_COMMAND.test(thrown.message)) return undefined;
  // Before version 7.2, the error of Redis has only the number of the line in the script.
  const line = AT_LINE.exec(thrown.message)?.[1];
  const command = CALLED.exec(source.split("\n")[Number(line) - 1] ?? "")?.[1];
  return command === undefined
    ? undefined
    : new Error(`NOPERM no permissions to run the '${command}' command`, { cause: thrown });
}

const unexpected: ErrorRule = {
  kind: "storage",
  retryable: false,
  remedy: "the server failed unexpectedly; see its log",
};

/** Matches the server's error word (e.g. `OOM`) anywhere in an error message. */
// In the error of a failed script, the word isn't at the start.
const INNER_WORD = /(?:^|[\s-])(READONLY|OOM|WRONGTYPE|MISCONF|CROSSSLOT|NOREPLICAS|MASTERDOWN|LOADING)\s/;

const NON_LOCAL_KEY = /attempted to access (?:a non local key|keys that do not hash to the same slot)/;

function rightRule(denial: Denial): ErrorRule {
  switch (denial.kind) {
    case "command":
      return lacksCommand(denial.command);
    case "keys":
      return lacksKeys;
    case "unknown":
      return lacksRight;
  }
}

function ruleOf(thrown: unknown, isCluster: boolean): ErrorRule {
  if (thrown instanceof UnusableClient)
    return { kind: "connection", retryable: false, remedy: thrown.message };
  const { name, message, code } = describeCause(thrown);
  const byCode = code === undefined ? undefined : codeRules[code];
  if (byCode !== undefined) return byCode;
  const denial = denialOf(message);
  if (denial !== undefined) return rightRule(denial);
  const byWord = replyRules[message.split(" ", 1)[0] ?? ""];
  if (byWord !== undefined) return byWord;
  // If an error doesn't set `name`, its class name is only in its constructor. A minified client loses it.
  const className = thrown instanceof Error && name === "Error" ? thrown.constructor.name : name;
  const byClient = clientRules.find(({ pattern }) => pattern.test(`${className}: ${message}`));
  if (byClient !== undefined) return byClient;
  const inner = INNER_WORD.exec(message)?.[1];
  if (inner !== undefined) return replyRules[inner] ?? unexpected;
  if (isCluster && NON_LOCAL_KEY.test(message)) return movingKeys;
  return (NON_LOCAL_KEY.test(message) ? replyRules["CROSSSLOT"] : undefined) ?? unexpected;
}

/** Returns an error with the class name and the code of `thrown`, but without its message. */
function safeCause(thrown: unknown): Error {
  // The message may quote a key, and a key may contain a user's id.
  const { name, message, code } = describeCause(thrown);
  const word = message.split(" ", 1)[0] ?? "";
  const shown = code ?? (Object.hasOwn(replyRules, word) ? word : undefined);
  const className = thrown instanceof Error && name === "Error" ? thrown.constructor.name : name;
  return Object.assign(new Error(shown ?? "not shown"), { name: className }, present({ code: shown }));
}

/** Converts an error of the driver or the Redis server into an error of `@jaf/memory`. */
export function toMemoryError(operation: string, thrown: unknown, isCluster = false): MemoryErrorUnion {
  const { kind, retryable, remedy } = ruleOf(thrown, isCluster);
  const details = { provider: "redis", operation, retryable, cause: safeCause(thrown) };
  return kind === "connection"
    ? createMemoryConnectionError("redis", remedy, details)
    : createMemoryStorageError(operation, `${remedy}.`, details);
}

export const toSetupError = (operation: string, thrown: unknown): MemorySetupError =>
  thrown instanceof MemorySetupError ? thrown : new MemorySetupError(toMemoryError(operation, thrown));
