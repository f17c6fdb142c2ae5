import type { UserKey } from "../backend/backend.ts";
import type { UserFact } from "../fact.ts";
import { type StoreScope, shown } from "../scope.ts";
import { isWanted } from "./find-facts.ts";
import { withNewerStatements } from "./newer-statements.ts";
import { readQuery, readRecall } from "./options.ts";
import { recordUse } from "./record-use.ts";
import { search } from "./search.ts";

export async function recall(
  scope: StoreScope,
  user: UserKey,
  { query, options }: { readonly query: unknown; readonly options: unknown },
): Promise<UserFact[]> {
  const text = readQuery("recall", query);
  const input = { ...readRecall(options, Date.now()), query: text };
  if (input.limit === 0) return [];
  const { head, found: ranked } = await search(scope, user, { operation: "recall", input });
  const found = ranked.map(({ fact }) => fact);
  const facts = await withNewerStatements(scope, user, {
    found,
    limit: input.limit,
    isWanted: (fact) => isWanted(fact, input),
  });
  recordUse(scope, user, { head, facts });
  return facts.map((fact) => shown(user, fact));
}
