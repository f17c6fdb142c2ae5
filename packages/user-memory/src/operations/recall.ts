import { lazy } from "@jaf/memory/adapter";
import type { StoredFact, UserKey } from "../backend/backend.ts";
import type { FactExplanation } from "../explanation.ts";
import type { UserFact } from "../fact.ts";
import { checkInput, textSchema } from "../rules/incoming.ts";
import { type ReadList, readList, readRecall } from "../rules/read-options.ts";
import { obstacleNow } from "../rules/validity.ts";
import { openEmbedding } from "../search/embedding.ts";
import { isWanted, type RecallInput, recallFacts } from "../search/recall.ts";
import { besideLater } from "./later.ts";
import { findFact, type StoreScope, shown } from "./scope.ts";
import { noteUsed } from "./used.ts";

/** The ranker reads the beginning of a query; what is longer is no question. */
const MAX_QUERY = 1_000_000;
const PAGE = 500;

const querySchema = lazy(() => textSchema(MAX_QUERY, 0));

export async function recall(
  scope: StoreScope,
  user: UserKey,
  { query, options }: { readonly query: unknown; readonly options: unknown },
): Promise<UserFact[]> {
  const text = checkInput("recall", querySchema(), "query", query);
  const input = { ...readRecall(options, Date.now()), query: text };
  if (input.limit === 0) return [];
  const { head, found: ranked } = await search(scope, user, { operation: "recall", input });
  const found = ranked.map(({ fact }) => fact);
  const facts = await besideLater(scope, user, {
    found,
    limit: input.limit,
    isWanted: (fact) => isWanted(fact, input),
  });
  noteUsed(scope, user, { head, facts });
  return facts.map((fact) => shown(user, fact));
}

interface SearchFor {
  readonly operation: string;
  readonly input: RecallInput;
}

function search({ access, settings }: StoreScope, user: UserKey, { operation, input }: SearchFor) {
  const { backend } = access;
  const vectorOf = openEmbedding(settings, operation);
  const { maxSourceShare } = settings.limits;
  return access.ask(operation, () => recallFacts({ backend, user, vectorOf, maxSourceShare }, input));
}

export async function list(
  scope: StoreScope,
  user: UserKey,
  { operation, options }: { readonly operation: string; readonly options: unknown },
): Promise<UserFact[]> {
  const facts = await listStored(scope, user, { operation, ...readList(operation, options) });
  return facts.map((fact) => shown(user, fact));
}

/** Reads a page at a time, so that no list holds up a server. */
export async function listStored(
  { access }: StoreScope,
  user: UserKey,
  { operation, statuses, tags, limit }: ReadList & { readonly operation: string },
): Promise<readonly StoredFact[]> {
  const facts: StoredFact[] = [];
  let before: number | undefined;
  while (facts.length < limit) {
    const pageSize = tags === undefined ? Math.min(PAGE, limit - facts.length) : PAGE;
    const page = await access.ask(operation, () =>
      access.backend.list(user, { statuses, before, limit: pageSize, brief: true }),
    );
    facts.push(...page.filter((fact) => tags === undefined || fact.tags.some((tag) => tags.includes(tag))));
    before = page.at(-1)?.seq;
    if (page.length < pageSize) break;
  }
  return facts.slice(0, limit);
}

export async function explain(
  scope: StoreScope,
  user: UserKey,
  { factId, query }: { readonly factId: unknown; readonly query: unknown },
): Promise<FactExplanation | null> {
  const operation = "explain";
  const text = query === undefined ? undefined : checkInput(operation, querySchema(), "query", query);
  const stored = await findFact(scope, { user, operation, factId });
  if (stored === null) return null;
  const now = Date.now();
  const { access, settings } = scope;
  const limit = settings.limits.maxFacts;
  const [{ found }, replaced] = await Promise.all([
    text === undefined
      ? { found: [] }
      : search(scope, user, {
          operation,
          input: { query: text, limit, tags: undefined, asOf: now, isNow: true, minTrust: "external" },
        }),
    access.ask(operation, () => access.backend.read(user, { supersededBy: [stored.id], brief: true })),
  ]);
  const index = found.findIndex(({ fact }) => fact.id === stored.id);
  const obstacle = obstacleNow(stored, now);
  return {
    fact: shown(user, stored),
    rank: index === -1 ? null : index + 1,
    reasons: found[index]?.candidate.reasons ?? [],
    recallable: obstacle === undefined,
    ...(obstacle === undefined ? {} : { obstacle }),
    supersedes: replaced.facts
      .filter(({ supersededBy }) => supersededBy === stored.id)
      .reverse()
      .map((fact) => shown(user, fact)),
  };
}
