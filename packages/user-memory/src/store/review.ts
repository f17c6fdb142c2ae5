import type { StoredFact, UserKey } from "../backend.ts";
import type { UserFact } from "../fact.ts";
import { termsOfFact, toUserFactOrNull } from "../facts/facts.ts";
import { openEmbedding } from "../recall/embedding.ts";
import { supersede } from "../transaction/draft.ts";
import { byId, findFact, type StoreScope, type Write } from "../transaction/transaction.ts";
import { remove } from "./forget.ts";

export async function approve(scope: StoreScope, user: UserKey, factId: unknown): Promise<UserFact | null> {
  const operation = "review.approve";
  const embed = openEmbedding(scope.settings, operation);
  return scope.transactions.run(user, async ({ begin, write }) => {
    const [waiting] = await Promise.all([findFact(scope, { user, operation, factId }), begin()]);
    if (waiting?.status !== "quarantined") return null;
    const vector = await embed(waiting.fact);
    return toUserFactOrNull(user, await write(approveWrite({ waiting, vector })));
  });
}

export async function reject(scope: StoreScope, user: UserKey, factId: unknown): Promise<boolean> {
  return (await remove(scope, user, { factId, rejects: true })).facts > 0;
}

interface ApproveOptions {
  readonly waiting: StoredFact;
  readonly vector: readonly number[] | null;
}

/**
 * Returns the write that makes a fact active and confirmed. The result of the write is this fact, or `null` if the fact
 * doesn't wait for review any more.
 */
function approveWrite({ waiting, vector }: ApproveOptions): Write<StoredFact | null> {
  const { id, key, conflictsWith } = waiting;
  return {
    operation: "review.approve",
    selection: {
      ids: conflictsWith === null ? [id] : [id, conflictsWith],
      ...(key === null ? {} : { keys: [key] }),
    },
    decide: ({ snapshot, draft, now }) => {
      const fact = byId(snapshot, id);
      if (fact?.status !== "quarantined") return { result: null, change: null };
      const confirmed: StoredFact = {
        ...fact,
        status: "active",
        trust: "confirmed",
        quarantine: null,
        conflictsWith: null,
        updatedAt: now,
        validFrom: now,
        validUntil: fact.validUntil !== null && fact.validUntil <= now ? null : fact.validUntil,
        terms: termsOfFact(fact),
        vector,
      };
      draft.put("approved", confirmed, fact);
      const replaced = snapshot.facts.filter(
        (other) =>
          other.id !== id &&
          other.status === "active" &&
          (other.id === conflictsWith || (key !== null && other.key === key)),
      );
      supersede(draft, replaced, confirmed);
      return { result: confirmed, change: draft.build() };
    },
  };
}
