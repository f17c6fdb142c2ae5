import { parseOptions } from "@jaf/memory/adapter";
import { checkRelease } from "@jaf/memory/internal";
import { type AuditEntry, type AuditReport, openAudit, parseAuditEntry, verifyTrail } from "../audit.ts";
import { type UserKey, type UserMemoryBackend, userKeyOf } from "../backend.ts";
import { drainWork, trackWork } from "../background-work.ts";
import { busyError } from "../errors.ts";
import { openQueue } from "../extraction/queue.ts";
import { toUserFactOrNull } from "../facts/facts.ts";
import { middlewareFor } from "../middleware/middleware.ts";
import {
  bindOptions,
  type UserMemoryOptions,
  type UserMemorySettings,
  userMemoryOptionsSchema,
} from "../options.ts";
import { explain } from "../recall/explain.ts";
import { recall } from "../recall/recall.ts";
import type { ErasureMark, UserMemoryStore } from "../store.ts";
import { readState } from "../transaction/head-state.ts";
import { openSharedHeads } from "../transaction/shared-heads.ts";
import { findFact, openTransactions, type StoreScope } from "../transaction/transaction.ts";
import { checkUserId } from "../validation.ts";
import { forget, forgetAll } from "./forget.ts";
import { list, listStored } from "./list.ts";
import { remember } from "./remember.ts";
import { approve, reject } from "./review.ts";
import { update } from "./update.ts";

const CLOSING_MS = 10_000;

/**
 * Creates a store from a backend. The store validates input, applies all rules, and converts errors of the backend into
 * `UserMemoryError`s. Throws a `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import { defineUserMemory } from "@jaf/user-memory";
 * import type { UserMemoryBackend } from "@jaf/user-memory/adapter";
 *
 * declare const backend: UserMemoryBackend;
 *
 * const memory = defineUserMemory(backend, { auditKey: process.env["AUDIT_KEY"] });
 * await memory.remember("user-123", "Prefers tea", { tags: ["drinks"] });
 * ```
 */
export function defineUserMemory(
  backend: UserMemoryBackend,
  options: UserMemoryOptions = {},
): UserMemoryStore {
  checkRelease(globalThis.JAF_RELEASE);
  const settings: UserMemorySettings = parseOptions(
    userMemoryOptionsSchema,
    bindOptions(userMemoryOptionsSchema, options),
    "user memory options",
  );
  const audit = openAudit(settings.auditKey);
  const transactions = openTransactions(backend, settings, audit);
  const heads = openSharedHeads(backend);
  const scope: StoreScope = { transactions, audit, settings, heads, track: (work) => trackWork(store, work) };
  const user = (operation: string, userId: unknown): UserKey => userKeyOf(checkUserId(operation, userId));

  const store: UserMemoryStore = {
    remember: async (userId, fact, options) => remember(scope, user("remember", userId), { fact, options }),
    recall: async (userId, query, options) => recall(scope, user("recall", userId), { query, options }),
    list: async (userId, options) => list(scope, user("list", userId), { operation: "list", options }),
    get: async (userId, factId) => {
      const key = user("get", userId);
      return toUserFactOrNull(key, await findFact(scope, { user: key, operation: "get", factId }));
    },
    update: async (userId, factId, changes) => update(scope, user("update", userId), { factId, changes }),
    forget: async (userId, factId) => forget(scope, user("forget", userId), factId),
    forgetAll: async (userId) => forgetAll(scope, user("forgetAll", userId)),
    review: {
      list: async (userId, options) => {
        const operation = "review.list";
        return list(scope, user(operation, userId), {
          operation,
          options: { ...options, status: "quarantined" },
        });
      },
      approve: async (userId, factId) => approve(scope, user("review.approve", userId), factId),
      reject: async (userId, factId) => reject(scope, user("review.reject", userId), factId),
    },
    explain: async (userId, factId, query) => explain(scope, user("explain", userId), { factId, query }),
    audit: async (userId) => readAudit(scope, user("audit", userId)),
    verifyAudit: async (userId) => verifyAudit(scope, user("verifyAudit", userId)),
    mark: async (userId) => {
      const key = user("mark", userId);
      const head = await transactions.callBackend("mark", () => heads.head(key));
      return (head?.epoch ?? 0) as ErasureMark;
    },
    queue: openQueue(transactions, settings),
    drain: (options) => drainWork(store, options),
    close: async () => {
      await drainWork(store, { timeoutMs: CLOSING_MS });
      await transactions.callBackend("close", () => backend.close());
    },
    middlewareFor: (spec, observer) => middlewareFor(store, { spec, observer }),
  };
  return store;
}

const MAX_LOOKS = 5;

const EVERYTHING = {
  statuses: ["active", "quarantined", "superseded"],
  tags: undefined,
  limit: Number.POSITIVE_INFINITY,
} as const;

async function readAudit({ transactions }: StoreScope, user: UserKey): Promise<AuditEntry[]> {
  const { entries } = await transactions.callBackend("audit", () => transactions.backend.audit(user));
  return entries.flatMap((entry) => parseAuditEntry(entry) ?? []);
}

/**
 * Checks a user's audit trail. If the user's data changes during each of five attempts, rejects with the error
 * `"busy"`.
 */
async function verifyAudit(scope: StoreScope, user: UserKey): Promise<AuditReport> {
  const operation = "verifyAudit";
  const { transactions, audit } = scope;
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const { head, entries } = await transactions.callBackend(operation, () =>
      transactions.backend.audit(user),
    );
    const facts = await listStored(scope, user, { operation, ...EVERYTHING });
    const after = await transactions.callBackend(operation, () => transactions.backend.read(user, {}));
    if (after.head?.version !== head?.version) continue;
    const { audit: end } = await transactions.callBackend(operation, async () => readState(head));
    return verifyTrail(audit(user), { entries, end, facts });
  }
  throw busyError(operation);
}
