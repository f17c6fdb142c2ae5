import type { StoredFact, UserHead, UserKey } from "../backend/backend.ts";
import type { StoreScope } from "../scope.ts";
import { readState } from "../write/head-state.ts";

/** From this share of `maxQuotations` on it matters which of them were ever used. */
const MATTERS_FROM = 0.5;

interface Recalled {
  readonly head: UserHead | null;
  readonly facts: readonly StoredFact[];
}

/** Records that quotations were recalled, each once, in the background: those that never were are evicted first. */
export function recordUse(scope: StoreScope, user: UserKey, { head, facts }: Recalled): void {
  const { access, settings, track } = scope;
  const ids = facts.flatMap(({ id, quotation, usedAt }) =>
    quotation === null || usedAt !== null ? [] : [id],
  );
  const matters = readState(head).quotations >= MATTERS_FROM * settings.limits.maxQuotations;
  if (ids.length === 0 || !matters) return;
  const recorded = access.during(user, ({ write }) =>
    write({
      operation: "recall",
      selection: { ids },
      plan: ({ view, draft, now }) => {
        const unused = view.facts.filter(({ id, usedAt }) => ids.includes(id) && usedAt === null);
        for (const fact of unused) draft.put({ ...fact, usedAt: now }, fact);
        return { result: undefined, change: unused.length === 0 ? null : draft.build(now) };
      },
    }),
  );
  track(recorded);
}
