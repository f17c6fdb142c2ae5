import { randomUUID } from "node:crypto";
import { auditChain } from "../audit/chain.ts";
import type { UserKey } from "../backend/backend.ts";
import type { ForgetDetails, ForgetReceipt } from "../receipt.ts";
import { forgetWrite } from "../rules/forget.ts";
import { erasedState, NO_HASH, writeState } from "../rules/head-state.ts";
import { digestsFor, isFactId, type StoreScope } from "./scope.ts";

/** A user's fact that doesn't exist and another's that does are the same here: nothing. */
export async function forget(scope: StoreScope, user: UserKey, factId: unknown): Promise<ForgetReceipt> {
  if (!isFactId(factId)) return receipt({ facts: 0, vectors: 0, jobs: 0, revived: 0 });
  const digests = digestsFor(scope, user);
  const gone = await scope.access.during(user, ({ write }) =>
    write(forgetWrite({ factId, digests, rejects: false })),
  );
  return receipt({ ...gone, jobs: 0 });
}

export async function forgetAll({ access, settings }: StoreScope, user: UserKey): Promise<ForgetReceipt> {
  access.interrupt(user);
  const at = Date.now();
  const start = { seq: 0, hash: NO_HASH };
  const { end, entries } = auditChain(user, settings.auditKey).extend(start, [{ action: "erased" }], at);
  const state = writeState({ ...erasedState(at), audit: end });
  const gone = await access.ask("forgetAll", () => access.backend.erase(user, { state, audit: entries }));
  return receipt({ ...gone, revived: 0 });
}

const receipt = (gone: Omit<ForgetDetails, "receiptId" | "at">): ForgetReceipt =>
  Object.freeze({ receiptId: randomUUID(), at: new Date(), ...gone }) as ForgetReceipt;
