import type { StoredFact, UserKey } from "../backend/backend.ts";
import { forgetWrite } from "../forget/write.ts";
import { listStored } from "../list/list.ts";
import { digestsFor, type StoreScope } from "../scope.ts";

/** Of `maxQuotations`, so many are evicted at once, since finding them means reading all. */
const SHARE = 0.05;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** Deletes the least useful quotations: of those that were never recalled, the oldest; then the oldest. */
export async function evictQuotations(scope: StoreScope, user: UserKey): Promise<void> {
  const { access, settings } = scope;
  const all = await listStored(scope, user, {
    operation: "remember",
    statuses: ["active", "superseded"],
    tags: undefined,
    limit: Number.POSITIVE_INFINITY,
  });
  const count = Math.ceil(SHARE * settings.limits.maxQuotations);
  const gone = all
    .filter(({ quotation }) => quotation !== null)
    .sort((a, b) => (a.usedAt ?? LONG_AGO) - (b.usedAt ?? LONG_AGO) || ageOf(a) - ageOf(b))
    .slice(0, count);
  const ids = gone.map(({ id }) => id);
  const keys = [...new Set(gone.flatMap(({ key }) => key ?? []))];
  const digests = digestsFor(scope, user);
  await access.during(user, ({ write }) =>
    write(forgetWrite({ ids, keys, locations: [], digests, as: "evicted" })),
  );
}

const ageOf = ({ saidAt, createdAt }: StoredFact): number => saidAt ?? createdAt;
