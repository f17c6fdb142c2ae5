import type { ErrorCause, MemoryErrorUnion } from "@jaf/memory";
import {
  createMemoryConnectionError,
  createMemoryStorageError,
  describeCause,
  MemorySetupError,
  present,
} from "@jaf/memory/adapter";
import { UnconnectedClient } from "./client/adapt-client.ts";
import { ConversationTooLarge } from "./decoding.ts";
import { codeRules, type ErrorRule, messageRules } from "./error-rules.ts";

/** A turn could not begin since others of its conversation did, each time that it was tried. */
export class TurnsInTheWay extends Error {
  override readonly name = "TurnsInTheWay";
}

const unexpected: ErrorRule = {
  kind: "storage",
  retryable: false,
  remedy: "the database failed unexpectedly; its log says more",
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
    "the conversation is too large to be read at once; read the end of it with getRecentMessages(), and keep fewer messages with `maxMessages`",
};

const turnsInTheWay: ErrorRule = {
  kind: "storage",
  retryable: true,
  remedy: "others begin and end turns of the conversation all the time; try again",
};

/** Classes of SQLSTATE whose messages quote names of tables and settings, but neither rows, parameters nor users. */
const QUOTABLE_CLASSES = new Set(["08", "25", "3D", "3F", "40", "42", "53", "55", "57", "58"]);

const SQLSTATE = /^[0-9A-Z]{5}$/;

function ruleFor(thrown: unknown, { code, message }: ErrorCause): ErrorRule {
  if (thrown instanceof UnconnectedClient) return unconnected;
  if (thrown instanceof ConversationTooLarge) return tooLarge;
  if (thrown instanceof TurnsInTheWay) return turnsInTheWay;
  const byCode = code === undefined ? undefined : (codeRules[code] ?? codeRules[code.slice(0, 2)]);
  return byCode ?? messageRules.find(({ pattern }) => pattern.test(message)) ?? unexpected;
}

// A driver's message may quote a row or a parameter, and a failed look-up of a host name a part of a password.
function safeCause(cause: ErrorCause, rule: ErrorRule): ErrorCause {
  const { name, code, message } = cause;
  if (code === undefined) return { name, message: rule === unexpected ? "not shown" : message };
  const quotable = SQLSTATE.test(code) && QUOTABLE_CLASSES.has(code.slice(0, 2));
  return { name, code, message: quotable ? message : code };
}

/** Translates whatever a driver throws, by the tables of `error-rules.ts`. */
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

// Of these, a FATAL error or a PANIC may be one, after which it is unknown what was done.
const SEVERE_CLASSES = new Set(["53", "58", "XX"]);

/** Whether the server answered that it did nothing of a statement, and goes on. */
export function isRefusal(thrown: unknown): boolean {
  const cause = describeCause(thrown);
  // What the driver itself throws has no severity. A server that speaks another language has another word for it.
  if (!(thrown instanceof Error && "severity" in thrown) || cause.code === undefined) return false;
  const isPlain = thrown.severity === "ERROR" || !SEVERE_CLASSES.has(cause.code.slice(0, 2));
  return isPlain && ruleFor(thrown, cause).kind === "storage";
}
