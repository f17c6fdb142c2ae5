import { present } from "@jaf/memory/adapter";
import type { UserKey } from "../backend.ts";
import { obstacleNow, toUserFact } from "../facts/facts.ts";
import type { FactExplanation } from "../store.ts";
import { findFact, type StoreScope } from "../transaction/transaction.ts";
import { findFacts, readQuery } from "./find-facts.ts";

export async function explain(
  scope: StoreScope,
  user: UserKey,
  { factId, query }: { readonly factId: unknown; readonly query: unknown },
): Promise<FactExplanation | null> {
  const operation = "explain";
  const text = query === undefined ? undefined : readQuery(operation, query);
  const stored = await findFact(scope, { user, operation, factId });
  if (stored === null) return null;
  const now = Date.now();
  const { transactions, settings } = scope;
  const limit = settings.limits.maxFacts;
  const [{ found }, replaced] = await Promise.all([
    text === undefined
      ? { found: [] }
      : findFacts(scope, user, {
          operation,
          input: {
            query: text,
            limit,
            tags: undefined,
            asOf: now,
            isNow: true,
            minTrust: "external",
            relevantOnly: false,
            context: [],
          },
        }),
    transactions.callBackend(operation, () =>
      transactions.backend.read(user, { supersededBy: [stored.id], brief: true }),
    ),
  ]);
  const index = found.findIndex(({ fact }) => fact.id === stored.id);
  const obstacle = obstacleNow(stored, now);
  return {
    fact: toUserFact(user, stored),
    rank: index === -1 ? null : index + 1,
    reasons: found[index]?.candidate.reasons ?? [],
    recallable: obstacle === undefined,
    ...present({ obstacle }),
    supersedes: replaced.facts
      .filter(({ supersededBy }) => supersededBy === stored.id)
      .reverse()
      .map((fact) => toUserFact(user, fact)),
  };
}
