import type { StoredFact, UserKey } from "../backend/backend.ts";
import { ownContent } from "../facts/terms.ts";
import type { StoreScope } from "../scope.ts";

interface Wanted {
  readonly limit: number;
  readonly isWanted: (fact: StoredFact) => boolean;
}

/**
 * Puts before each superseded quotation what superseded it, so that nobody takes what was said once for what holds now; leaves
 * the earlier one out where the later one says all of its words.
 */
export async function withNewerStatements(
  { access }: StoreScope,
  user: UserKey,
  { found, limit, isWanted }: Wanted & { readonly found: readonly StoredFact[] },
): Promise<readonly StoredFact[]> {
  const keys = found.flatMap(({ status, key }) => (status === "superseded" && key !== null ? [key] : []));
  if (keys.length === 0) return found;
  const { facts } = await access.ask("recall", () =>
    access.backend.read(user, { currentKeys: [...new Set(keys)], brief: true }),
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
