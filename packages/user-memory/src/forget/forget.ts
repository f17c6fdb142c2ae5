import { randomUUID } from "node:crypto";
import type { UserKey } from "../backend/backend.ts";
import type { ForgetDetails, ForgetReceipt } from "../receipt.ts";
import { digestsFor, findFact, type StoreScope } from "../scope.ts";
import { erasedState, writeState } from "../write/head-state.ts";
import { type Forgotten, forgetWrite, NOTHING } from "./write.ts";

/** A user's fact that doesn't exist and another's that does are the same here: nothing. */
export async function forget(scope: StoreScope, user: UserKey, factId: unknown): Promise<ForgetReceipt> {
  return receipt({ ...(await remove(scope, user, { factId, rejects: false })), jobs: 0 });
}

interface Removal {
  readonly factId: unknown;
  /** Only if it waits for review. */
  readonly rejects: boolean;
}

/** Removes a fact, and what says the same in the user's history. */
export async function remove(
  scope: StoreScope,
  user: UserKey,
  { factId, rejects }: Removal,
): Promise<Forgotten> {
  const operation = rejects ? "review.reject" : "forget";
  const { backend, ask, during } = scope.access;
  const fact = await findFact(scope, { user, operation, factId });
  if (fact === null || (rejects && fact.status !== "quarantined")) return NOTHING;
  const { digest } = fact;
  const { facts } = await ask(operation, () =>
    backend.read(user, { digests: [digest], supersededBy: [fact.id], brief: true }),
  );
  const same = facts.filter((other) => other.digest === digest).map(({ id }) => id);
  const ids = [...new Set([fact.id, ...same])];
  const keys = [...new Set(facts.flatMap(({ key }) => key ?? []))];
  const locations = facts.flatMap(({ id, conversationId, position }) =>
    ids.includes(id) && conversationId !== null && position !== null ? [{ conversationId, position }] : [],
  );
  const digests = digestsFor(scope, user);
  const as = rejects ? "rejected" : "forgotten";
  return during(user, ({ write }) => write(forgetWrite({ ids, keys, locations, digests, as })));
}

export async function forgetAll({ access, audit }: StoreScope, user: UserKey): Promise<ForgetReceipt> {
  access.interrupt(user);
  const at = Date.now();
  const state = erasedState(at);
  const { end, entries } = audit(user).extend(state.audit, [{ action: "erased" }], at);
  const erasure = { state: writeState({ ...state, audit: end }), audit: entries };
  const gone = await access.ask("forgetAll", () => access.backend.erase(user, erasure));
  return receipt({ ...gone, revived: 0 });
}

const receipt = (gone: Omit<ForgetDetails, "receiptId" | "at">): ForgetReceipt =>
  Object.freeze({ receiptId: randomUUID(), at: new Date(), ...gone }) as ForgetReceipt;
