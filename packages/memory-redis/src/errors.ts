import type { MemoryErrorUnion } from "@jaf/memory";
import {
  createMemoryConnectionError,
  createMemoryStorageError,
  describeCause,
  MemorySetupError,
  present,
} from "@jaf/memory/adapter";
import { type Denial, denialOf } from "./acl-denial.ts";
import { UnusableClient } from "./client/adapt-client.ts";
import {
  clientRules,
  codeRules,
  type ErrorRule,
  lacksCommand,
  lacksKeys,
  lacksRight,
  movingKeys,
  replyRules,
} from "./error-rules.ts";

const unexpected: ErrorRule = {
  kind: "storage",
  retryable: false,
  remedy: "the server failed unexpectedly; its log says more",
};

/** In the text of a script's failure the server's own error word may stand further on. */
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
  // A class name survives a minifier in none of them; what an error is called is in its constructor.
  const className = thrown instanceof Error && name === "Error" ? thrown.constructor.name : name;
  const byClient = clientRules.find(({ pattern }) => pattern.test(`${className}: ${message}`));
  if (byClient !== undefined) return byClient;
  const inner = INNER_WORD.exec(message)?.[1];
  if (inner !== undefined) return replyRules[inner] ?? unexpected;
  if (isCluster && NON_LOCAL_KEY.test(message)) return movingKeys;
  return (NON_LOCAL_KEY.test(message) ? replyRules["CROSSSLOT"] : undefined) ?? unexpected;
}

/** Of an error no more than its kind is kept: a message may quote a key, and so a user's id. */
function safeCause(thrown: unknown): Error {
  const { name, message, code } = describeCause(thrown);
  const word = message.split(" ", 1)[0] ?? "";
  const shown = code ?? (Object.hasOwn(replyRules, word) ? word : undefined);
  const className = thrown instanceof Error && name === "Error" ? thrown.constructor.name : name;
  return Object.assign(new Error(shown ?? "not shown"), { name: className }, present({ code: shown }));
}

/** Translates whatever a driver throws, by the tables of `error-rules.ts`. */
export function toMemoryError(operation: string, thrown: unknown, isCluster = false): MemoryErrorUnion {
  const { kind, retryable, remedy } = ruleOf(thrown, isCluster);
  const details = { provider: "redis", operation, retryable, cause: safeCause(thrown) };
  return kind === "connection"
    ? createMemoryConnectionError("redis", remedy, details)
    : createMemoryStorageError(operation, `${remedy}.`, details);
}

export const toSetupError = (operation: string, thrown: unknown): MemorySetupError =>
  thrown instanceof MemorySetupError ? thrown : new MemorySetupError(toMemoryError(operation, thrown));
