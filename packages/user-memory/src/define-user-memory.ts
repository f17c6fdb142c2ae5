import { parseOptions } from "@jaf/memory/adapter";
import { openAccess } from "./access.ts";
import { readAudit, verifyAudit } from "./audit/audit.ts";
import { openAudit } from "./audit/chain.ts";
import type { UserKey, UserMemoryBackend } from "./backend/backend.ts";
import { drainWork, trackWork } from "./background-work.ts";
import { boundOptions } from "./bound-options.ts";
import type { ErasureMark } from "./erasure-mark.ts";
import { userKeyOf } from "./facts/user-key.ts";
import { forget, forgetAll } from "./forget/forget.ts";
import { checkUserId } from "./input/check-input.ts";
import { middlewareFor } from "./link/middleware.ts";
import { list } from "./list/list.ts";
import { type UserMemoryOptions, type UserMemorySettings, userMemoryOptionsSchema } from "./options.ts";
import { openQueue } from "./queue/open.ts";
import { explain } from "./recall/explain.ts";
import { recall } from "./recall/recall.ts";
import { remember } from "./remember/remember.ts";
import { approve, reject } from "./review/review.ts";
import { findFact, type StoreScope, shownOrNull } from "./scope.ts";
import type { UserMemoryStore } from "./store.ts";
import { update } from "./update/update.ts";

const CLOSING_MS = 10_000;

/**
 * Makes a store of a backend: it checks what goes in, decides by the rules, and turns what the backend throws into
 * `UserMemoryError`s. Throws a `TypeError` for options that are wrong.
 */
export function defineUserMemory(
  backend: UserMemoryBackend,
  options: UserMemoryOptions = {},
): UserMemoryStore {
  const settings: UserMemorySettings = parseOptions(
    userMemoryOptionsSchema,
    boundOptions(userMemoryOptionsSchema, options),
    "user memory options",
  );
  const audit = openAudit(settings.auditKey);
  const access = openAccess(backend, settings, audit);
  const scope: StoreScope = { access, audit, settings, track: (work) => trackWork(store, work) };
  const user = (operation: string, userId: unknown): UserKey => userKeyOf(checkUserId(operation, userId));

  const store: UserMemoryStore = {
    remember: async (userId, fact, options) => remember(scope, user("remember", userId), { fact, options }),
    recall: async (userId, query, options) => recall(scope, user("recall", userId), { query, options }),
    list: async (userId, options) => list(scope, user("list", userId), { operation: "list", options }),
    get: async (userId, factId) => {
      const key = user("get", userId);
      return shownOrNull(key, await findFact(scope, { user: key, operation: "get", factId }));
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
      const { head } = await access.ask("mark", () => backend.read(key, {}));
      return (head?.epoch ?? 0) as ErasureMark;
    },
    queue: openQueue(access, settings),
    drain: (options) => drainWork(store, options),
    close: async () => {
      await drainWork(store, { timeoutMs: CLOSING_MS });
      await access.ask("close", () => backend.close());
    },
    middlewareFor: (spec) => middlewareFor(store, spec),
  };
  return store;
}
