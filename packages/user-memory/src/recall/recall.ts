import type { StoredFact, UserKey, UserMemoryBackend } from "../backend.ts";
import type { UserFact } from "../fact.ts";
import { ownContent, toUserFact } from "../facts/facts.ts";
import { readState } from "../transaction/head-state.ts";
import type { StoreScope } from "../transaction/transaction.ts";
import { findFacts, isWanted, readQuery, readRecall } from "./find-facts.ts";

export async function recall(
  scope: StoreScope,
  user: UserKey,
  { query, options }: { readonly query: unknown; readonly options: unknown },
): Promise<UserFact[]> {
  const text = readQuery("recall", query);
  const input = { ...readRecall(options, Date.now()), query: text };
  if (input.limit === 0) return [];
  const find = (read?: UserMemoryBackend["read"]) =>
    findFacts(scope, user, { operation: "recall", input, read });
  // An embedding takes too long to share its read with a mark: an erasure in the meantime would be missed.
  const isFast = scope.settings.embed === undefined;
  const { head, found: ranked } = await (isFast ? scope.heads.during(user, find) : find());
  const found = ranked.map(({ fact }) => fact);
  const { quotations } = await scope.transactions.callBackend("recall", async () => readState(head));
  const facts = await withNewerStatements(scope, user, {
    found,
    limit: input.limit,
    isWanted: (fact) => isWanted(fact, input),
  });
  recordUse(scope, user, { quotations, facts });
  return facts.map((fact) => toUserFact(user, fact));
}

interface Wanted {
  readonly limit: number;
  readonly isWanted: (fact: StoredFact) => boolean;
}

/** Puts the active fact with the key of a superseded quotation before this quotation. */
async function withNewerStatements(
  { transactions }: StoreScope,
  user: UserKey,
  { found, limit, isWanted }: Wanted & { readonly found: readonly StoredFact[] },
): Promise<readonly StoredFact[]> {
  // So a model doesn't mistake the older quotation for a current fact. If the active fact contains all words of the
  // quotation, the quotation is dropped.
  const keys = found.flatMap(({ status, key }) => (status === "superseded" && key !== null ? [key] : []));
  if (keys.length === 0) return found;
  const { facts } = await transactions.callBackend("recall", () =>
    transactions.backend.read(user, { currentKeys: [...new Set(keys)], brief: true }),
  );
  const laterOf = ({ status, key }: StoredFact): readonly StoredFact[] =>
    status === "superseded"
      ? facts.filter((fact) => fact.status === "active" && fact.key === key && isWanted(fact))
      : [];
  const all = found.flatMap((fact) => {
    const later = laterOf(fact);
    return later.some((newer) => covers(newer, fact)) ? later : [...later, fact];
  });
  return [...new Map(all.map((fact) => [fact.seq, fact])).values()].slice(0, limit);
}

function covers(newer: StoredFact, fact: StoredFact): boolean {
  const content = ownContent(newer);
  return [...ownContent(fact)].every((term) => content.has(term));
}

/** The first recall of a quotation is only recorded if the user has at least this share of `maxQuotations`. */
const MATTERS_FROM = 0.5;

interface Recalled {
  /** Number of the user's quotations. */
  readonly quotations: number;
  readonly facts: readonly StoredFact[];
}

/** Records in the background that quotations were recalled for the first time. */
function recordUse(scope: StoreScope, user: UserKey, { quotations, facts }: Recalled): void {
  // The store needs this when it makes room for new quotations, so not as long as the user has few.
  const { transactions, settings, track } = scope;
  const ids = facts.flatMap(({ id, quotation, usedAt }) =>
    quotation === null || usedAt !== null ? [] : [id],
  );
  const matters = quotations >= MATTERS_FROM * settings.limits.maxQuotations;
  if (ids.length === 0 || !matters) return;
  const recorded = transactions.run(user, ({ write }) =>
    write({
      operation: "recall",
      selection: { ids },
      decide: ({ snapshot, draft, now }) => {
        const unused = snapshot.facts.filter(({ id, usedAt }) => ids.includes(id) && usedAt === null);
        for (const fact of unused) draft.put(null, { ...fact, usedAt: now }, fact);
        return { result: undefined, change: unused.length === 0 ? null : draft.build() };
      },
    }),
  );
  track(recorded);
}
